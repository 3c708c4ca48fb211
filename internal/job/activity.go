package job

// Activity is what the active sessions of the server did in the measured time of a run, by samples.
type Activity struct {
	Samples int `json:"samples"`          // number of samples
	Missed  int `json:"missed,omitempty"` // samples that were not taken because the server answered late

	// Shares are the numbers of sampled sessions, the greatest first. Divided by the samples, each is
	// the mean number of sessions that were active like this. Rest is the number of sessions in shares
	// that are too small to be listed.
	Shares []ActivityShare `json:"shares"`
	Rest   int64           `json:"rest,omitempty"`

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
	Statement  string `json:"statement,omitempty"`  // without its values; missing if it is hidden from the user

	Transaction string `json:"transaction,omitempty"` // its kind; missing if there was none, or if it is not known
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
