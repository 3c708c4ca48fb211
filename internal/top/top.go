// Package top keeps what a server did in the last five minutes, second by second, and divides it by
// class, wait, statement and session. It records readings in files and reads them again. It neither asks servers nor
// draws.
package top

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
	"unique"

	"sledge/internal/database"
	"sledge/internal/job"
)

// Reading is what a server did in a second.
type Reading struct {
	At     time.Time `json:"at"` // the end of the second, by the clock of Sledge's machine
	Server Server    `json:"server"`

	Samples int    `json:"samples"`          // of the active sessions; 0 is a gap
	Missed  int    `json:"missed,omitempty"` // samples that could not be taken
	Gap     string `json:"gap,omitempty"`    // why a sample could not be taken

	// Shares count the sampled sessions that did the same, the greatest first. Divided by Samples, each is
	// a mean number of sessions. Rest is the number of those in shares that are not listed.
	Shares []job.ActivityShare `json:"shares,omitempty"`
	Rest   int64               `json:"rest,omitempty"`

	// Sessions are those of the last sample, and the holders of locks for which they wait. Unlisted is the
	// number of those that are left out because there are too many.
	Sessions []Session `json:"sessions,omitempty"`
	Unlisted int       `json:"unlisted,omitempty"`

	Connected *Connected `json:"connected,omitempty"` // nil if it is not known
	Locks     []Lock     `json:"locks,omitempty"`

	// Statements are from the server's own statistics, of the time since the reading before that has them.
	Statements *job.Statements `json:"statements,omitempty"`

	CPUs int          `json:"cpus,omitempty"` // of the server's machine; 0 if unknown
	Host []job.Sample `json:"host,omitempty"` // of the server's machine

	Missing map[Part]string `json:"missing,omitempty"` // why parts are not measured, or not completely

	classes map[database.WaitClass]int64 // Shares of clients by class, and Rest; nil until a History has the reading
}

// Part is a part of a reading.
type Part string

// The parts that may be missing.
const (
	PartSessions   Part = "sessions"
	PartLocks      Part = "locks"
	PartStatements Part = "statements"
	PartHost       Part = "host"
)

// Server says which server a reading is of.
type Server struct {
	Title   string `json:"title"`          // "PostgreSQL"
	Version string `json:"version"`        // in the server's words
	Target  string `json:"target"`         // "tpcc on db1:5432"
	Host    string `json:"host,omitempty"` // the machine that Host is about: "this machine", or the name of an agent
}

// Connected is the number of clients' sessions, with those that are idle, and their maximum.
type Connected struct {
	Now  int64 `json:"now"`
	Most int64 `json:"most"`
}

// Session is a session at the end of a second. What the server does not know or does not show is missing.
type Session struct {
	ID         string             `json:"id"`
	Background bool               `json:"background,omitempty"` // a process of the server's own
	Idle       bool               `json:"idle,omitempty"`       // it is listed because others wait for it
	User       string             `json:"user,omitempty"`
	Program    string             `json:"program,omitempty"`
	Database   string             `json:"database,omitempty"`
	Client     string             `json:"client,omitempty"`
	State      string             `json:"state,omitempty"`
	Class      database.WaitClass `json:"class,omitempty"`
	Wait       string             `json:"wait,omitempty"`
	Statement  string             `json:"statement,omitempty"`
	Seconds    *float64           `json:"seconds,omitempty"` // for which it has done that
}

// Lock is the wait of a session for another one.
type Lock struct {
	Waiter  string   `json:"waiter"`
	Holder  string   `json:"holder"`
	Object  string   `json:"object,omitempty"`
	Seconds *float64 `json:"seconds,omitempty"` // for which it has waited
}

// The limits of a reading, which keep the memory of five minutes below 100 MB.
const (
	mostSessions   = 1000
	mostShares     = 300
	mostLocks      = 2000
	mostSamples    = 1000
	mostStatements = 50
	longestText    = 400 // bytes
)

// bound cuts a reading to its limits, and makes its texts safe for terminals.
func (r *Reading) bound() {
	r.Samples = max(0, r.Samples)
	if more := len(r.Sessions) - mostSessions; more > 0 {
		r.Sessions, r.Unlisted = r.Sessions[:mostSessions], r.Unlisted+more
	}
	if len(r.Shares) > mostShares {
		for _, s := range r.Shares[mostShares:] {
			r.Rest += s.Sessions
		}
		r.Shares = r.Shares[:mostShares]
	}
	r.Locks = r.Locks[:min(len(r.Locks), mostLocks)]
	r.Host = r.Host[:min(len(r.Host), mostSamples)]
	for _, text := range []*string{&r.Gap, &r.Server.Title, &r.Server.Version, &r.Server.Target, &r.Server.Host} {
		*text = Safe(*text)
	}
	for i := range r.Shares {
		s := &r.Shares[i]
		for _, text := range []*string{&s.Class, &s.Wait, &s.Background, &s.Program, &s.Transaction, &s.Statement, &s.Inner, &s.Blocker} {
			*text = Safe(*text)
		}
	}
	for i := range r.Sessions {
		s := &r.Sessions[i]
		for _, text := range []*string{&s.ID, &s.User, &s.Program, &s.Database, &s.Client, &s.State, &s.Wait, &s.Statement} {
			*text = Safe(*text)
		}
		s.Class = database.WaitClass(Safe(string(s.Class)))
	}
	for i := range r.Locks {
		for _, text := range []*string{&r.Locks[i].Waiter, &r.Locks[i].Holder, &r.Locks[i].Object} {
			*text = Safe(*text)
		}
	}
	if r.Statements != nil {
		r.Statements.Top = r.Statements.Top[:min(len(r.Statements.Top), mostStatements)]
		for i := range r.Statements.Top {
			r.Statements.Top[i].Text = Safe(r.Statements.Top[i].Text)
		}
	}
	for i := range r.Host {
		r.Host[i].Name, r.Host[i].Unit = Safe(r.Host[i].Name), Safe(r.Host[i].Unit)
		for name, value := range r.Host[i].Labels {
			r.Host[i].Labels[name] = Safe(value)
		}
	}
	for part, why := range r.Missing {
		r.Missing[part] = Safe(why)
	}
}

// Safe returns a text in one line of at most 400 bytes, without what would disturb a terminal: control
// characters, changes of the direction of writing, combining characters. Equal texts share memory.
func Safe(text string) string {
	switch {
	case text == "":
		return ""
	case !plain(text):
		text = strings.Map(func(r rune) rune {
			switch {
			case unicode.IsSpace(r):
				return ' '
			case unicode.In(r, unicode.Mn, unicode.Me):
				return -1
			case !unicode.IsPrint(r):
				return utf8.RuneError
			}
			return r
		}, text[:min(len(text), 2*longestText)])
		if len(text) > longestText {
			cut := longestText - len("…")
			for cut > 0 && !utf8.RuneStart(text[cut]) {
				cut--
			}
			text = text[:cut] + "…"
		}
	}
	return unique.Make(text).Value()
}

// plain reports whether a text is short and has only printable characters of ASCII.
func plain(text string) bool {
	if len(text) > longestText {
		return false
	}
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// Active returns the mean number of active sessions of clients with a class; "" means all classes. It
// returns false if the reading is a gap.
func (r Reading) Active(class database.WaitClass) (float64, bool) {
	if r.Samples == 0 {
		return 0, false
	}
	var n int64
	if class == "" {
		n = r.Rest
	}
	for _, s := range r.Shares {
		if s.Background == "" && (class == "" || s.Class == string(class)) {
			n += s.Sessions
		}
	}
	return float64(n) / float64(r.Samples), true
}

// CPU returns how much of the CPU time of the server's machine was used, in percent. It returns false if
// that was not measured.
func (r Reading) CPU() (used float64, measured bool) {
	for _, s := range r.Host {
		if s.Name == "CPU" && s.Unit == "%" && s.Labels["mode"] != "waiting for disks" {
			used, measured = used+s.Value, true
		}
	}
	return used, measured
}
