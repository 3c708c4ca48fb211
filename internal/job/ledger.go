package job

import "fmt"

// Ledger says what became of the transactions that the server acknowledged as committed,
// and of those that are in doubt, since their connection was lost before it answered. An
// audit has looked for them in the database when the last user had ended.
type Ledger struct {
	Account
	Kinds    []Account `json:"kinds"`              // of each kind of transaction that writes
	Examples []string  `json:"examples,omitempty"` // the first that are missing or appear twice, in words
	Seconds  float64   `json:"seconds"`            // that the audit took
}

// Account counts the transactions of a kind, or of all. Acknowledged = Found + Missing +
// those of Twice that share an order number + Unproven.
type Account struct {
	Kind         string `json:"kind,omitempty"` // "" for all
	Acknowledged int64  `json:"acknowledged"`
	Found        int64  `json:"found"`              // of them, in the database
	Missing      int64  `json:"missing"`            // acknowledged, and not in the database
	Twice        int64  `json:"twice"`              // in the database without a retry of ours, or acknowledged like another commit
	Unproven     int64  `json:"unproven,omitempty"` // acknowledged, and of a kind that may leave nothing to find
	InDoubt      int64  `json:"in_doubt"`
	InDoubtFound int64  `json:"in_doubt_found"` // of those in doubt, in the database
}

// Add adds another account to this one.
func (a *Account) Add(other Account) {
	a.Acknowledged += other.Acknowledged
	a.Found += other.Found
	a.Missing += other.Missing
	a.Twice += other.Twice
	a.Unproven += other.Unproven
	a.InDoubt += other.InDoubt
	a.InDoubtFound += other.InDoubtFound
}

// Holds reports whether all is there that was acknowledged, and nothing twice.
func (a Account) Holds() bool { return a.Missing == 0 && a.Twice == 0 }

// Broken says what is wrong; it is for an account that does not hold.
func (a Account) Broken() string {
	return fmt.Sprintf("of %d acknowledged transactions %d are missing in the database, and %d appear twice", a.Acknowledged, a.Missing, a.Twice)
}
