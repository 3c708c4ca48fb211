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

	Error string `json:"error,omitempty"` // why the samples ended before the measured time was over
}

// ActivityShare counts sampled sessions that did the same.
type ActivityShare struct {
	Sessions   int64  `json:"sessions"`
	Class      string `json:"class"`                // "cpu", "lock", "log": the same for each database
	Wait       string `json:"wait,omitempty"`       // by the server's name; missing if the sessions computed
	Background string `json:"background,omitempty"` // the kind of the server's own process; missing for a client's session
	Statement  string `json:"statement,omitempty"`  // without its values; missing if it is hidden from the user
}

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
