package control

// The limits of a job's log.
const (
	KeptEvents  = keptEvents
	KeptSeconds = keptSeconds
)
