package job

// Agreement compares the virtual users' count with the server's count of the transactions that the
// workload's probe counts.
type Agreement struct {
	What   string `json:"what"` // "new order"
	Client int64  `json:"client"`
	Server int64  `json:"server"`

	// Low and High bound the server's count if both counts are right: the client's count, widened
	// by the transactions in flight at the readings.
	Low   int64 `json:"low"`
	High  int64 `json:"high"`
	Holds bool  `json:"holds"`

	// Seconds is the time between the two readings of the server's count. Rates of that count are
	// over this time.
	Seconds float64 `json:"seconds,omitempty"`

	// Limit is the largest difference between the server's count and the bounds with which the run
	// is valid, in percent: option max_failures. It is 0 if no difference makes the run invalid.
	Limit float64 `json:"limit_percent,omitempty"`

	// Over names the servers of the compared transactions, if a pool's connections lead to several;
	// "" if all transactions are compared.
	Over string `json:"over,omitempty"`

	// Vague says that the bounds are met, but are so far apart that this proves nothing.
	Vague bool `json:"vague,omitempty"`

	// None says that the run had no such transactions and that the server counted 0. This proves
	// nothing about the count of other transactions.
	None bool `json:"none,omitempty"`

	// Allowance says why the server may count less than the client; "" if it may not.
	Allowance string `json:"allowance,omitempty"`
}

// Off returns the difference between the server's count and the nearer bound, in percent of the larger count; 0 within the bounds.
func (a Agreement) Off() float64 {
	off := max(a.Low-a.Server, a.Server-a.High, 0)
	return 100 * float64(off) / float64(max(a.Client, a.Server, 1))
}

// TrustedWithin is the largest value of Off, in percent, with which figures computed from the
// server's count are reliable.
const TrustedWithin = 1

// Trusted reports whether a figure computed from the server's count is reliable.
func (a Agreement) Trusted() bool { return !a.Vague && a.Off() <= TrustedWithin }

// Suspicion returns the likely reason for counts that disagree, and a remedy.
func (a Agreement) Suspicion() string {
	switch {
	case a.Server < 0:
		return "Counted rows were removed during the run. Keep other programs away from the schema, build it again, and repeat the run."
	case a.Server < a.Client:
		return "The schema's routines may roll back without reporting it: run with client_sql=true, or build the schema with Sledge."
	}
	return "Another program may have worked on the schema: stop it, and repeat the run."
}
