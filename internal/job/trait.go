package job

// Trait is a property of a run that says what kind of test it was, beside what the standard of the
// workload or good practice asks for, so that the figures are not read as more than they are.
type Trait struct {
	Name   string `json:"name"`             // "pauses"
	Here   string `json:"here"`             // what this run did: "none: users begin the next transaction at once"
	Asked  string `json:"asked"`            // what is asked for
	Source string `json:"source,omitempty"` // the clause of the standard: "TPC-C 5.2.5"; "" for good practice
	Met    bool   `json:"met"`
}
