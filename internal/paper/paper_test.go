package paper

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/report/reporttest"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// archive is an Archive with helpers for tests.
type archive struct {
	*testing.T
	Archive
}

func newArchive(t *testing.T) archive {
	t.Helper()
	store, err := repository.Open(filepath.Join(t.TempDir(), "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return archive{t, Archive{Store: store, Resolver: settings.Resolver{Catalog: edition.Catalog}, Headline: func(job.Job) string { return "TEST RESULT" }, Version: "v1.0.0"}}
}

// record records a job with the given number of seconds, of which the first 2 are ramp-up, and with
// failures. It returns the job's ID.
func (a archive) record(j job.Job, seconds int, failures ...job.Failure) string {
	a.Helper()
	r, err := a.Store.Begin(a.Context(), j.Spec, j.Kinds, j.Profile)
	if err != nil {
		a.Fatal(err)
	}
	if j.Facts != nil {
		r.Watch(job.Event{At: reporttest.Began, Facts: j.Facts})
	}
	for n := range seconds {
		stripe, interval, sum := meter.NewStripe(), meter.NewInterval(len(j.Kinds)), meter.NewSummary(len(j.Kinds))
		for i := range 10 + n {
			took := time.Duration(1+i) * time.Millisecond
			stripe.Record(meter.Record{Kind: meter.Kind(i % len(j.Kinds)), Service: took, Response: took})
		}
		if n == 3 {
			stripe.Record(meter.Record{Outcome: meter.Failed, Class: meter.Deadlock})
		}
		stripe.Take(interval, &sum)
		phase, offset, tpm := job.RampUp, n+1, 60*float64(10+n)
		if n >= 2 {
			phase, offset = job.Measure, n-1
		}
		r.Watch(job.Event{At: reporttest.Began.Add(time.Duration(n+1) * time.Second), Second: &job.Second{
			Moment: job.Moment{Phase: phase, Offset: float64(offset), ServerTPM: &tpm}, Measured: interval.Cut(time.Second),
		}})
	}
	for i := range failures {
		r.Watch(job.Event{At: reporttest.Began, User: 2, Failure: &failures[i]})
	}
	if j.Status != job.Running {
		j.Result.Status, j.Result.Reason = j.Status, j.Reason
		if err := r.End(a.Context(), j.Result, nil); err != nil {
			a.Fatal(err)
		}
	} else {
		for written := 0; written < seconds; { // the recorder writes at intervals
			written = 0
			for _, err := range a.Store.Seconds(a.Context(), r.ID()) {
				if err != nil {
					a.Fatal(err)
				}
				written++
			}
		}
		a.Cleanup(func() {
			if err := r.End(a.Context(), job.Result{}, nil); err != nil && a.Context().Err() == nil {
				a.Error(err)
			}
		})
	}
	return string(r.ID())
}

// file is a parsed report.
type file struct {
	text     string // all of the text
	elements map[string]int
	styles   string
}

// read parses a report as a browser does, and fails the test if the report fetches or executes
// anything, or breaks its policy.
func read(t *testing.T, html []byte) file {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(strings.Replace(string(html), "<!doctype html>", "", 1)))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	f := file{elements: map[string]int{}}
	var ids, links []string
	policy, inside := "", ""
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, html)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local
			f.elements[inside]++
			for _, attribute := range token.Attr {
				switch name := attribute.Name.Local; {
				case name == "id":
					ids = append(ids, attribute.Value)
				case name == "href":
					links = append(links, attribute.Value)
				case name == "content" && strings.Contains(attribute.Value, "default-src"):
					policy = attribute.Value
				case strings.HasPrefix(name, "on"), slices.Contains([]string{"src", "srcset", "style", "action", "data", "poster"}, name):
					t.Errorf("<%s> has the attribute %s=%q", inside, name, attribute.Value)
				}
			}
		case xml.EndElement:
			inside = ""
			f.text += " "
		case xml.CharData:
			if inside == "style" {
				f.styles += string(token)
			} else {
				f.text += string(token)
			}
		}
	}
	allowed := strings.Fields("html head meta title style body main header p h1 h2 span dl div dt dd nav ul li a section table thead tbody tr th td figure figcaption details summary footer pre svg line rect path circle text")
	for name := range f.elements {
		if !slices.Contains(allowed, name) {
			t.Errorf("the report contains a <%s>", name)
		}
	}
	for _, link := range links {
		if !slices.Contains(ids, strings.TrimPrefix(link, "#")) {
			t.Errorf("the link %q has no target in the report", link)
		}
	}
	if !slices.Equal(slices.Compact(slices.Sorted(slices.Values(ids))), slices.Sorted(slices.Values(ids))) {
		t.Errorf("an ID occurs twice: %q", ids)
	}
	sum := sha256.Sum256([]byte(f.styles))
	if hash := base64.StdEncoding.EncodeToString(sum[:]); policy != Policy || !strings.Contains(policy, "'sha256-"+hash+"'") {
		t.Errorf("got the policy %s, want one for the style sheet's hash %s", policy, hash)
	}
	if strings.Contains(f.styles, "url(") || strings.Contains(f.styles, "@import") {
		t.Error("the style sheet fetches something")
	}
	if f.elements["style"] != 1 || f.elements["h1"] != 1 {
		t.Errorf("got %d style sheets and %d titles, want one of each", f.elements["style"], f.elements["h1"])
	}
	return f
}

// has fails the test if a report lacks one of the texts.
func (f file) has(t *testing.T, words ...string) {
	t.Helper()
	text := strings.Join(strings.Fields(f.text), " ")
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in %s", w, text)
		}
	}
}

func (a archive) report(ids ...string) file {
	a.Helper()
	made, err := a.Jobs(a.Context(), ids)
	if err != nil {
		a.Fatal(err)
	}
	return read(a.T, made.HTML)
}

// measured returns a run with a summary.
func measured() job.Job {
	j := reporttest.Run()
	j.Result.Summary = reporttest.Measured()
	return j
}

func TestReport_HasTheSentencesOfTheCommandLine(t *testing.T) {
	a := newArchive(t)
	j := measured()
	id := a.record(j, 6, job.Failure{Kind: "payment", Class: "deadlock", Message: "deadlock detected", Retried: true})
	f := a.report(id)
	kept, err := a.Store.Get(t.Context(), job.ID(id))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range report.Grounds(kept, j.Result.Summary) {
		f.has(t, g.Text)
	}
	f.has(t, "NOPM new orders a minute 15,824", "new orders a minute", "✓ done", "Run of TPROC-C on PostgreSQL, 4 virtual users", id,
		"rampup 2", "fsync on", "8.0 GiB", "deadlock detected", "tried again", "TEST RESULT", "ramp-up", "Rolled back as the workload asks")
	for element, least := range map[string]int{"svg": 6, "figure": 3, "details": 3, "path": 10} { // each chart is drawn twice
		if f.elements[element] < least {
			t.Errorf("got %d <%s>, want %d at least", f.elements[element], element, least)
		}
	}
	if f.elements["svg"] != 2*f.elements["figure"] || f.elements["details"] != f.elements["figure"] {
		t.Errorf("got %v, want two drawings and a table for each chart", f.elements)
	}
}

func TestReport_OfEveryKindOfJob(t *testing.T) {
	spans := measured()
	spans.Kinds = []string{"query 1", "query 2"}
	spans.Result.Kinds, spans.Result.Summary = spans.Kinds, meter.NewSummary(2)
	for i := range 4 {
		s := job.Span{User: 1 + i/2, Kind: spans.Kinds[i%2], Stream: i / 2, Set: 1, From: float64(i % 2), Seconds: 0.5 + float64(i), Rows: 7, Outcome: job.SpanDone}
		if i == 3 {
			s.Outcome, s.Message = job.SpanFailed, "out of memory"
		}
		spans.Result.Spans = append(spans.Result.Spans, s)
	}
	steps := reporttest.Steps()
	steps.Result.Summary = reporttest.Measured()
	running := measured()
	running.Status = job.Running
	for name, tt := range map[string]struct {
		job     job.Job
		seconds int
		words   []string
	}{
		"without seconds": {measured(), 0, []string{"15,824"}},
		"steps":           {steps, 8, []string{"Steps of the load", "the numbers of virtual users from there on"}},
		"partial":         {reporttest.Partial(), 4, []string{"◐ partial", "PARTIAL: the run was stopped early", "they disagree"}},
		"failed":          {job.Job{Spec: reporttest.Run().Spec, Kinds: reporttest.Kinds, Status: job.Failed, Reason: "connect: refused"}, 0, []string{"✗ failed", "Failed: connect: refused"}},
		"running":         {running, 4, []string{"▶ running", "Running: since", "Over time"}},
		"queries":         {spans, 0, []string{"query 2", "Streams", "stream 1", "(1 not done)"}},
		"build":           {reporttest.Build(), 0, []string{"Build of", "order_line", "300,123", "Load of the tables"}},
		"check":           {reporttest.Check(), 0, []string{"Check of", "BROKEN", "EXCUSED", "The first rows that break 2", `\x1b[2J31`}},
		"delete":          {reporttest.Remove(), 0, []string{"Delete of"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArchive(t)
			a.report(a.record(tt.job, tt.seconds)).has(t, tt.words...)
		})
	}
}

func TestReport_OfAnImportedJob(t *testing.T) {
	a := newArchive(t)
	quarter, half := 2.5, 7.5
	past := repository.Past{Job: reporttest.Imported(), Counts: []job.Count{{At: reporttest.Began, Rate: 36_000}, {At: reporttest.Began.Add(10 * time.Second), Rate: 37_000}}}
	past.Details = job.ImportDetails{
		Timings: []job.Timing{{Name: "NEWORD", Calls: 7, Min: 1, P25: &quarter, P50: 5, P75: &half, P99: 20, Max: 30}},
		System:  []job.Setting{{Name: "hostname", Value: "dbserver"}},
		Metrics: []job.SystemMetric{{At: reporttest.Began, User: &quarter, Sys: &half}, {At: reporttest.Began.Add(time.Minute), User: &half, Sys: &quarter}},
	}
	if added, err := a.Store.Add(t.Context(), past); err != nil || !added {
		t.Fatal(added, err)
	}
	a.report(string(past.Job.ID)).has(t, "15,824", "NEWORD", "dbserver", "Processors", "37,000", "server's count")
}

func TestReport_EscapesText(t *testing.T) {
	const hostile = `</style></title><script src="http://evil.example/x.js">alert('1')</script><img src=x onerror=alert(1)>{{.}}` + "\x1b[2J"
	a := newArchive(t)
	j := measured()
	j.Spec.Note, j.Spec.Labels = hostile[:len(hostile)-len("\x1b[2J")], map[string]string{"ticket": hostile}
	j.Spec.Options = option.Values{"dbname": hostile}
	j.Kinds = []string{hostile, "payment", "delivery", "stock level", hostile}
	j.Reason, j.Status = hostile, job.Invalid
	facts := *j.Facts
	facts.Server, facts.Product, facts.Target, facts.Size, facts.SledgeVersion = hostile, hostile, hostile, hostile, hostile
	facts.ServerSettings = map[string]string{hostile: hostile}
	facts.Durability = &job.Durability{Why: hostile}
	facts.Host = job.Host{Name: hostile, OS: hostile, CPU: hostile, CPUs: 2}
	j.Facts = &facts
	j.Result.Remarks, j.Result.Metrics[1].Name, j.Result.Metrics[1].Means = []string{hostile}, hostile, hostile
	j.Result.Waiting = []job.Waiting{{Kind: hostile, Seconds: 3}}
	j.Profile = 7
	failure := job.Failure{Kind: hostile, Class: hostile, Message: hostile}
	first, second := a.record(j, 5, failure), a.record(j, 5, failure)
	profile, err := a.Profiles(t.Context(), []int{7})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]file{"job": a.report(first), "comparison": a.report(first, second), "profile": read(t, profile.HTML)} {
		f.has(t, `<script src="http://evil.example/x.js">alert('1')</script>`)
		if strings.ContainsRune(f.text, '\x1b') || strings.ContainsRune(f.text, '\x0e') {
			t.Errorf("%s: there are control characters in the text", name)
		}
	}
}

func TestReport_KeepsTheLayoutOfServerReports(t *testing.T) {
	a := newArchive(t)
	j := reporttest.Run()
	j.Result.ServerReport = &job.ServerReport{Title: "MONREPORT", Seconds: 60, Text: "Wait times\n----------\n  READS   <12>\x1b"}
	f := a.report(a.record(j, 4))
	if want := "Wait times\n----------\n  READS   <12>\\x1b"; !strings.Contains(f.text, want) || f.elements["pre"] != 1 {
		t.Errorf("want %q in one pre element, got %d of them in\n%s", want, f.elements["pre"], f.text)
	}
	if want := "MONREPORT of the server, 3 lines, made beside the virtual users in 1 min, from the beginning of the measured time on"; !strings.Contains(f.text, want) {
		t.Errorf("want %q, got\n%s", want, f.text)
	}
}

// The chart of an observer's sine includes its extremes.
// The chart draws the count of a server that counts late in the seconds that it belongs to, and says so.
func TestReport_DrawsTheServersCountEarlier(t *testing.T) {
	const sentence = "so its count is drawn 0.75 s earlier"
	for database, earlier := range map[string]float64{"postgresql": 0.75, "sqlite": 0} {
		a, j := newArchive(t), measured()
		j.Spec.Database = database
		id := a.record(j, 6)
		if said := strings.Contains(a.report(id).text, sentence); said != (earlier > 0) {
			t.Errorf("%s: the report says %q: %t", database, sentence, said)
		}
		s, err := a.read(t.Context(), job.ID(id))
		if err != nil {
			t.Fatal(err)
		}
		l := s.rates(timed(s.points)).Lines
		for i, p := range l[0].Points {
			if client := l[1].Points[i]; p.X != client.X-earlier || p.Y != client.Y {
				t.Errorf("%s: the server's point %+v stands beside the users' %+v, want it %g s earlier", database, p, client, earlier)
			}
		}
	}
}

func TestReport_DrawsSeries(t *testing.T) {
	a := newArchive(t)
	j := reporttest.Run()
	r, err := a.Store.Begin(t.Context(), j.Spec, j.Kinds, 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3000 {
		at := reporttest.Began.Add(time.Duration(n) * time.Second)
		for i, sea := range []string{"north", "<south>"} {
			tide := job.Series{Name: "tide", Unit: "m", Labels: map[string]string{"sea": sea}}
			r.Watch(job.Event{At: at, Samples: []job.Sample{{Series: tide, Value: math.Sin(float64(n)/300 + float64(i))}}})
		}
	}
	if err := r.End(t.Context(), j.Result, nil); err != nil {
		t.Fatal(err)
	}
	s, err := a.read(t.Context(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	blocks := s.beside()
	if len(blocks) != 1 || len(s.series) != 2 || len(s.series[0].Points) > mostPoints {
		t.Fatalf("got %d charts of %d series", len(blocks), len(s.series))
	}
	least, most := 0., 0.
	for _, p := range s.series[1].Points {
		least, most = min(least, p.Value), max(most, p.Value)
	}
	if least > -0.9999 || most < 0.9999 {
		t.Errorf("the sine goes from %g to %g, want -1 to 1", least, most)
	}
	report := a.report(string(r.ID()))
	for _, text := range []string{"Beside the run", "tide", "north", "<south>"} {
		if !strings.Contains(report.text, text) {
			t.Errorf("the report does not say %q", text)
		}
	}
}

func TestReport_ComparesRuns(t *testing.T) {
	a := newArchive(t)
	other := measured()
	other.Spec.Options = option.Values{"warehouses": "10", "rampup": "5"}
	other.Spec.Labels = map[string]string{"kernel": "6.12"}
	other.Result.Metrics = []job.Metric{{Name: "NOPM", Value: 31_648}}
	first, second := a.record(measured(), 4), a.record(other, 5)
	made, err := a.Jobs(t.Context(), []string{first, second})
	if err != nil {
		t.Fatal(err)
	}
	if want := "sledge-" + first[:12] + "-" + second[:12] + ".html"; made.Name != want {
		t.Errorf("got the name %s, want %s", made.Name, want)
	}
	f := read(t, made.HTML)
	f.has(t, "2 runs side by side", "rampup 2 5", "2.00", "31,648", "B: 6.12", "What the figures of B: 6.12 rest on")
	for _, ids := range [][]string{{first, first}, {first, a.record(reporttest.Build(), 0)}, {first, "FFFF"}, {}} {
		if _, err := a.Jobs(t.Context(), ids); err == nil {
			t.Errorf("%q: got a report, want an error", ids)
		}
	}
}

func TestReport_OfAProfileHasCurves(t *testing.T) {
	a := newArchive(t)
	for i, orders := range []float64{1000, 1900, 1500} {
		j := reporttest.Figures("", i, 1<<i, orders)
		j.Profile, j.Result.Summary = 3, reporttest.Measured()
		a.record(j, 3)
	}
	failed := reporttest.Ended(reporttest.Figures("", 4, 8, 9999), job.Failed)
	failed.Profile, failed.Reason = 3, "connect: refused"
	a.record(failed, 0)
	made, err := a.Profiles(t.Context(), []int{3})
	if err != nil || made.Name != "sledge-profile-3.html" {
		t.Fatal(made.Name, err)
	}
	f := read(t, made.HTML)
	f.has(t, "Performance profile 3: TPROC-C on PostgreSQL", "1,900", "at best: with 2 virtual users", "8 virtual users: Failed: connect: refused", "NOPM per user", "p99")
	if f.elements["circle"] < 2*3*5 { // five lines over three numbers of users, drawn twice
		t.Errorf("got %d points, want the points of each line", f.elements["circle"])
	}
	if _, err := a.Profiles(t.Context(), []int{4}); job.ExitOf(err) != job.ExitMissing {
		t.Errorf("a missing profile: got %v", err)
	}
}

func TestReport_ComparesProfiles(t *testing.T) {
	a := newArchive(t)
	for profile, users := range map[int][]int{3: {1, 2, 4}, 5: {2, 8}} {
		for i, n := range users {
			j := reporttest.Figures("", 10*profile+i, n, float64(1000*profile*n))
			j.Profile, j.Result.Summary, j.Spec.Seed = profile, reporttest.Measured(), uint64(profile)
			a.record(j, 3)
		}
	}
	failed := reporttest.Ended(reporttest.Figures("", 4, 16, 9999), job.Failed)
	failed.Profile, failed.Reason = 5, "connect: refused"
	a.record(failed, 0)
	made, err := a.Profiles(t.Context(), []int{3, 5})
	if err != nil || made.Name != "sledge-profiles-3-5.html" {
		t.Fatal(made.Name, err)
	}
	f := read(t, made.HTML)
	f.has(t, "2 performance profiles over each other", "TPROC-C on PostgreSQL, 3 runs", "profile 5, 16 virtual users: Failed: connect: refused",
		"What differs", "seed", "Runs of profile 3", "Runs of profile 5", "12,000", "40,000", "p95 of response times")
	if f.elements["circle"] != 2*3*5 { // five points of three figures, drawn twice
		t.Errorf("got %d points, want one for each successful run", f.elements["circle"])
	}
	for _, numbers := range [][]int{{3, 3}, {3, 4}, {}} {
		if _, err := a.Profiles(t.Context(), numbers); job.ExitOf(err) != job.ExitUsage && job.ExitOf(err) != job.ExitMissing {
			t.Errorf("%d: got %v", numbers, err)
		}
	}
}
