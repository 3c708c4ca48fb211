package control

// The bounds of a job's log.
const (
	KeptEvents  = keptEvents
	KeptSeconds = keptSeconds
)
