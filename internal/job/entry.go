package job

import "time"

// Job is a job in the repository: its spec, and its state or result.
type Job struct {
	ID     ID        `json:"id"`
	Spec   Spec      `json:"spec"`
	Kinds  []string  `json:"kinds,omitempty"` // names of its kinds of transaction
	Status Status    `json:"status"`
	Reason string    `json:"reason,omitempty"` // why it did not succeed
	Begun  time.Time `json:"begun"`
	Ended  time.Time `json:"ended,omitzero"` // for a killed job: the last sign of life
	Facts  *Facts    `json:"facts,omitempty"`

	// Result is empty until the job has ended. It does not contain the summary, which is kept
	// elsewhere.
	Result Result `json:"result,omitzero"`

	// Profile is the number of the performance profile that a run belongs to; 0 means none.
	Profile int `json:"profile,omitempty"`

	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Origin  string `json:"origin,omitempty"`  // the program that recorded it, if that was not Sledge
	Dropped int64  `json:"dropped,omitempty"` // events that could not be recorded
}
