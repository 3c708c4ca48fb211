package job

import "fmt"

// Ledger is the outcome of the audit of a run. The audit searches the database for every
// transaction that the server acknowledged as committed, and for those in doubt, whose connection
// was lost before the server answered. It runs after the last user has ended.
type Ledger struct {
	Account
	Kinds    []Account `json:"kinds"`              // for each kind of transaction that writes
	Examples []string  `json:"examples,omitempty"` // the first missing or repeated ones, in words
	Seconds  float64   `json:"seconds"`            // duration of the audit
}

// Account counts the transactions of one kind, or of all. Acknowledged = Found + Missing + Unproven
// + those of Twice that share an order number.
type Account struct {
	Kind         string `json:"kind,omitempty"` // "" for all
	Acknowledged int64  `json:"acknowledged"`
	Found        int64  `json:"found"`              // acknowledged, and in the database
	Missing      int64  `json:"missing"`            // acknowledged, and not in the database
	Twice        int64  `json:"twice"`              // in the database twice without a retry, or acknowledged twice with one order number
	Unproven     int64  `json:"unproven,omitempty"` // acknowledged, and of a kind that may leave no trace
	InDoubt      int64  `json:"in_doubt"`
	InDoubtFound int64  `json:"in_doubt_found"` // in doubt, and in the database
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

// Holds reports whether every acknowledged transaction is in the database, and none is in it twice.
func (a Account) Holds() bool { return a.Missing == 0 && a.Twice == 0 }

// Broken describes the failure of an account that does not hold.
func (a Account) Broken() string {
	return fmt.Sprintf("of %d acknowledged transactions, %d are missing in the database, and %d appear twice", a.Acknowledged, a.Missing, a.Twice)
}
