package live

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"sledge/internal/job"
)

// Marker is an event on the axis of time of a run, such as a lost connection. Charts mark it. Phases
// have a list of their own.
type Marker struct {
	Seconds float64    `json:"at_seconds"` // on the axis of time
	Kind    MarkerKind `json:"kind"`
	Text    string     `json:"text"`
}

// MarkerKind says what a marker is about.
type MarkerKind string

// The kinds of markers.
const (
	MarkMessage  MarkerKind = "message"  // a message of the run: a connection was lost, a stall was noticed, all connections are open again
	MarkFailures MarkerKind = "failures" // the first failure of a class
	MarkUsers    MarkerKind = "users"    // the number of users that work changes
	MarkTrouble  MarkerKind = "trouble"  // a virtual user, or the run, cannot continue
	MarkRequest  MarkerKind = "request"  // a user asks to stop or to abort the run

	MarkBackground MarkerKind = "background" // the server begins or ends work of its own, such as a checkpoint, or changes the plan of a statement
)

const (
	// mostMarkers limits the markers of each kind, because a chart with more is unreadable. The first
	// ones stay, so that a run in which everything fails later still shows how that began.
	mostMarkers = 40

	// longestMarker limits their texts in bytes, because each update has all of them. The output of
	// the job has the whole texts.
	longestMarker = 240
)

// markers are the events of a run that charts mark.
type markers struct {
	list    []marked
	byKind  map[MarkerKind]int
	classes map[string]bool // the classes of failures so far
}

// marked is a marker whose place on the axis may not be known yet.
type marked struct {
	Marker
	at time.Time
}

// add adds an event, if charts mark it.
func (m *markers) add(e job.Event) {
	switch {
	case e.Failure != nil:
		if m.classes[e.Failure.Class] {
			return
		}
		if m.classes == nil {
			m.classes = map[string]bool{}
		}
		m.classes[e.Failure.Class] = true
		m.mark(e.At, MarkFailures, "The first failure by "+e.Failure.Class+": "+e.Failure.Message)
	case e.Message != "" && e.User <= job.Monitor:
		m.mark(e.At, MarkMessage, e.Message)
	case e.Trouble != nil && e.User <= job.Monitor:
		m.mark(e.At, MarkTrouble, e.Trouble.Error)
	case e.Trouble != nil:
		m.mark(e.At, MarkTrouble, fmt.Sprintf("Virtual user %d cannot continue: %s", e.User, e.Trouble.Error))
	case e.Request != "":
		m.mark(e.At, MarkRequest, requested[e.Request])
	case e.Background != "":
		m.mark(e.At, MarkBackground, e.Background)
	case e.Step != nil && e.Step.Name == job.StepUsers:
		m.mark(e.At, MarkUsers, fmt.Sprintf("Virtual users at work from now on: %d", e.Step.Users))
	}
}

// requested are the texts of requests.
var requested = map[job.Request]string{
	job.StopRequest:  "The run is asked to stop",
	job.AbortRequest: "The run is aborted",
}

func (m *markers) mark(at time.Time, kind MarkerKind, text string) {
	if m.byKind[kind] == mostMarkers {
		return
	}
	if m.byKind == nil {
		m.byKind = map[MarkerKind]int{}
	}
	m.byKind[kind]++
	m.list = append(m.list, marked{Marker{Kind: kind, Text: job.Cut(text, longestMarker)}, at})
}

// since returns the markers from the beginning of the axis on, in order of time.
func (m *markers) since(begin time.Time) (list []Marker) {
	if begin.IsZero() {
		return nil
	}
	for _, one := range m.list {
		if at := one.at.Sub(begin); at >= 0 {
			one.Seconds = math.Round(at.Seconds()*1000) / 1000
			list = append(list, one.Marker)
		}
	}
	slices.SortStableFunc(list, func(a, b Marker) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return list
}
