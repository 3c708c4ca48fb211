package job

import (
	"cmp"
	"slices"
)

// Activity is what the active sessions of the server did in the measured time of a run, by samples.
type Activity struct {
	Samples int `json:"samples"`          // number of samples
	Missed  int `json:"missed,omitempty"` // samples that were not taken because the server answered late

	// Coarse says what the samples do not tell, and why. It is missing if they tell all that a server can.
	Coarse string `json:"coarse,omitempty"`

	// Shares are the numbers of sampled sessions, the greatest first. Divided by the samples, each is
	// the mean number of sessions that were active like this. They are those of FoldShares.
	Shares []ActivityShare `json:"shares"`

	// Joined says for how many sessions of clients the transaction is known, and Transactions where the
	// time of the transactions of each kind went; nil if sessions cannot be joined with transactions.
	Joined       *Joined     `json:"joined,omitempty"`
	Transactions []TimeSplit `json:"transactions,omitempty"`

	Error string `json:"error,omitempty"` // why the samples ended before the measured time was over
}

// ActivityShare counts sampled sessions that did the same.
type ActivityShare struct {
	Sessions   int64  `json:"sessions"`
	Class      string `json:"class"`                // "cpu", "lock", "log": the same for each database
	Wait       string `json:"wait,omitempty"`       // by the server's name; missing if the sessions computed
	Background string `json:"background,omitempty"` // the kind of the server's own process; missing for a client's session
	Program    string `json:"program,omitempty"`    // of a session that belongs to no virtual user; missing if that is not known
	Statement  string `json:"statement,omitempty"`  // of the client, without its values; missing if it is hidden from the user
	Inner      string `json:"inner,omitempty"`      // the statement that its routine executed; missing if there was none, or if it is not known
	Blocker    string `json:"blocker,omitempty"`    // what holds the lock: a kind of transaction, or a session of another program; missing if that is not known

	Transaction string `json:"transaction,omitempty"` // its kind; missing if there was none, or if it is not known
}

// ActivitySecond is what the active sessions of the server did in a second of a run, by samples.
type ActivitySecond struct {
	Samples int `json:"samples"`          // number of samples; without any, the second is a gap
	Missed  int `json:"missed,omitempty"` // samples that were not taken because the server answered late

	Shares []ActivityShare `json:"shares"` // those of FoldShares
}

// OtherTexts stands for the statements and the programs of sessions that are too few to be listed.
const OtherTexts = "others"

// FoldShares returns the shares of sessions by what they did, the greatest first. The keys of the map count no
// sessions. FoldShares adds up the shares after the first most without their texts, so that the sums by class and
// transaction are those of all sessions.
func FoldShares(sessions map[ActivityShare]int64, most int) []ActivityShare {
	shares := sortedShares(sessions)
	if len(shares) <= most {
		return shares
	}
	few := make(map[ActivityShare]int64, most)
	for i, s := range shares {
		if s = s.Key(); i >= most {
			s = s.Folded()
		}
		few[s] += shares[i].Sessions
	}
	return sortedShares(few)
}

// Key returns what the sessions did, without their number.
func (s ActivityShare) Key() ActivityShare {
	s.Sessions = 0
	return s
}

// Folded returns what the sessions did, without their number and their texts.
func (s ActivityShare) Folded() ActivityShare {
	f := ActivityShare{Class: s.Class, Transaction: s.Transaction, Statement: OtherTexts}
	switch {
	case s.Background != "":
		f.Background, f.Statement = OtherTexts, ""
	case s.Program != "":
		f.Program = OtherTexts
	}
	return f
}

func sortedShares(sessions map[ActivityShare]int64) []ActivityShare {
	shares := make([]ActivityShare, 0, len(sessions))
	for s, n := range sessions {
		s.Sessions = n
		shares = append(shares, s)
	}
	slices.SortFunc(shares, func(a, b ActivityShare) int {
		return cmp.Or(
			cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Wait, b.Wait), cmp.Compare(a.Background, b.Background),
			cmp.Compare(a.Statement, b.Statement), cmp.Compare(a.Transaction, b.Transaction), cmp.Compare(a.Program, b.Program),
			cmp.Compare(a.Inner, b.Inner), cmp.Compare(a.Blocker, b.Blocker),
		)
	})
	return shares
}

// Joined counts sampled sessions of clients by how well their transactions are known.
type Joined struct {
	Certain int64 `json:"certain"`           // one transaction was in flight from the request of the sample to its answer
	Likely  int64 `json:"likely,omitempty"`  // there were several, and the time decides
	None    int64 `json:"none,omitempty"`    // a virtual user's session in no transaction, such as at its log-in
	Foreign int64 `json:"foreign,omitempty"` // sessions of other programs

	// Undivided says why the time of transactions is not divided, although sessions are joined.
	Undivided string `json:"undivided,omitempty"`
}

// TimeSplit says where the time of the transactions of one kind went, by samples. The parts add up to
// the response time.
type TimeSplit struct {
	Kind     string     `json:"kind"`
	Response float64    `json:"response_ms"` // mean of the transactions that were done
	Samples  int64      `json:"samples"`     // transactions in flight in all samples
	Parts    []TimePart `json:"parts"`       // the same for each kind
}

// FewSamples is the number of samples from which on shares of them mean something.
const FewSamples = 30

// TimePart is a part of the mean response time.
type TimePart struct {
	Name         string  `json:"name"` // "start lag", "client", or the class of what the server's session waited for: "cpu"
	Milliseconds float64 `json:"ms"`

	Error *float64 `json:"standard_error_ms,omitempty"` // missing if it is not sampled, if there are few seconds, or if all samples agree
}

// The parts of a response time that are not sampled. PartStartLag is the time from the scheduled start to
// the beginning of the last try; PartClient is the CPU time of Sledge's process for each round trip.
const (
	PartStartLag = "start lag"
	PartClient   = "client"
)

// Mean returns the mean number of active sessions of clients with a class; "" means all classes.
func (a *Activity) Mean(class string) float64 {
	if a == nil || a.Samples == 0 {
		return 0
	}
	var n int64
	for _, s := range a.Shares {
		if s.Background == "" && (class == "" || s.Class == class) {
			n += s.Sessions
		}
	}
	return float64(n) / float64(a.Samples)
}

// ActiveSessions and ActiveBackground name the series of the mean numbers of active sessions, by class.
const (
	ActiveSessions   = "active sessions"
	ActiveBackground = "active background processes"
)
