package display

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/dustin/go-humanize"

	"sledge/internal/engine/load"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/terminal"
)

// Display is a job.Watcher that shows a job's progress. It prints to err, so that a script can
// read the result from out. The exception is HammerDB's headline, which --hammerdb prints to out.
type Display struct {
	out, err io.Writer
	bar      Bar // on a terminal
	look     terminal.Look
	block    *block // of a run on a terminal
	hammerDB bool   // whether the lines of HammerDB's virtual users are shown
	headline bool   // whether its headline is printed to out
	verbose  bool
	scripted bool          // whether messages of users are shown, because their scripts print them
	brief    bool          // whether progress is shown only in the bar, not as lines
	counted  bool          // whether the server counts transactions
	delay    time.Duration // after which the server counts a transaction
	pacing   load.Pacing
	interval time.Duration
	speaker  *lines.Speaker

	mu      sync.Mutex    // Say may be called from another goroutine
	step    string        // the step whose progress was last shown
	began   time.Time     // when the step began
	shown   time.Time     // when progress was last shown as a line
	whole   bool          // whether the step was shown as complete; the total is an estimate that can be exceeded
	window  meter.Summary // of all kinds together, or of each group
	rates   []float64     // the server's rates in the window
	retried []int64       // since the phase began, as in the window
	failed  []int64       // since the phase began, as in the window

	groups  []job.Group // of a run that has several
	groupOf []int       // the group of each kind of transaction

	spans spanning // of a run of queries

	measured bool // whether the measured phase is over
}

// progressEvery is the shortest time between two lines of progress if there is no bar.
const progressEvery = 5 * time.Second

// chooseInterval returns the time between lines of a run's progress: the requested time, or a sixth
// of the run, from 1 s to 10 s.
func chooseInterval(asked time.Duration, p load.Pacing) time.Duration {
	if asked > 0 {
		return asked
	}
	return min(max(p.Duration/6, time.Second), 10*time.Second).Truncate(time.Second)
}

// Watch implements job.Watcher.
func (d *Display) Watch(e job.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.block != nil {
		d.block.add(e)
	}
	switch {
	case e.Progress != nil:
		d.progress(*e.Progress, e.At)
	case e.Second != nil && d.pacing.Finite:
		d.spans.clock(d, e.Second.Passed())
	case e.Second != nil:
		d.second(*e.Second)
	case e.Answer != nil && !d.hammerDB && !d.verbose && !d.brief:
		d.answer(*e.Answer)
	case e.Span != nil:
		d.spans.span(d, *e.Span)
	case e.Failure != nil:
		d.failure(*e.Failure)
	case e.Request != "":
		d.line(d.err, d.requested(e.Request))
	case e.Headline != nil:
		d.measured = true
	case e.Phase != nil:
		d.phase(e.Phase.Name)
		if e.Phase.Stage != "" && !d.brief && !d.hammerDB && !d.verbose {
			d.line(d.err, e.Phase.Stage)
		}
	case e.Trouble != nil:
		return // the program ends with the error and its message
	case e.Message != "" && (e.User == 0 || e.User == job.Monitor && !d.brief || e.User > 0 && d.scripted) && !d.hammerDB && !d.verbose && !d.pacing.Test:
		d.line(d.err, e.Message)
	case e.Step != nil && e.Step.Name == job.StepUsers && d.block != nil: // the block shows the number of users
	case e.Step != nil && !d.hammerDB && !d.verbose:
		d.work(*e.Step)
	}
	for _, line := range d.speaker.Say(e) {
		d.text(line)
	}
}

// Say prints a line that is not an event of the job.
func (d *Display) Say(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.line(d.err, fmt.Sprintf(format, args...))
}

// End removes the bar.
func (d *Display) End() { d.bar.End() }

// line prints a line above the bar.
func (d *Display) line(w io.Writer, text string) {
	d.bar.Above(func() { fmt.Fprintln(w, report.Printable(text)) })
}

// answer shows a query and its answer.
func (d *Display) answer(a job.Answer) {
	width := 0
	if d.bar.Width != nil {
		width = d.bar.Width()
	}
	for _, line := range report.Answer(a, width) {
		d.line(d.err, line)
	}
}

// text prints a line of HammerDB's virtual users if the flags request it. Scripts parse the lines
// of the monitor.
func (d *Display) text(l lines.Line) {
	said := fmt.Sprintf("Vuser %d:%s", l.User, l.Text)
	if l.User == 0 {
		said = l.Text
	}
	switch {
	case d.hammerDB && l.User == job.Monitor && d.headline && strings.HasPrefix(l.Text, "TEST RESULT"):
		d.line(d.out, said)
	case d.verbose || d.pacing.Test || d.hammerDB && l.User <= job.Monitor && !d.brief:
		d.line(d.err, said)
	}
}

// work prints the steps that take long or that users expect to see.
func (d *Display) work(s job.Step) {
	if d.brief {
		return
	}
	switch s.Name {
	case job.StepDatabase:
		d.line(d.err, fmt.Sprintf("creating the database %s for the user %s", s.Of, s.Owner))
	case job.StepUsers:
		d.line(d.err, report.VirtualUsers(s.Users)+" from now on")
	case job.StepNewSale, job.StepOldSale:
		d.line(d.err, fmt.Sprintf("%s: order %d", s.Name, s.Count))
	case job.StepPlans:
		if s.Stage == job.Ends {
			d.bar.Show(nil)
			d.step = ""
		} else if s.Kind != "" {
			d.line(d.err, fmt.Sprintf("plans: executing %s again, because the run is measured now", queries(s.Count)))
		}
	case job.StepCheckpoint, job.StepVacuum, job.StepPurge, job.StepWriteBack:
		if s.Stage == job.Ends || s.Stage == job.GivenUp {
			d.bar.Show(nil)
		}
		d.line(d.err, maintenance(s))
		if len(s.Undo) > 0 {
			d.line(d.err, fmt.Sprintf("%s: if Sledge is killed now, restore the server's settings with %s;", s.Name, strings.Join(s.Undo, "; ")))
		}
	}
}

// maintenance describes the state of a step of post-run maintenance.
func maintenance(s job.Step) string {
	switch {
	case s.Stage == job.Begins && s.Count > 0:
		return fmt.Sprintf("%s: %s to go", s.Name, humanize.Comma(s.Count))
	case s.Stage == job.GoesOn:
		return fmt.Sprintf("%s: %s left", s.Name, humanize.Comma(s.Count))
	case s.Needs != "":
		return fmt.Sprintf("%s: skipped, because the server is older than %s", s.Name, s.Needs)
	case s.Stage == job.LeftOut:
		return fmt.Sprintf("%s: skipped, because %s", s.Name, s.Why)
	case s.Stage == job.GivenUp:
		return fmt.Sprintf("%s: given up, because there was no progress for %.0f s; %s left", s.Name, s.Seconds, humanize.Comma(s.Count))
	case s.Stage == job.Ends:
		return fmt.Sprintf("%s: done", s.Name)
	}
	return fmt.Sprintf("%s ...", s.Name)
}

// phase begins a phase of a run.
func (d *Display) phase(phase job.Phase) {
	d.window, d.rates = meter.Summary{}, nil
	if d.block == nil {
		return
	}
	if phase == job.Finish {
		d.bar.Show(func(width int) string {
			return terminal.Cut("finishing: virtual users complete their transactions", width)
		})
		return
	}
	d.bar.Show(d.block.text(d.look))
}

func (d *Display) failure(f job.Failure) {
	outcome := "failed"
	if f.Retried {
		outcome = "is retried"
	}
	if !f.Retried || d.verbose {
		d.line(d.err, fmt.Sprintf("%s %s (%s): %s", f.Kind, outcome, f.Class, f.Message))
	}
}

// second adds a second to the window, and prints a line after each interval and at the end of a
// phase.
func (d *Display) second(s job.Second) {
	if d.block != nil {
		d.bar.Show(d.block.text(d.look))
		return
	}
	if d.window.Kinds == nil {
		parts := max(1, len(d.groups))
		d.window, d.retried, d.failed = meter.NewSummary(parts), make([]int64, parts), make([]int64, parts)
	}
	d.window.Elapsed += s.Measured.Elapsed
	for i, k := range s.Measured.Kinds {
		part := 0
		if len(d.groups) > 0 {
			part = d.groupOf[i]
		}
		if err := k.AddTo(&d.window.Kinds[part]); err != nil {
			return // damaged data are not shown; the result reports them
		}
	}
	if s.ServerTPM != nil {
		d.rates = append(d.rates, *s.ServerTPM)
	}
	length := lengthOf(d.pacing, s.Phase)
	// Seconds may be slightly shorter than 1 s; the last one of an interval still completes it.
	const early = 100 * time.Millisecond
	if d.window.Elapsed < d.interval-early && s.Passed() < length {
		return
	}
	if lines := d.progressOfRun(s, length); !d.brief {
		for _, line := range lines {
			d.line(d.err, line)
		}
	}
	d.window.Reset()
	d.rates = d.rates[:0]
}

// lengthOf returns the planned length of a phase.
func lengthOf(p load.Pacing, phase job.Phase) time.Duration {
	switch phase {
	case job.LogIn:
		return p.Clients.LogIn()
	case job.RampUp:
		return p.RampUp
	}
	return p.Duration
}

// progressOfRun formats the window as a line, or, if the run has groups, as a line for all and a
// line for each group. Rates and latencies are those of the window, failures and retries those of
// the whole phase.
func (d *Display) progressOfRun(s job.Second, length time.Duration) []string {
	for i, t := range d.window.Kinds {
		d.retried[i] += t.Retried
		d.failed[i] += t.Failures()
	}
	server := ""
	if d.counted {
		server = fmt.Sprintf("server %s TPM%s   ", mean(d.rates), d.earlier())
	}
	if s.Phase == job.LogIn {
		server = fmt.Sprintf("%s clients   ", humanize.Comma(int64(s.Sessions))) + server
	}
	head := fmt.Sprintf("%-8s %s of %s   %s", s.Phase, Clock(s.Passed()), Clock(length), server)
	client := func(t *meter.Tally) string {
		return fmt.Sprintf("client %s TPM", humanize.Comma(int64(d.window.PerMinute(t.Done+t.RolledBack))))
	}
	figures := func(i int) string {
		t := &d.window.Kinds[i]
		return fmt.Sprintf("%s   p50 %s ms   p95 %s ms   p99 %s ms   max %s ms   failed %s   retried %s",
			client(t), Millis(t.Response, 50), Millis(t.Response, 95), Millis(t.Response, 99), Millis(t.Response, 100),
			humanize.Comma(d.failed[i]), humanize.Comma(d.retried[i]))
	}
	if len(d.groups) == 0 {
		return []string{head + figures(0)}
	}
	all := d.window.All()
	list := []string{head + client(&all)}
	for i, g := range d.groups {
		list = append(list, fmt.Sprintf("  %-*s   %s", widestName(d.groups), g.Name, figures(i)))
	}
	return list
}

// earlier says which time the server's rate belongs to, if it is not that of the line.
func (d *Display) earlier() string {
	if d.delay == 0 {
		return ""
	}
	return fmt.Sprintf(" (%g s earlier)", d.delay.Seconds())
}

// widestName returns the length of the longest name of groups.
func widestName(groups []job.Group) (n int) {
	for _, g := range groups {
		n = max(n, len(g.Name))
	}
	return n
}

func mean(rates []float64) string {
	if len(rates) == 0 {
		return "-"
	}
	var sum float64
	for _, r := range rates {
		sum += r
	}
	return humanize.Comma(int64(sum / float64(len(rates))))
}

// Millis formats a percentile of latencies in milliseconds, to about three digits.
func Millis(h *hdrhistogram.Histogram, percentile float64) string {
	if h.TotalCount() == 0 {
		return "-"
	}
	return spellMillis(meter.Millis(float64(h.ValueAtPercentile(percentile)) / float64(time.Millisecond)))
}

// spellMillis spells milliseconds to about three digits.
func spellMillis(ms meter.Millis) string {
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2f", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f", ms)
	}
	return humanize.Comma(int64(ms + 0.5))
}

// Clock formats a time as 2:05 or 1:02:05.
func Clock(d time.Duration) string {
	d = d.Round(time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

// progress shows the progress of a build or check: as a bar on a terminal, otherwise as a line
// every progressEvery.
func (d *Display) progress(p job.Progress, at time.Time) {
	if p.Step != d.step {
		d.bar.Show(nil)
		d.step, d.began, d.shown, d.whole = p.Step, at, at, false
	}
	if d.bar.Width != nil && p.Total > 0 {
		began := d.began
		d.bar.Show(func(width int) string { return barLine(p, time.Since(began), width) })
		return
	}
	complete := p.Total > 0 && p.Done >= p.Total && p.Detail == ""
	if p.Done == 0 && p.Detail == "" || d.whole || !complete && at.Sub(d.shown) < progressEvery {
		return
	}
	d.shown, d.whole = at, complete
	d.line(d.err, progressLine(p, at.Sub(d.began)))
}

// progressLine formats progress with its rate and the time left.
func progressLine(p job.Progress, elapsed time.Duration) string {
	line := fmt.Sprintf("%s: %s %s", p.Step, humanize.Comma(p.Done), p.Unit)
	if p.Total > 0 {
		total := max(p.Total, p.Done) // the total is an estimate, which may be too low
		line = fmt.Sprintf("%s: %s of %s %s (%d %%)", p.Step, humanize.Comma(p.Done), humanize.Comma(total), p.Unit, 100*p.Done/total)
	}
	if elapsed >= time.Second && p.Done > 0 {
		rate := float64(p.Done) / elapsed.Seconds()
		line += fmt.Sprintf(", %s a second", humanize.CommafWithDigits(rate, rateDigits(rate)))
		if p.DoneBytes > 0 {
			line += fmt.Sprintf(", %.1f MB/s", float64(p.DoneBytes)/1e6/elapsed.Seconds())
		}
		if left := p.Total - p.Done; left > 0 {
			line += fmt.Sprintf(", %s left", Clock(time.Duration(float64(left)/rate*float64(time.Second))))
		}
	}
	if p.Detail != "" {
		line += "; " + p.Detail
	}
	return line
}

func rateDigits(rate float64) int {
	if rate < 10 {
		return 1
	}
	return 0
}
