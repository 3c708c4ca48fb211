package live

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/job"
)

// Update is the state of a job with the additions to its lists since a Mark. It is small, and does
// not grow with the number of virtual users.
type Update struct {
	At          time.Time    `json:"at,omitzero"` // of the newest event
	Axis        time.Time    `json:"axis,omitzero" doc:"Start of the axis of time: when the first measured second began."`
	Phase       *Phase       `json:"phase,omitempty" doc:"The current phase."`
	Phases      []Phase      `json:"phases,omitempty" doc:"The newest phases, at most 480."`
	Markers     []Marker     `json:"markers,omitempty" doc:"Events on the axis of time, such as lost connections and the first failure of each class, for charts."`
	Now         *Now         `json:"now,omitempty" doc:"The measurements of the last second."`
	Part        *Part        `json:"part,omitempty" doc:"The measurements so far of the last second's phase."`
	Failed      []Class      `json:"failed,omitempty" doc:"Failed transactions since the job began, by class, the most frequent first."`
	Failures    []Failure    `json:"failures,omitempty" doc:"The newest examples."`
	Users       []int        `json:"users" doc:"Virtual users by state: waiting, running, succeeded, failed; without the monitor."`
	Working     int          `json:"working,omitempty" doc:"Virtual users at work, in a run in which their number changes."`
	Sessions    int          `json:"sessions,omitempty" doc:"Asynchronous clients that have logged in."`
	Progress    []Progress   `json:"progress,omitempty" doc:"Progress of a build or a check, by steps."`
	UnderWay    []job.Span   `json:"under_way,omitempty" doc:"Transactions in flight, in a run that ends when its work is done."`
	Said        []string     `json:"said,omitempty" doc:"The last lines of the job and its monitor."`
	Request     job.Request  `json:"request,omitempty" doc:"A pending request to stop or abort the job."`
	Metrics     []job.Metric `json:"metrics,omitempty" doc:"What the run has measured, when that is over."`
	ServerDelay float64      `json:"server_delay_seconds,omitempty" doc:"The mean time after which the server counts a transaction: a chart draws the server's rates that much earlier, and the rate of the last second does not belong to the last second."`

	// Lists that grow: the entries here replace the list from a position on.
	Width      int        `json:"width_seconds" doc:"Number of seconds in a point."`
	PointsFrom int        `json:"points_from" doc:"The position from which on these points replace those in the list."`
	Points     []Point    `json:"points,omitempty"`
	SpansFrom  int        `json:"spans_from" doc:"The same position for ended transactions, in a run that ends when its work is done."`
	Spans      []job.Span `json:"spans,omitempty"`
}

// Class counts the transactions that failed with one class of error.
type Class struct {
	Class string `json:"class"`
	Count int64  `json:"count"`
}

// Mark is the position of a watcher.
type Mark struct {
	width, points, spans int
}

// String returns the mark in the form that ParseMark parses.
func (m Mark) String() string { return fmt.Sprintf("%d.%d.%d", m.width, m.points, m.spans) }

// ParseMark reads a mark.
func ParseMark(text string) (m Mark, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return m, errors.New("it is not the id of a message")
	}
	for i, to := range []*int{&m.width, &m.points, &m.spans} {
		if *to, err = strconv.Atoi(parts[i]); err != nil || *to < 0 {
			return Mark{}, errors.New("it is not the id of a message")
		}
	}
	return m, nil
}

// Mark returns the mark of a watcher that has read everything.
func (v *View) Mark() Mark { return Mark{v.fold.width, len(v.fold.points), len(v.spans.ended)} }

// Changes returns a number that grows with each change.
func (v *View) Changes() int { return v.pushed }

// Since returns the state of the job, with the additions since a mark. They include the last point
// before the mark, which may have changed. The zero Mark selects everything. An error means that
// measurements cannot be read.
func (v *View) Since(m Mark) (Update, error) {
	now, err := v.Now()
	if err != nil {
		return Update{}, err
	}
	u := Update{
		At: v.at.UTC(), Axis: v.phases.begin.UTC(), Phases: slices.Clone(v.phases.list), Markers: v.marks.since(v.phases.begin), Now: now, Part: v.Part(), Failures: slices.Clone(v.failures.newest),
		Users: v.users.counts(), Working: v.working, Sessions: v.sessions, Said: slices.Clone(v.said), Request: v.request, Metrics: v.metrics,
		Width: v.fold.width, ServerDelay: v.job.CountDelay.Seconds(),
	}
	if v.phases.begin.IsZero() {
		u.Axis = time.Time{}
	}
	if v.phases.now != nil {
		phase := *v.phases.now
		u.Phase = &phase
	}
	for class, n := range v.failures.byClass {
		u.Failed = append(u.Failed, Class{class, n})
	}
	slices.SortFunc(u.Failed, func(a, b Class) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class)) })
	u.Progress = v.steps.Shown()
	for _, s := range v.spans.inFlight {
		u.UnderWay = append(u.UnderWay, s)
	}
	slices.SortFunc(u.UnderWay, func(a, b job.Span) int { return a.User - b.User })
	if m.width == v.fold.width && m.points <= len(v.fold.points) {
		u.PointsFrom = max(0, m.points-1)
	}
	for _, k := range v.fold.points[u.PointsFrom:] {
		if err := v.fold.spell(k); err != nil {
			return Update{}, err
		}
		p, _ := v.pointOf(k)
		u.Points = append(u.Points, p)
	}
	u.SpansFrom = min(m.spans, len(v.spans.ended))
	u.Spans = slices.Clone(v.spans.ended[u.SpansFrom:])
	return u, nil
}
