package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sledge/internal/cli/display"
	"sledge/internal/control"
	"sledge/internal/document"
	"sledge/internal/engine"
	"sledge/internal/engine/enginetest/analytics"
	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/terminal"
	"sledge/internal/testserver"
)

// mixed is a run of TPROC-C beside analytic queries on the same schema, and the output of its
// displays.
type mixed struct {
	*world
	id                  job.ID
	file                string // the SQLite database
	lines, narrow, wide string
	live                string // the messages of its live view
}

// runMixed builds a schema, and runs two groups on it.
func runMixed(t *testing.T) mixed {
	t.Helper()
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "mixed.db")
	w.Resolver.Workloads = append(slices.Clone(w.Resolver.Workloads), analytics.Workload)
	runner := engine.Local{Catalog: w.Resolver.Catalog, Version: w.Version}
	w.Runner = runner
	spec := job.Spec{Action: job.Build, Database: "sqlite", Workload: "tprocc", Users: 1, Options: option.Values{"file": file, "warehouses": "1"}}
	if _, err := runner.Do(t.Context(), spec, job.Control{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		spec.Action = job.Delete
		if _, err := runner.Do(context.Background(), spec, job.Control{}); err != nil {
			t.Error(err)
		}
	})
	store, err := repository.Open(w.repository)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()

	run := job.Spec{
		Action: job.Run, Database: "sqlite", Workload: "tprocc", Group: "orders", Users: 2,
		Options: option.Values{
			"file": file, "rampup": "0s", "duration": "2s",
			"fail_if": "orders.new_order.p95>60s,orders.nopm<1,reads.p99>60s,reads.query_1.failed>0,reads.min<1us",
		},
		Beside: []job.Group{{Name: "reads", Workload: "analytics", Users: 1}},
	}
	order, err := w.Resolver.Order(run)
	if err != nil {
		t.Fatal(err)
	}
	m := mixed{world: w, file: file}
	var lines, narrow, wide bytes.Buffer
	screen := func(to *bytes.Buffer, columns int) display.Screen {
		return display.Screen{To: to, Width: func() int { return columns }}
	}
	shown := []job.Watcher{
		display.New(order, display.Options{Err: &lines}),
		display.New(order, display.Options{Err: &narrow, Screen: screen(&narrow, 80)}),
		display.New(order, display.Options{Err: &wide, Screen: screen(&wide, 140)}),
	}
	link, end := startServing(t, w, "--listen", "127.0.0.1:0")
	defer end()
	c := client(t)
	visit(t, c, link)
	handle, err := control.Start(t.Context(), runner, order, control.With{Store: store, Attending: shown})
	if err != nil {
		t.Fatal(err)
	}
	base, _, _ := strings.Cut(link, "login?")
	_, m.live = visit(t, c, base+"api/v1/jobs/"+string(handle.ID())+"/live") // ends with the job
	ended := handle.Wait()
	for _, d := range shown {
		d.(*display.Display).End()
	}
	if ended.Lost != nil || !ended.Job.Status.Whole() {
		t.Fatalf("got %v and the status %s: %v", ended.Lost, ended.Job.Status, ended.Failure)
	}
	m.id, m.lines, m.narrow, m.wide = handle.ID(), lines.String(), lastFrame(narrow.String()), lastFrame(wide.String())
	return m
}

// lastFrame returns the last text of the measured time that a display drew.
func lastFrame(drawn string) (frame string) {
	for text := range strings.SplitSeq(drawn, "\r\x1b[J") {
		if strings.HasPrefix(text, "measure") {
			frame, _, _ = strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\r\x1b")
		}
	}
	return terminal.Plain(frame)
}

// All output about a run of two groups names the groups.
func TestRun_ShowsItsGroups(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t) // the engine's test of groups runs under the race detector
	m := runMixed(t)
	for _, shows := range []struct {
		name string
		test func(*testing.T, mixed)
	}{
		{"display", displaysGroups},
		{"text", textHasGroups},
		{"document", documentHasGroups},
		{"export", exportHasGroups},
		{"report", reportHasGroups},
		{"lists", listsNameGroups},
		{"web", webShowsGroups},
		{"comparison", comparesGroupWithWorkloadAlone},
	} {
		t.Run(shows.name, func(t *testing.T) { shows.test(t, m) })
	}
}

// output runs a command and returns its output.
func (m mixed) output(t *testing.T, args ...string) string {
	t.Helper()
	if code := m.run(args...); code != job.OK {
		t.Fatalf("sledge %s: got exit code %d: %s", strings.Join(args, " "), code, &m.err)
	}
	return m.out.String()
}

// want fails the test unless each expression matches the text.
func want(t *testing.T, what, text string, expressions ...string) {
	t.Helper()
	for _, e := range expressions {
		if !regexp.MustCompile("(?m)" + e).MatchString(text) {
			t.Errorf("%s: got no %s in\n%s", what, e, text)
		}
	}
}

func displaysGroups(t *testing.T, m mixed) {
	want(t, "lines", m.lines,
		`^measure  0:0\d of 0:02 .* client [\d,]+ TPM$`, `^  orders   client [\d,]+ TPM   p50 .* failed 0   retried \d+$`, `^  reads    client [\d,]+ TPM   p50 .* failed 0   retried \d+$`)
	for columns, text := range map[int]string{80: m.narrow, 140: m.wide} {
		want(t, "display", text, `3 virtual users`, `^  orders +[\d,]+ TPM   p50 .* ms$`, `^  reads  +[\d,]+ TPM   p50 .* ms$`, `^  failed 0   retried \d+`)
		fits(t, text, columns)
	}
}

// fits fails the test if a line is wider than the terminal.
func fits(t *testing.T, text string, columns int) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if n := terminal.Width(line); n > columns {
			t.Errorf("%d columns: a line takes %d: %q", columns, n, line)
		}
	}
}

func textHasGroups(t *testing.T, m mixed) {
	for _, columns := range []int{80, 140} {
		m.StdoutWidth = func() int { return columns }
		text := m.output(t, "jobs", "show", string(m.id))
		want(t, "text", text,
			`^\S .*  2 groups  0 failed\n  orders  [\d,.]+ NOPM  [\d,.]+ TPM  p50 .* ms  0 failed\n  reads   [\d,.]+ QPM  p50 .* ms  0 failed$`,
			`2 virtual users in orders \(tprocc\), 1 in reads \(analytics\), on 1 warehouse`,
			`Counts +orders: the virtual users counted`, `Flow +orders: `, `p95 of orders.new order is`, `p99 of reads is`, `orders.NOPM is`,
			`^  Action  run tprocc \+ analytics on`)
		if strings.Contains(text, "Flow        reads") {
			t.Errorf("got a stall of queries, although they may take any time:\n%s", text)
		}
		fits(t, text, columns)
	}
	m.StdoutWidth = nil
	_, table, _ := strings.Cut(m.output(t, "jobs", "show", string(m.id)), "Response time (ms)")
	table, _, _ = strings.Cut(table, "Service time")
	row := regexp.MustCompile(`(?m)^( +)(\S.*?)  +([\d,]+) `)
	var all, groups, kinds int
	var names []string
	for _, found := range row.FindAllStringSubmatch(table, -1) {
		var done int
		if _, err := fmt.Sscan(strings.ReplaceAll(found[3], ",", ""), &done); err != nil {
			t.Fatal(err)
		}
		switch {
		case found[2] == "all":
			all = done
		case len(found[1]) == len("  "):
			groups += done
			names = append(names, found[2])
		default:
			kinds += done
		}
	}
	if all == 0 || all != groups || all != kinds || !slices.Equal(names, []string{"orders", "reads"}) {
		t.Errorf("got %d transactions, %d in the groups %q and %d in their kinds, want the same in\n%s", all, groups, names, kinds, table)
	}
}

func documentHasGroups(t *testing.T, m mixed) {
	var d report.Document
	if err := json.Unmarshal([]byte(m.output(t, "jobs", "show", string(m.id), "--json")), &d); err != nil {
		t.Fatal(err)
	}
	checkDocument(t, d)
	if d.Users != 3 || d.Workload != "tprocc + analytics" || len(d.Thresholds) != 5 {
		t.Errorf("got %d users, %s and the thresholds %+v", d.Users, d.Workload, d.Thresholds)
	}
	var xml bytes.Buffer
	j := m.jobs(t)[0]
	if err := report.JUnit(&xml, []job.Job{j}, nil); err != nil {
		t.Fatal(err)
	}
	want(t, "JUnit", xml.String(), `testsuite name="run tprocc \+ analytics on \w+, 3 virtual users" tests="6" failures="0" errors="0"`,
		`<property name="orders.NOPM"`, `<property name="reads.QPM"`, `name="reads.p99&gt;60s"`)
}

// checkDocument fails the test if the groups, figures and kinds of a document do not agree.
func checkDocument(t *testing.T, d report.Document) {
	t.Helper()
	if len(d.Groups) != 2 || d.Groups[0].Name != "orders" || d.Groups[1].Workload != "analytics" || d.All == nil {
		t.Fatalf("got the groups %+v", d.Groups)
	}
	done := map[string]int64{}
	for _, kind := range d.Transactions {
		group, _, _ := strings.Cut(kind.Kind, ".")
		done[group] += kind.Done
	}
	for _, g := range d.Groups {
		if g.All == nil || g.All.Done == 0 || g.All.Done != done[g.Name] {
			t.Errorf("%s: got %+v, want %d done", g.Name, g.All, done[g.Name])
		}
	}
	if sum := done["orders"] + done["reads"]; sum != d.All.Done {
		t.Errorf("got %d done in groups, and %d in all", sum, d.All.Done)
	}
	if orders, reads := d.Groups[0], d.Groups[1]; orders.Agreement == nil || orders.LongestGap == nil || reads.Agreement != nil || reads.LongestGap != nil {
		t.Errorf("got %+v and %+v, want counts and stalls of orders only", orders, reads)
	}
	for _, name := range []string{"orders.NOPM", "orders.TPM", "reads.QPM"} {
		if value, is := d.Metric(name); !is || value <= 0 {
			t.Errorf("got the figures %+v, want %s", d.Metrics, name)
		}
	}
}

func exportHasGroups(t *testing.T, m mixed) {
	var e document.Export
	if err := json.Unmarshal([]byte(m.output(t, "jobs", "export", string(m.id))), &e); err != nil {
		t.Fatal(err)
	}
	checkDocument(t, e.Document)
	done := map[string]int64{}
	for _, s := range e.Seconds {
		for _, kind := range s.Transactions {
			if s.Phase == job.Measure {
				done[kind.Kind] += kind.Done
			}
		}
	}
	for _, kind := range e.Transactions {
		if kind.Done != done[kind.Kind] {
			t.Errorf("%s: got %d done in seconds, and %d in all", kind.Kind, done[kind.Kind], kind.Done)
		}
	}
	want(t, "CSV", m.output(t, "jobs", "export", string(m.id), "--format", "csv"), `orders\.new order`, `reads\.query `)
}

func reportHasGroups(t *testing.T, m mixed) {
	html := m.output(t, "jobs", "report", string(m.id), "--output", "-")
	want(t, "report", html, `Run of TPROC-C beside Analytics on \w+, 3 virtual users`, `orders\.NOPM`, `reads\.QPM`, `orders: the virtual users counted`, `reads\.query `)
}

func listsNameGroups(t *testing.T, m mixed) {
	for _, args := range []string{"", "--workload tprocc"} { // a list of all workloads, and of one
		want(t, "list", m.output(t, append([]string{"jobs", "list"}, strings.Fields(args)...)...), `run +tprocc \+ analytics .* [\d,.]+ orders\.NOPM, [\d,.]+ reads\.QPM`)
	}
	if text := m.output(t, "jobs", "list", "--workload", "tproch"); strings.Contains(text, "orders.NOPM") {
		t.Errorf("got the run among those of TPROC-H:\n%s", text)
	}
	want(t, "result", m.output(t, "jobs", "result", string(m.id)), `^3 virtual users$`, `orders\.NOPM +new orders a minute`, `reads\.QPM +queries a minute`)
	store, err := repository.Open(m.repository)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	headlines, err := store.Headlines(t.Context())
	if err != nil || len(headlines) != 1 {
		t.Fatalf("got %d headlines, %v", len(headlines), err)
	}
	headlines[0].Elapsed = report.LeastOfBest.Seconds()
	if best, _ := report.Best(headlines); len(best) != 1 || best[0].Workload != "tprocc + analytics" || best[0].Metric.Name != "orders.NOPM" || best[0].Users != 3 {
		t.Errorf("got the best %+v, want it separate from runs of TPROC-C alone", best)
	}
}

func webShowsGroups(t *testing.T, m mixed) {
	link, end := startServing(t, m.world, "--listen", "127.0.0.1:0")
	defer end()
	c := client(t)
	visit(t, c, link)
	base, _, _ := strings.Cut(link, "login?")
	var d report.Document
	_, text := visit(t, c, base+"api/v1/jobs/"+string(m.id))
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	checkDocument(t, d)
	messages := strings.Split(m.live, "\ndata: ")
	var u live.Update
	text, _, _ = strings.Cut(messages[max(0, len(messages)-2)], "\n") // the last message is the ended job
	if err := json.Unmarshal([]byte(text), &u); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	want(t, "last message", messages[len(messages)-1], "sledge-job-3")
	if now := u.Now; now == nil || len(now.Metrics) == 0 || now.Metrics[0].Name != "orders.client NOPM" || now.Metrics[len(now.Metrics)-1].Name != "reads.QPM" {
		t.Errorf("got %+v, want the figures of both groups", now)
	}
	if u.Part == nil || len(u.Part.Groups) != 2 || u.Part.Groups[1].Name != "reads" || u.Part.Groups[0].Done+u.Part.Groups[1].Done != u.Part.Done || u.Part.Groups[1].Response == nil {
		t.Errorf("got %+v, want both groups, whose transactions add up to all", u.Part)
	}
}

func comparesGroupWithWorkloadAlone(t *testing.T, m mixed) {
	m.output(t, "run", "--db", "sqlite", "--set", "file="+m.file, "--rampup", "0", "--duration", "1s", "--users", "2", "--workload", "tprocc")
	text := m.output(t, "jobs", "compare", string(m.jobs(t)[0].ID), string(m.id))
	want(t, "comparison", text, `workload +tprocc +tprocc \+ analytics`, `group reads +none +1 virtual user`, `orders\.NOPM +[\d,.]+ +[\d,.]+ +[\d.]+`, `reads\.QPM +- +[\d,.]+ +-`,
		`^  orders\n    response p50, ms +[\d,.]+ +[\d,.]+ +[\d.]+`, `^  orders\.payment$`)
}
