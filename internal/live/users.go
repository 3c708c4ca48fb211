package live

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/job"
)

// State is the state of a virtual user.
type State string

// The states, in the order of lists.
const (
	Waiting   State = "waiting" // it has not begun
	Working   State = "running"
	Succeeded State = "succeeded"
	Failed    State = "failed"
)

// States lists all states.
var States = []State{Waiting, Working, Succeeded, Failed}

// lastLines is the number of lines kept per virtual user, and longestLine the maximum length of a
// line in bytes. 10,000 users take at most 10 MB.
const (
	lastLines   = 5
	longestLine = 200
)

// mostUsers exceeds the number of users of any job.
const mostUsers = 1 << 17

// users are the virtual users of a job, by position.
type users struct {
	list      []user
	count     [4]int // by state
	monitored bool   // the first user is the monitor
}

type user struct {
	state int
	since time.Time
	lines []string
}

// reach makes room for n users.
func (u *users) reach(n int) {
	n = min(n, mostUsers)
	if more := n - len(u.list); more > 0 {
		u.list = append(u.list, make([]user, more)...)
		u.count[0] += more
	}
}

// at returns the virtual user at a position, or nil if the position is invalid.
func (u *users) at(position int) *user {
	if position < 1 || position > mostUsers {
		return nil
	}
	u.reach(position)
	return &u.list[position-1]
}

func (u *users) state(position int, is job.UserState, at time.Time) {
	one := u.at(position)
	if one == nil {
		return
	}
	u.count[one.state]--
	one.state = max(0, slices.Index(States, State(is)))
	u.count[one.state]++
	one.since = at
}

func (u *users) say(position int, text string) {
	one := u.at(position)
	if one == nil {
		return
	}
	one.lines = append(one.lines, job.Cut(text, longestLine))
	if len(one.lines) > lastLines {
		one.lines = slices.Delete(one.lines, 0, 1)
	}
}

// counts returns the number of users in each state, without the monitor.
func (u *users) counts() []int {
	counts := slices.Clone(u.count[:])
	if u.monitored && len(u.list) >= job.Monitor {
		counts[u.list[job.Monitor-1].state]--
	}
	return counts
}

// User is a virtual user.
type User struct {
	User    int       `json:"user"` // its position, from 1 on
	Monitor bool      `json:"monitor,omitempty"`
	State   State     `json:"state" enum:"waiting,running,succeeded,failed"`
	Since   time.Time `json:"since,omitzero"` // when it entered that state
	Lines   []string  `json:"lines" doc:"Its last lines, the newest last."`
}

// Some is a selection of the virtual users of a job.
type Some struct {
	Total    int    `json:"total" doc:"Virtual users of the job, its monitor among them."`
	Matching int    `json:"matching" doc:"The selected virtual users."`
	Counts   []int  `json:"counts" doc:"Virtual users by state: waiting, running, succeeded, failed; without the monitor."`
	Users    []User `json:"users"`
}

// Ask selects virtual users.
type Ask struct {
	State State  // "" for any
	Text  string // a prefix of their number, or a part of one of their lines; "" for any
	From  int    // number of users to skip
	Most  int    // maximum number of users to return
}

// Users returns the selected virtual users.
func (v *View) Users(ask Ask) Some {
	u := &v.users
	some := Some{Total: len(u.list), Counts: u.counts(), Users: []User{}}
	text := strings.ToLower(strings.TrimSpace(ask.Text))
	for i := range u.list {
		one := &u.list[i]
		if ask.State != "" && States[one.state] != ask.State || text != "" && !one.has(i+1, text) {
			continue
		}
		if some.Matching++; some.Matching > ask.From && len(some.Users) < ask.Most {
			some.Users = append(some.Users, User{
				User: i + 1, Monitor: u.monitored && i+1 == job.Monitor, State: States[one.state], Since: one.since.UTC(),
				Lines: append([]string{}, one.lines...),
			})
		}
	}
	return some
}

// has reports whether the user's displayed text contains lower-case text.
func (u *user) has(position int, text string) bool {
	if strings.HasPrefix(strconv.Itoa(position), text) {
		return true
	}
	return slices.ContainsFunc(u.lines, func(line string) bool { return strings.Contains(strings.ToLower(line), text) })
}
