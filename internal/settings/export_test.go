package settings

// OnWindows makes the options for Windows count in a test on any system.
func OnWindows(cleanup func(func())) {
	was := onWindows
	onWindows = true
	cleanup(func() { onWindows = was })
}
