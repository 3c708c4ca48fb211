// Package workloadtest is the suite that every workload passes on every
// database there is a server of: build, compare what was loaded with what was
// generated, check, run, check again, delete.
package workloadtest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/testserver"
	"sledge/internal/workload"
)

// Variant is one way to build and run the workload.
type Variant struct {
	Name      string
	Databases string // those that have it, divided by blanks; all when empty

	// Build and Run are option values by the names the options have without the
	// database's prefix. Run's are added to Build's.
	Build, Run option.Values

	// RoundTrips is how many a transaction takes at least and at most, on average, where
	// the database is on a network.
	RoundTrips [2]float64

	// Without names the kinds of transaction, each by the words that it begins with, of
	// which there are none in this variant.
	Without []string

	// Look looks at what a run has told. Optional.
	Look func(t *testing.T, told []job.Event)

	// Test says that Run asks for a test run, whose users show what they do and have
	// iterations enough to do each kind of transaction.
	Test bool
}

// Run runs the suite. Each variant with Build values of its own is built anew;
// the others run on the schema that is there.
func Run(t *testing.T, w *workload.Workload, variants []Variant) {
	for _, d := range edition.Catalog.Databases {
		for _, version := range versions(d.Name) {
			name := d.Name
			if version != "" {
				name += "-" + version
			}
			t.Run(name, func(t *testing.T) {
				s := &suite{w: w, d: d, server: Server(t, d, version)}
				s.runAll(t, variants, func(v Variant) bool { return true })
			})
		}
		if relative := relatives[d.Name]; relative != "" {
			t.Run(d.Name+"-on-"+relative, func(t *testing.T) {
				s := &suite{w: w, d: d, server: testserver.Open(t, relative).Values(), relative: titles[relative]}
				s.runAll(t, variants, func(v Variant) bool { return !v.Test })
			})
		}
	}
}

// relatives are the databases whose servers a database is tried on, too, because
// people choose the one for the other.
var (
	relatives = map[string]string{"mysql": "mariadb", "mariadb": "mysql"}
	titles    = map[string]string{"mysql": "MySQL", "mariadb": "MariaDB"}
)

// runAll runs the variants that the database has, as far as they are chosen.
func (s *suite) runAll(t *testing.T, variants []Variant, chosen func(Variant) bool) {
	for _, v := range variants {
		if chosen(v) && (v.Databases == "" || strings.Contains(" "+v.Databases+" ", " "+s.d.Name+" ")) {
			t.Run(v.Name, func(t *testing.T) { s.run(t, v) })
		}
	}
	s.remove(t)
}

// versions lists the major versions to test a database in; "" is whichever is
// installed.
func versions(name string) []string {
	switch name {
	case "postgresql":
		return []string{"", "17", "18"}
	case "mysql":
		return []string{"5.6"}
	}
	return []string{""}
}

// Server returns the option values that reach a server of the database for this
// test, or skips the test where there is none.
func Server(t *testing.T, d *database.Database, version string) option.Values {
	if d.Embedded {
		return option.Values{"file": filepath.Join(t.TempDir(), "test.db")}
	}
	var options []testserver.Option
	if version != "" {
		options = append(options, testserver.Version(version))
	}
	return option.Values(testserver.Open(t, d.Name, options...).Values())
}

type suite struct {
	w       *workload.Workload
	d       *database.Database
	server  option.Values
	built   option.Values // what the schema that is there was built with
	isThere bool

	relative string // what answers, where that is another product than d
}

func (s *suite) run(t *testing.T, v Variant) {
	if !s.isThere || len(v.Build) > 0 {
		s.remove(t)
		s.built = v.Build
		s.Do(t, job.Spec{Action: job.Build, Options: s.values(v.Build)})
		s.isThere = true
		s.compare(t)
	}
	s.Do(t, job.Spec{Action: job.Check, Options: s.values(s.built)})
	if v.Test {
		s.rehearse(t, v)
		return
	}
	told := &told{}
	result := s.Do(t, job.Spec{Action: job.Run, Users: 3, Options: s.values(s.built, v.Run)}, told)
	for k, kind := range s.w.Kinds {
		without := slices.ContainsFunc(v.Without, func(words string) bool { return strings.HasPrefix(kind.Name, words) })
		if tally := result.Summary.Kinds[k]; (tally.Done == 0) != without || tally.Failures() > 0 {
			t.Errorf("%s: %d were done and %d failed", kind.Name, tally.Done, tally.Failures())
		}
	}
	if v.Look != nil {
		v.Look(t, told.events)
	}
	if s.w.Finite {
		s.wantSpans(t, result)
		s.limit(t, v)
		s.wantPlans(t, result)
	} else if a := result.Agreement; a == nil || !a.Holds {
		t.Errorf("the client's count and the server's do not agree: %+v", a)
	}
	s.wantTraffic(t, v, result.Summary.All())
	s.Do(t, job.Spec{Action: job.Check, Options: s.values(s.built)})
}

// told keeps what a job has told.
type told struct{ events []job.Event }

func (l *told) Watch(e job.Event) { l.events = append(l.events, e) }

// limit has everything cancelled that takes longer than a moment, and looks whether the
// sessions go on with what comes next.
func (s *suite) limit(t *testing.T, v Variant) {
	t.Helper()
	spec := job.Spec{
		Action: job.Run, Database: s.d.Name, Workload: s.w.Name, Seed: 1,
		Options: s.values(s.built, v.Run, option.Values{"query_limit": "1ms"}),
	}
	result, err := s.runner().Do(t.Context(), spec, job.Control{})
	result.Spans = slices.DeleteFunc(result.Spans, func(s job.Span) bool { return s.Stream == job.NoStream })
	if job.ExitOf(err) != job.ExitInvalid || len(result.Spans) == 0 || len(result.Spans) != result.Spans[0].Of {
		t.Fatalf("with a limit: got %d transactions, %v; want all of them, which are not valid", len(result.Spans), err)
	}
	over := 0
	for _, span := range result.Spans {
		switch {
		case span.Class == meter.OverLimit.String() && span.Outcome == job.SpanFailed:
			over++
		case !span.Done():
			t.Errorf("with a limit: got the span %+v, want one that is done or over its limit", span)
		}
	}
	t.Logf("%d of %d transactions took longer than a millisecond", over, len(result.Spans))
	if over == 0 {
		t.Error("with a limit: got no transaction that was over it")
	}
}

// wantSpans looks whether each transaction that was counted was kept by itself.
func (s *suite) wantSpans(t *testing.T, result job.Result) {
	kept := map[string]int64{}
	for _, span := range result.Spans {
		if !span.Done() || span.Seconds <= 0 || span.Number < 1 || span.Number > span.Of {
			t.Errorf("got the span %+v, want one that is done, and took its time", span)
		}
		kept[span.Kind]++
	}
	for k, kind := range s.w.Kinds {
		if done := result.Summary.Kinds[k].Done; kept[kind.Name] != done {
			t.Errorf("%s: %d spans, and %d were done", kind.Name, kept[kind.Name], done)
		}
	}
	if len(result.Metrics) == 0 || result.Metrics[0].Value <= 0 {
		t.Errorf("got the headline %+v", result.Metrics)
	}
}

// wantPlans looks whether the plan of each query that was done was kept, and says something
// of its shape. Times are asked for where the server has them; its relatives may not.
func (s *suite) wantPlans(t *testing.T, result job.Result) {
	kept := map[string]bool{}
	for _, plan := range result.Plans {
		kept[plan.Kind] = true
		if len(plan.Lines) == 0 || plan.Shape() == "" || plan.Query == "" || plan.Seconds <= 0 || plan.Error != "" && s.relative == "" {
			t.Errorf("got the plan %+v, want lines of which some are steps", plan)
		}
	}
	for _, span := range result.Spans {
		if s.w.Queries != nil && span.Stream != job.NoStream && !kept[span.Kind] {
			t.Errorf("there is no plan of %s", span.Kind)
		}
	}
}

// wantTraffic looks whether transactions took as many round trips as they should have.
func (s *suite) wantTraffic(t *testing.T, v Variant, all meter.Tally) {
	each := float64(all.Traffic.RoundTrips) / float64(all.Ended())
	if s.d.Embedded {
		if all.Traffic != (meter.Traffic{}) {
			t.Errorf("got %+v over the network, which is not there", all.Traffic)
		}
		return
	}
	if least, most := v.RoundTrips[0], v.RoundTrips[1]; each < least || each > most {
		t.Errorf("got %.3f round trips a transaction, want %g to %g", each, least, most)
	}
	if all.Traffic.Sent < 10*all.Ended() || all.Traffic.Received < 10*all.Ended() {
		t.Errorf("got %+v over the network for %d transactions, want some bytes for each", all.Traffic, all.Ended())
	}
}

// rehearse does a test run and looks whether each user said of each kind of
// transaction what it was called with and what came back.
func (s *suite) rehearse(t *testing.T, v Variant) {
	heard := &heard{byUser: map[int][]job.Event{}}
	result := s.Do(t, job.Spec{Action: job.Run, Users: 2, Options: s.values(s.built, v.Run)}, heard)
	if result.Metrics != nil {
		t.Errorf("got the headline %v, want none of a test", result.Metrics)
	}
	said := regexp.MustCompile(`^[A-Z][A-Za-z ]+: \d.*[\d}]$`)
	for user := 1; user <= 2; user++ {
		of := heard.byUser[user]
		if len(of) < 4 || of[0].State != job.UserRunning || of[len(of)-1].State != job.UserSucceeded {
			t.Fatalf("virtual user %d: got %+v, want what it did between running and succeeded", user, of)
		}
		if s.d.Name == "mariadb" || s.d.Name == "mysql" {
			if of[1].Step == nil || of[1].Step.Of != "Ssl_cipher " {
				t.Errorf("virtual user %d: got %+v, want it to say that the connection is not encrypted", user, of[1])
			}
		}
		for _, kind := range s.w.Kinds {
			shown := false
			for i, e := range of[:len(of)-1] {
				shown = shown || e.Message == kind.Name && said.MatchString(of[i+1].Message)
			}
			if !shown {
				t.Errorf("virtual user %d: got %+v, want %q and what it brought", user, of, kind.Name)
			}
		}
	}
}

// heard keeps what is heard of each virtual user.
type heard struct{ byUser map[int][]job.Event }

func (h *heard) Watch(e job.Event) {
	if e.User > 0 {
		h.byUser[e.User] = append(h.byUser[e.User], e)
	}
}

func (s *suite) remove(t *testing.T) {
	if s.isThere {
		s.Do(t, job.Spec{Action: job.Delete, Options: s.values(s.built)})
		s.isThere = false
	}
}

// values are option values beside the server's.
func (s *suite) values(sets ...option.Values) option.Values {
	all := s.server.Clone()
	for _, set := range sets {
		for name, value := range set {
			all[name] = value
		}
	}
	return all
}

// Do does a job and ends the test if it fails.
func (s *suite) Do(t *testing.T, spec job.Spec, watchers ...job.Watcher) job.Result {
	t.Helper()
	spec.Database, spec.Workload, spec.Seed = s.d.Name, s.w.Name, 1
	who := &product{}
	watchers = append(watchers, &failures{t: t}, who)
	result, err := s.runner().Do(t.Context(), spec, job.Control{Watchers: watchers})
	if err != nil {
		for _, f := range result.Findings {
			if !f.Holds && f.Excuse == "" {
				t.Logf("%s does not hold: %s %v %v", f.Rule, f.Title, f.Columns, f.Rows)
			}
		}
		t.Fatalf("%s: %v", spec.Action, err)
	}
	who.expect(t, spec.Action, s.relative)
	return result
}

// product keeps what a job says of the server that answers.
type product struct {
	lines []string
	facts string
}

func (p *product) Watch(e job.Event) {
	if strings.Contains(e.Message, " server answered, although ") {
		p.lines = append(p.lines, e.Message)
	}
	if e.Facts != nil {
		p.facts = e.Facts.Product
	}
}

// expect fails the test unless the job has said once that the relative answers, or,
// where there is none, nothing.
func (p *product) expect(t *testing.T, action job.Action, relative string) {
	t.Helper()
	want := min(len(relative), 1)
	if len(p.lines) != want || want == 1 && !strings.Contains(p.lines[0], relative) {
		t.Errorf("%s: got the lines %q, want %d that name %s", action, p.lines, want, relative)
	}
	if action == job.Run && p.facts != relative {
		t.Errorf("%s: the facts name the product %q, want %q", action, p.facts, relative)
	}
}

func (s *suite) runner() engine.Local {
	return engine.Local{Catalog: edition.Catalog, Version: "test"}
}

// failures logs the failures of transactions as they happen.
type failures struct{ t *testing.T }

func (f *failures) Watch(e job.Event) {
	if e.Failure != nil {
		f.t.Logf("%+v", *e.Failure)
	}
}

func (s *suite) compare(t *testing.T) {
	t.Helper()
	plan, err := s.runner().Plan(job.Spec{Database: s.d.Name, Workload: s.w.Name, Seed: 1, Options: s.values(s.built)})
	if err != nil {
		t.Fatal(err)
	}
	CompareRows(t, plan)
}

// CompareRows holds the rows of every table against those that the workload
// generates. Since they are the same for all databases, so are the databases.
func CompareRows(t *testing.T, plan engine.Plan) {
	t.Helper()
	session, err := plan.Database.Connect(t.Context(), plan.Connection, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, table := range plan.Workload.Tables(plan.Settings, plan.Seed) {
		got, want := loaded(t, session, table), generated(t, table)
		if got != want {
			t.Errorf("table %s holds %d rows of checksum %x, and %d of %x were generated", table.Name, got.rows, got.sum, want.rows, want.sum)
		}
	}
}

// checksum is the same for the same rows in any order.
type checksum struct {
	rows int
	sum  uint64
}

func (c *checksum) add(row string) {
	digest := sha256.Sum256([]byte(row))
	c.rows++
	c.sum += binary.BigEndian.Uint64(digest[:])
}

func generated(t *testing.T, table schema.Table) (sum checksum) {
	var values []any
	var buf []byte
	for chunk := range table.Chunks {
		source := table.Rows(chunk)
		for {
			row, more := source.AppendRow(buf[:0])
			if !more {
				break
			}
			buf = row
			var err error
			if values, err = schema.Fields(values[:0], row, table.Columns); err != nil {
				t.Fatal(err)
			}
			var line strings.Builder
			for i, c := range table.Columns {
				line.WriteString(canonical(t, c, text(values[i])))
				line.WriteByte('\t')
			}
			sum.add(line.String())
		}
	}
	return sum
}

func text(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	default:
		return v.(string)
	}
}

func loaded(t *testing.T, session database.Session, table schema.Table) (sum checksum) {
	rows, err := session.Query(context.Background(), "SELECT "+strings.Join(table.ColumnNames(), ", ")+" FROM "+table.Name, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows.Rows {
		var line strings.Builder
		for i, c := range table.Columns {
			line.WriteString(canonical(t, c, row[i]))
			line.WriteByte('\t')
		}
		sum.add(line.String())
	}
	return sum
}

// canonical writes a value the way it is compared: databases show 0.50 as .5, and
// a moment with or without its zone.
func canonical(t *testing.T, c schema.Column, value string) string {
	if value == "NULL" {
		return value
	}
	switch c.Type {
	case schema.Decimal:
		f, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(f, 'f', c.Scale, 64)
	case schema.Char:
		return strings.TrimRight(value, " ")
	case schema.Timestamp:
		return strings.Replace(value, "T", " ", 1)[:min(len(value), len("2006-01-02 15:04:05"))]
	}
	return value
}
