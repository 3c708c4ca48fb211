package workbench

// The bounds of a job's log.
const (
	KeptEvents  = keptEvents
	KeptSeconds = keptSeconds
)

// OnWindows makes the options for Windows count in a test on any system.
func OnWindows(cleanup func(func())) {
	was := onWindows
	onWindows = true
	cleanup(func() { onWindows = was })
}
