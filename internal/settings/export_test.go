package settings

// OnWindows applies the options for Windows in a test on any system.
func OnWindows(cleanup func(func())) {
	was := onWindows
	onWindows = true
	cleanup(func() { onWindows = was })
}
