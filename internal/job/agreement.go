package job

// Agreement compares the virtual users' own count with the server's, of those
// transactions that the workload's probe counts.
type Agreement struct {
	What   string `json:"what"` // "new order"
	Client int64  `json:"client"`
	Server int64  `json:"server"`

	// Low and High bound what the server may count if both are right: the
	// client's count, and what may have been in flight while the server was read.
	Low   int64 `json:"low"`
	High  int64 `json:"high"`
	Holds bool  `json:"holds"`

	// Limit is by how many percent the server's count may be out of bounds before the run is
	// invalid: option max_failures. It is 0 where a count out of bounds makes no run invalid.
	Limit float64 `json:"limit_percent,omitempty"`

	// Over is where those transactions went that are compared, of a pool whose connections
	// lead to several places; "" if all of them are compared.
	Over string `json:"over,omitempty"`

	// Vague says that the bounds are met, and so far apart that this says nothing.
	Vague bool `json:"vague,omitempty"`

	// None says that the run had no such transactions to do and that the server counted 0. This says
	// nothing about the count of other transactions.
	None bool `json:"none,omitempty"`

	// Allowance says why the server may count less than the client; "" where it may not.
	Allowance string `json:"allowance,omitempty"`
}

// Off returns by how much of the larger count the server's is out of bounds, in percent.
func (a Agreement) Off() float64 {
	off := max(a.Low-a.Server, a.Server-a.High, 0)
	return 100 * float64(off) / float64(max(a.Client, a.Server, 1))
}

// TrustedWithin is by how many percent the server's count may be out of bounds for a figure
// that is computed from it to be relied on.
const TrustedWithin = 1

// Trusted reports whether a figure computed from the server's count can be relied on.
func (a Agreement) Trusted() bool { return !a.Vague && a.Off() <= TrustedWithin }

// Suspicion says what is the likely reason for counts that disagree, and what to do.
func (a Agreement) Suspicion() string {
	switch {
	case a.Server < 0:
		return "Rows that are counted were removed while the run went on. Keep other programs away from the schema, build it again, and repeat the run."
	case a.Server < a.Client:
		return "The schema's routines may roll back without reporting it: run with client_sql=true, or build the schema with Sledge."
	}
	return "Another program may have worked on the schema: stop it, and repeat the run."
}
