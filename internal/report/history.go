package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sledge/internal/job"
	"sledge/internal/statistics"
	"sledge/internal/terminal"
)

// HistorySchema names the format of History, as Schema does for Document.
const HistorySchema = "sledge-history-1"

// History shows a figure of the runs of one set-up over time, and where its level changed.
type History struct {
	Schema string `json:"schema"` // always HistorySchema
	Name   string `json:"name"`   // of the runs, as the user named them: "suite=nightly"

	Figure string `json:"figure"`         // "NOPM"
	Kind   string `json:"kind,omitempty"` // kind of transaction; missing for all kinds together
	Unit   string `json:"unit,omitempty"` // as in SharedFigure
	Lower  bool   `json:"lower_is_better,omitempty"`

	Runs   []HistoryRun   `json:"runs"`   // the oldest first
	Levels []HistoryLevel `json:"levels"` // in order; each but the first begins with a change
	Left   []LeftOut      `json:"left_out,omitempty"`

	// Open is the number of the newest runs that differ from the last level, but are too few to show
	// that they are another one.
	Open int `json:"open,omitempty"`

	Caveats []string `json:"caveats,omitempty"`
}

// HistoryRun is the figure of a run.
type HistoryRun struct {
	ID    job.ID    `json:"id"`
	Begun time.Time `json:"begun"`
	Value float64   `json:"value"`
}

// HistoryLevel is a part of a history in which the figure has one level.
type HistoryLevel struct {
	First job.ID    `json:"first"` // run
	Begun time.Time `json:"begun"` // of that run
	Runs  int       `json:"runs"`
	Mean  float64   `json:"mean"`

	// The rest is missing in the first level. Change is the difference from the mean of the level
	// before, in percent; P the probability of such a difference between runs of one level;
	// Differences are those between the first run and the one before it.
	Change      *float64     `json:"change_percent,omitempty"`
	P           *float64     `json:"p,omitempty"`
	Worse       bool         `json:"worse,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
}

// enoughAfter is the number of runs from which on a new level is reported.
const enoughAfter = 3

// HistoryTest says which figure of a history to look at, and which changes count.
type HistoryTest struct {
	Figure string  // its name, after its kind if it has one: "response p99", "new order: response p99"; "" for the headline
	Least  float64 // changes by less than this factor above 1 are left out
}

// NewHistory makes the history of measured runs, the oldest first. Runs without valid figures are
// left out. unset returns the value of an option that a run did not set.
func NewHistory(name string, runs []Measured, test HistoryTest, unset func(j job.Job, option string) string) (History, error) {
	h := History{Schema: HistorySchema, Name: name, Runs: []HistoryRun{}, Levels: []HistoryLevel{}}
	var valid []Measured
	for _, r := range runs {
		switch {
		case !r.Job.Status.Valid():
			h.Left = append(h.Left, LeftOut{r.Job.ID, "it is " + string(r.Job.Status)})
		case len(r.Job.Result.Metrics) == 0:
			h.Left = append(h.Left, LeftOut{r.Job.ID, "it has no figures"})
		default:
			valid = append(valid, r)
		}
	}
	if len(valid) == 0 {
		return h, job.WithExit(job.ExitMissing, fmt.Errorf("%s has no valid run (sledge jobs lists the runs with their status)", name))
	}
	shared := Compare(valid, unset).Figures
	title := func(f SharedFigure) string { return SetupFigure{Name: f.Name, Kind: f.Kind}.title() }
	wanted := cmp.Or(test.Figure, valid[len(valid)-1].Job.Result.Metrics[0].Name)
	at := slices.IndexFunc(shared, func(f SharedFigure) bool { return title(f) == wanted })
	if at < 0 {
		return h, job.WithExit(job.ExitUsage, fmt.Errorf("--figure: the runs have no figure %q: sledge compare lists those of two set-ups", wanted))
	}
	f := shared[at]
	h.Figure, h.Kind, h.Unit, h.Lower = f.Name, f.Kind, f.Unit, lowerIsBetter(f)
	var kept []job.Job
	var series []float64
	for i, r := range valid {
		value := f.Values[i]
		if value == nil {
			h.Left = append(h.Left, LeftOut{r.Job.ID, "it has no " + wanted})
			continue
		}
		kept, series = append(kept, r.Job), append(series, *value)
		h.Runs = append(h.Runs, HistoryRun{ID: r.Job.ID, Begun: r.Job.Begun.UTC(), Value: *value})
	}
	h.findLevels(series, test.Least)
	for i := range h.Levels[1:] {
		level := &h.Levels[i+1]
		first := slices.IndexFunc(kept, func(j job.Job) bool { return j.ID == level.First })
		level.Differences = differences([][]job.Job{{kept[first-1]}, {kept[first]}}, unset)
	}
	users := distinct(texts(kept, func(j job.Job) string { return count(int64(Users(j))) }))
	if len(users) > 1 {
		h.Caveats = append(h.Caveats, fmt.Sprintf("The runs have different numbers of virtual users (%s), which change figures, too. Name runs of one set-up, for example by one of their IDs.", strings.Join(users, ", ")))
	}
	return h, nil
}

// texts returns a text for each job.
func texts(jobs []job.Job, of func(job.Job) string) []string {
	list := make([]string, len(jobs))
	for i, j := range jobs {
		list[i] = of(j)
	}
	return list
}

// findLevels divides the runs into levels.
func (h *History) findLevels(series []float64, least float64) {
	points := statistics.FindChangePoints(series, least)
	if n := len(points); n > 0 && len(series)-points[n-1].Index < enoughAfter {
		h.Open = len(series) - points[n-1].Index
		points = statistics.FindChangePoints(series[:points[n-1].Index], least)
	}
	add := func(from, to int) *HistoryLevel {
		sum := 0.0
		for _, v := range series[from:to] {
			sum += v
		}
		h.Levels = append(h.Levels, HistoryLevel{First: h.Runs[from].ID, Begun: h.Runs[from].Begun, Runs: to - from, Mean: sum / float64(to-from)})
		return &h.Levels[len(h.Levels)-1]
	}
	end := len(series) - h.Open
	for i := range len(points) + 1 {
		from, to := 0, end
		if i > 0 {
			from = points[i-1].Index
		}
		if i < len(points) {
			to = points[i].Index
		}
		level := add(from, to)
		if i > 0 {
			p, change := points[i-1].P, 100*(points[i-1].Ratio()-1)
			level.P, level.Change, level.Worse = &p, &change, (change > 0) == h.Lower
		}
	}
}

// Changed returns an error with exit code 1 if the figure became worse within the newest runs.
func (h History) Changed(newest int) error {
	last := h.Levels[len(h.Levels)-1]
	if !last.Worse || last.Runs+h.Open > newest {
		return nil
	}
	return job.WithExit(job.ExitError, fmt.Errorf("history: %s became worse by %s with run %s", h.title(), size(*last.Change), ShortID(string(last.First))))
}

// size formats the size of a change in percent.
func size(change float64) string { return strings.TrimLeft(fmt.Sprintf("%+.3g %%", change), "+-") }

func (h History) title() string { return SetupFigure{Name: h.Figure, Kind: h.Kind}.title() }

// Text writes the history for people.
func (h History) Text(w io.Writer, v View) error {
	b := page{View: v}
	h.whole(&b)
	return b.write(w)
}

// Markdown writes the history for a text in Markdown.
func (h History) Markdown(w io.Writer) error {
	b := page{drawn: true}
	h.whole(&b)
	return b.markdown(w)
}

// Sheet makes the sheet of the history for a page in a browser.
func (h History) Sheet() Sheet {
	b := beside()
	h.whole(&b)
	return b.sheet
}

func (h History) whole(b *page) {
	h.outcome(b)
	for _, caveat := range h.Caveats {
		b.say(b.Look.Doubtful, "! %s", Printable(caveat))
	}
	if n := len(h.Left); n > 0 {
		b.say(b.Look.Doubtful, "! %s left out: %s", countRuns(n), Printable(whyLeft(h.Left)))
	}
	b.title("Levels", "means of the runs between two changes")
	t := terminal.Table{Columns: []terminal.Column{{Head: "  from", Left: true}, {Head: "run", Left: true}, {Head: "runs"}, {Head: h.column()}, {Head: "change"}, {Head: "p", Rank: 2}, {Head: "what changed with it", Left: true, Wrapped: true}}}
	for _, l := range h.Levels {
		change, p, what := "", "", ""
		if l.Change != nil {
			change, p, what = fmt.Sprintf("%+.3g %%", *l.Change), fmt.Sprintf("%.2g", *l.P), whatChanged(l.Differences)
		}
		t.Row("  "+l.Begun.Format(time.DateTime), ShortID(string(l.First)), count(int64(l.Runs)), figured(&l.Mean), change, p, Printable(what))
	}
	b.lay(t)
}

// column names the figure with its unit.
func (h History) column() string {
	if h.Unit == "" {
		return Printable(h.title())
	}
	return Printable(h.title() + ", " + h.Unit)
}

// outcome says how often the figure changed, and how the newest runs compare.
func (h History) outcome(b *page) {
	last := h.Levels[len(h.Levels)-1]
	since := h.Runs[0].Begun.Format(time.DateOnly)
	if last.Change == nil {
		b.say(b.Look.Good, "%s has not changed in %s since %s.", Printable(h.title()), countRuns(len(h.Runs)), since)
	} else {
		look, word := b.Look.Good, "better"
		if last.Worse {
			look, word = b.Look.Bad, "worse"
		}
		b.say(look, "%s is %s by %s since run %s of %s.", Printable(h.title()), word, size(*last.Change), ShortID(string(last.First)), last.Begun.Format(time.DateOnly))
		b.say(plain, "It changed %s in %s since %s.", times(len(h.Levels)-1), countRuns(len(h.Runs)), since)
	}
	switch {
	case h.Open == 1:
		b.say(b.Look.Doubtful, "! The newest run differs from those before it: two more will show whether the level has changed.")
	case h.Open > 1:
		b.say(b.Look.Doubtful, "! The newest %d runs differ from those before them: one more will show whether the level has changed.", h.Open)
	}
	if n := len(h.Runs); n < leastHistory {
		b.say(b.Look.Doubtful, "! %s are few: small changes show in ten or more.", countRuns(n))
	}
}

// leastHistory is the number of runs from which on a history says much.
const leastHistory = 10

// times formats a number of times.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return count(int64(n)) + " times"
}

// whatChanged lists the differences between a run and the one before it.
func whatChanged(list []Difference) string {
	if len(list) == 0 {
		return "nothing that Sledge knows"
	}
	var parts []string
	for _, d := range list {
		parts = append(parts, fmt.Sprintf("%s %s → %s", d.Name, cmp.Or(d.Values[0], "unknown"), cmp.Or(d.Values[1], "unknown")))
	}
	return strings.Join(parts, "; ")
}
