// Package report shows jobs: as text for people, and as a JSON document and a table for programs.
// It computes only from measurements, and knows no workload.
package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/terminal"
)

// View says how to show a job to people.
type View struct {
	Width  int           // in columns; 0 means no limit
	Look   terminal.Look // the abilities of the terminal besides plain text
	Rules  bool          // list the rules of a check even if all hold
	Whole  bool          // show everything: each check, service times, options
	Server bool          // list the counters and the statements of the server
	Use    bool          // list how the resources of the machines were used
	Line   string        // the headline in the words that scripts look for, shown if Whole is set; may be ""
	Next   []Pointer     // where to look next
}

// Pointer is a command to try next, and its purpose.
type Pointer struct{ Command, Why string }

// Text writes a job for people: first its verdict with the figures, then the server, the workload
// and the time, then what limited it and what needs attention, then the details. The summary belongs to a run, and is
// empty otherwise.
func Text(w io.Writer, j job.Job, sum meter.Summary, v View) error {
	b := page{View: v}
	list := Grounds(j, sum)
	if j.Spec.Action == job.Run {
		score(&b, j, sum, list)
		b.pieces(where(&b, j, sum))
		if text := bottleneck(j.Result); text != "" && text != unsampled && j.Status.Valid() && !b.Whole {
			b.say(plain, "  %s.", sentence(text))
		}
	} else {
		headline(&b, j)
	}
	attention(&b, list)
	whole(&b, j, sum, list)
	return b.write(w)
}

// sentence returns a text with a capital at its beginning.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// whole shows the details of a job, below the lines that need attention.
func whole(b *page, j job.Job, sum meter.Summary, list []Ground) {
	if j.Spec.Action == job.Run && b.Whole {
		if !b.drawn && len(j.Result.Metrics) > 0 {
			b.title("Figures", "")
			b.lay(metricTable(b, j))
		}
		grounds(b, list)
	}
	if len(j.Result.Spans) > 0 {
		spans(b, j.Result)
	} else if all := sum.All(); all.Ended()+all.Retried > 0 {
		transactions(b, j, sum)
	}
	if len(j.Result.Steps) > 0 {
		loadSteps(b, j.Result.Steps)
	}
	if p := j.Result.Pool; p != nil && len(p.Connections) > 0 {
		shares(b, *p)
	}
	if len(j.Result.Loaded) > 0 {
		loaded(b, j.Result)
	}
	if list := j.Result.Findings; len(list) > 0 && (b.Rules || b.Whole || !allHold(list)) {
		findings(b, j.Result.Findings)
	}
	if r := j.Result.Resources; b.Use && r != nil {
		resources(b, *r)
	}
	if c := j.Result.ServerCounters; b.Server && c != nil {
		counters(b, *c)
	}
	if s := j.Result.Statements; b.Server && s != nil {
		statements(b, *s, j.Result.Plans)
	}
	if r := j.Result.ServerReport; b.Whole && r != nil && r.Text != "" {
		b.title(Printable(r.Title), "as the server reported on itself")
		b.asItIs(r.Text)
	}
	if list := j.Result.Traits; b.Whole && len(list) > 0 {
		traits(b, list)
	}
	if b.Whole {
		setup(b, j, sum)
		return
	}
	if names := passed(list); len(names) > 0 {
		b.say(b.Look.Faint, "\nChecks: %s ok (--details shows them)", strings.Join(names, ", "))
	}
	if text := kindOfTest(j.Result.Traits); text != "" {
		b.say(b.Look.Faint, "Kind of test: %s (--details says how)", Printable(text))
	}
}

const timeLayout = "2006-01-02 15:04:05 MST"

// headline shows the result of a job that is not a run.
func headline(b *page, j job.Job) {
	r, look := j.Result, b.Look
	took := Spell(elapsed(j, meter.Summary{}))
	switch rows, size := sumLoaded(r); {
	case j.Status != job.Succeeded:
	case r.Ceiling != nil:
		ceiling(b, j)
	case len(r.Findings) > 0:
		b.say(look.Good, "✓ Consistent: %s (%s).", verdicts(r.Findings), took)
	case len(r.Loaded) > 0 && rows == 0:
		b.say(look.Figure, "✓ Built in %s, of rows that were loaded before.", took)
	case len(r.Loaded) > 0:
		b.say(look.Figure, "✓ Built in %s: %s rows, %s at %s MB/s.", took, count(rows), humanize.Bytes(uint64(size)), megabytesPerSecond(size, r.Elapsed))
	default:
		b.say(look.Good, "✓ Done in %s: %s %s on %s.", took, j.Spec.Action, j.Spec.Workload, j.Spec.Database)
	}
}

// score writes the first lines of a run: its verdict, figures, response times and failures.
func score(b *page, j job.Job, sum meter.Summary, list []Ground) {
	tone, word := verdict(j, list)
	pieces := []piece{{b.tone(tone), strings.TrimSpace(sign(tone) + " " + word)}}
	few := 2
	switch groups := j.Spec.Groups(); {
	case groups != nil && len(j.Result.Metrics) > 0: // groupScores writes a line for each
		few = 0
		pieces = append(pieces, piece{plain, count(int64(len(groups))) + " groups"})
	case len(j.Result.Spans) > 0: // the power and throughput tests have figures of their own
		few = 6
	}
	figure := b.figureLook(j)
	for _, m := range j.Result.Metrics[:min(len(j.Result.Metrics), few)] {
		pieces = append(pieces, piece{figure, Figure(m) + " " + Printable(m.Name)})
		figure = b.Look.Strong
	}
	switch {
	case len(j.Result.Metrics) > 0:
	case j.Status == job.Running:
		pieces = append(pieces, piece{plain, "no result yet"})
	case wasMeasured(j, sum) && j.Status != job.Invalid:
		pieces = append(pieces, piece{plain, "no figures"})
	default:
		pieces = append(pieces, piece{plain, "nothing was measured"})
	}
	all := sum.All()
	failed, ended, cutOff := all.Failures(), all.Ended(), int64(0)
	if spans := j.Result.Spans; len(spans) > 0 {
		cutOff = countSpans(spans, job.SpanCutOff)
		failed, ended = countSpans(spans, job.SpanFailed), int64(len(spans))-cutOff
		pieces = append(pieces, failedPieces(b, failed, ended)...)
	} else if few == 0 {
		pieces = append(pieces, failedPieces(b, failed, ended)...)
	} else {
		pieces = append(pieces, endedPieces(b, all)...)
	}
	if cutOff > 0 { // not a failure, as in thresholds
		pieces = append(pieces, piece{b.Look.Bad, count(cutOff) + " aborted"})
	}
	b.pieces(pieces)
	if few == 0 {
		groupScores(b, j, sum)
	}
}

// countSpans counts the transactions with one outcome.
func countSpans(spans []job.Span, outcome job.SpanOutcome) (n int64) {
	for _, s := range spans {
		if s.Outcome == outcome {
			n++
		}
	}
	return n
}

// figureLook is the look of the first figure of a run.
func (p *page) figureLook(j job.Job) func(string) string {
	if !j.Status.Valid() && (j.Result.Untidy == "" || j.Status == job.Invalid) {
		return p.Look.Bad
	}
	return p.Look.Figure
}

// where names the server, the workload, the length and the time of the measurement.
func where(b *page, j job.Job, sum meter.Summary) (list []piece) {
	on := j.Spec.Database
	if f := j.Facts; f != nil && j.Origin == "" {
		version, _, _ := strings.Cut(server(j), " (")
		on = version
	}
	parts := []string{on, j.Spec.Workload + ", " + load(j)}
	if j.Spec.Groups() != nil { // load names their workloads
		parts[1] = load(j)
	}
	if took := elapsed(j, sum); took > 0 && wasMeasured(j, sum) {
		since := ""
		if !j.Result.Started.IsZero() {
			since = " from " + j.Result.Started.UTC().Format(timeLayout)
		}
		parts = append(parts, Spell(took)+since)
	}
	parts[0] = "  " + parts[0]
	for _, part := range parts {
		list = append(list, piece{b.Look.Faint, Printable(part)})
	}
	return list
}

// metricTable lists the figures of a run with their meanings.
func metricTable(b *page, j job.Job) terminal.Table {
	figure := b.figureLook(j)
	t := terminal.Table{Bare: true, Columns: []terminal.Column{{Left: true}, {Left: true}, {Left: true, Wrapped: true}}}
	wide := 0
	for _, m := range j.Result.Metrics {
		wide = max(wide, terminal.Width(Figure(m)))
	}
	for _, m := range j.Result.Metrics {
		t.Row(figure(fmt.Sprintf("  %*s", wide, Figure(m))), figure(Printable(m.Name)), Printable(m.Means))
		figure = b.Look.Strong
	}
	return t
}

// attention writes a line for each piece of evidence that needs attention.
func attention(b *page, list []Ground) {
	if list = Attention(list); len(list) == 0 {
		return
	}
	b.gap("Attention")
	b.lay(groundTable(b, list))
}

// grounds lists the evidence for the figures of a run. A text leaves out evidence that needs
// attention, because attention has shown it above.
func grounds(b *page, list []Ground) {
	if !b.drawn {
		list = slices.DeleteFunc(slices.Clone(list), Ground.NeedsAttention)
	}
	b.title("What the figures rest on", "")
	b.lay(groundTable(b, list))
}

// groundTable has a row for each piece of evidence.
func groundTable(b *page, list []Ground) terminal.Table {
	t := terminal.Table{Bare: true, Columns: []terminal.Column{{Left: true}, {Left: true}, {Left: true, Wrapped: true}}}
	last := ""
	for _, g := range list {
		name := g.Name
		if name == last { // continues the previous piece
			name = ""
		}
		last = g.Name
		t.Row(b.tone(g.Tone)(sign(g.Tone)), b.Look.Faint(Printable(name)), Printable(g.Text))
	}
	return t
}

// sign returns the character that represents a tone without colours.
func sign(t Tone) string {
	return map[Tone]string{Good: "✓", Doubtful: "!", Bad: "✗", Plain: " "}[t]
}

// tone returns the look of a tone.
func (p *page) tone(t Tone) func(string) string {
	return map[Tone]func(string) string{Good: p.Look.Good, Doubtful: p.Look.Doubtful, Bad: p.Look.Bad, Plain: plain}[t]
}

// setup shows the options of the job and its surroundings.
func setup(b *page, j job.Job, sum meter.Summary) {
	b.title("Job", "")
	t := terminal.Table{Columns: []terminal.Column{{Left: true}, {Left: true, Wrapped: true}}, Bare: true}
	line := func(name, format string, args ...any) {
		t.Row(b.Look.Faint("  "+name), Printable(fmt.Sprintf(format, args...)))
	}
	if j.ID != "" {
		line("ID", "%s", j.ID)
	}
	line("Action", "%s %s on %s", cmp.Or(j.Spec.Action, "unknown"), j.Spec.Workloads(), j.Spec.Database)
	line("Status", "%s", j.Status)
	if j.Origin != "" {
		line("Recorded", "by %s, which keeps no histograms: sledge jobs timing %s shows its own figures", j.Origin, j.ID)
	}
	if f := j.Facts; f != nil && j.Origin == "" {
		if j.Spec.Action != job.Run {
			line("Server", "%s", server(j))
		}
		line("Client", "Sledge %s on %s, %s, %d CPUs", f.SledgeVersion, f.Host.Name, f.Host.OS, f.Host.CPUs)
	}
	if j.Profile > 0 {
		line("Profile", "%d", j.Profile)
	}
	for _, name := range slices.Sorted(maps.Keys(j.Spec.Labels)) {
		line("Label", "%s=%s", name, j.Spec.Labels[name])
	}
	if j.Spec.Note != "" {
		line("Note", "%s", strings.Join(strings.Fields(j.Spec.Note), " "))
	}
	if j.Origin == "" {
		line("Seed", "%d", j.Spec.Seed)
	}
	for _, name := range slices.Sorted(maps.Keys(j.Spec.Options)) {
		line("Option", "%s %s", name, j.Spec.Options[name])
	}
	for _, g := range j.Spec.Beside {
		for _, name := range slices.Sorted(maps.Keys(g.Options)) {
			line("Option of "+g.Name, "%s %s", name, g.Options[name])
		}
	}
	if !j.Begun.IsZero() {
		line("Begun", "%s", j.Begun.Format(timeLayout))
	}
	if took := elapsed(j, sum); j.Spec.Action != job.Run && took > 0 {
		line("Took", "%s", Spell(took))
	}
	if said := cmp.Or(b.Line, j.Result.Line); said != "" {
		line("Headline", "%s", said)
	}
	b.lay(t)
}

func loaded(b *page, r job.Result) {
	if rows, _ := sumLoaded(r); rows == 0 { // a build that was aborted at once, or had nothing left to load
		return
	}
	b.title("Loaded tables", "seconds are the sum over all builders")
	t := terminal.Table{Columns: append([]terminal.Column{{Head: "  table", Left: true}}, terminal.Heads("rows", "bytes", "seconds", "MB/s")...)}
	for _, l := range r.Loaded {
		if l.Rows == 0 {
			continue
		}
		t.Row("  "+l.Table, count(l.Rows), count(l.Bytes), fmt.Sprintf("%.2f", l.Seconds), megabytesPerSecond(l.Bytes, l.Seconds))
	}
	b.table(t)
}

// sumLoaded adds up the loads of all tables.
func sumLoaded(r job.Result) (rows, size int64) {
	for _, l := range r.Loaded {
		rows += l.Rows
		size += l.Bytes
	}
	return rows, size
}
