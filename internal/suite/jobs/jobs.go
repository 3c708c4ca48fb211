// Package jobs is the suite that every workload must pass on every database: build, compare the
// loaded rows with the generated ones, check, run, check again, delete. It takes the variants from
// the workload, and does not know databases or workloads by name.
package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/suite"
	"sledge/internal/workload"
)

// Subject is a workload on a database, under test.
type Subject struct {
	catalog.Pair
	Version string        // Sledge's version
	Values  option.Values // options that reach the server

	// Measured is the measured time of a run that does not end with its work.
	Measured time.Duration

	// Relative is the title of the server's product, if that is not the database's own product;
	// otherwise "".
	Relative string

	// Chosen selects the variants to test; nil selects all.
	Chosen func(v workload.Variant) bool

	// Look checks the events of a run of a variant. Optional.
	Look func(t suite.T, v workload.Variant, told []job.Event)

	// Built checks the schema of the first build, given the option values, and the events of that
	// build and of the check after it. It must not change the schema. Optional.
	Built func(t suite.T, values option.Values, build, check []job.Event)

	// Unguarded leaves out that builds and deletions are refused beside a run, which takes several seconds. It
	// depends on the database and not on the workload.
	Unguarded bool

	// InParts makes each job of a variant a separate step, so that the suite continues after a
	// failed step. It also compares the rows of every build and checks the schema after every run.
	// Otherwise the rows of the first build are compared, and each schema is checked once, after
	// all runs on it.
	InParts bool
}

// Run tests a subject. Each variant with its own Build values is built from scratch; the others
// run on the existing schema. The last schema is deleted at the end.
func Run(t suite.T, of Subject) {
	s := &cycle{Subject: of}
	t.Cleanup(func() { s.remove(context.Background(), t) })
	for _, v := range of.Workload.Variants {
		if of.Chosen != nil && !of.Chosen(v) || !s.has(v) {
			continue
		}
		t.Run(v.Name, func(t suite.T) { s.try(t, v) })
		if s.hopeless {
			t.Errorf("the steps after %s were skipped, because the schema cannot be built", v.Name)
			break
		}
	}
	// A server may commit a change although its statement was cancelled, so runs with a limit follow all runs whose results
	// are compared with those of other databases.
	for _, v := range s.limited {
		if s.isThere {
			s.checked = false
			t.Run(v.Name+" with a limit", func(t suite.T) { s.limit(t, v) })
		}
	}
	if s.isThere && !s.checked {
		s.part(t, "check", s.check)
	}
	if of.InParts && s.begun {
		t.Run("delete", func(t suite.T) { s.remove(t.Context(), t) })
	}
}

// cycle is a subject under test.
type cycle struct {
	Subject
	built    option.Values      // the option values of the current schema
	building []job.Event        // the events of its build
	checking []job.Event        // the events of the last check
	begun    bool               // a build has begun, so its schema must be deleted
	isThere  bool               // the build succeeded
	checked  bool               // no run has changed the schema since the last check
	compared bool               // the rows of a build were compared with the generated ones
	limited  []workload.Variant // variants of finite runs, which are tried with a limit at the end
	guarded  bool               // a build and a deletion were tried during a run

	broken   bool // the build with stored routines failed, so the suite continues without them
	hopeless bool // the build without routines failed too
}

// has reports whether the pair has all options and the SQL of a variant.
func (s *cycle) has(v workload.Variant) bool {
	known := s.Options()
	describes := func(name string) bool {
		return slices.ContainsFunc(known, func(d option.Description) bool { return d.Name == name })
	}
	for _, values := range []option.Values{v.Build, v.Run} {
		for name := range values {
			if !describes(name) {
				return false
			}
		}
	}
	if v.Option != "" && !describes(v.Option) {
		return false
	}
	return v.SQL == "" || s.hasFile(v, v.SQL)
}

// hasFile reports whether the pair has an SQL file.
func (s *cycle) hasFile(v workload.Variant, name string) bool {
	plan, err := plan.New(s.Pair, s.spec(job.Build, s.values(v.Build)))
	return err == nil && plan.SQL.Has(name)
}

// part runs a part of a variant, and reports whether later parts can run.
func (s *cycle) part(t suite.T, name string, do func(t suite.T)) bool {
	t.Helper()
	if s.InParts {
		return t.Run(name, do)
	}
	do(t)
	return true
}

// try tests a variant, or skips it if the pair does not have it.
func (s *cycle) try(t suite.T, v workload.Variant) {
	if s.broken && (v.SQL != "" || v.Option != "" || len(v.Build) > 0) {
		t.Skipf("the schema could not be built with its stored routines")
	}
	if _, err := plan.New(s.Pair, s.specOfRun(1, s.ofRun(v))); err != nil && s.InParts {
		t.Skipf("%v", err)
	}
	s.run(t, v)
	switch {
	case !s.InParts || s.isThere || t.Context().Err() != nil:
	case s.broken || !s.hasFile(v, "routines"):
		s.hopeless = true
	default:
		s.remove(t.Context(), t)
		s.Pair, s.broken = withoutRoutines(s.Pair), true
	}
}

func (s *cycle) run(t suite.T, v workload.Variant) {
	if !s.isThere || len(v.Build) > 0 {
		if s.isThere && !s.checked {
			s.part(t, "check before the next build", s.check)
		}
		if !s.part(t, "build", func(t suite.T) { s.build(t, v) }) {
			return
		}
		if !s.compared || s.InParts {
			s.part(t, "rows", s.compare)
			s.part(t, "check", s.check)
			if s.Built != nil && !s.compared {
				s.Built(t, s.values(s.built), s.building, s.checking)
			}
			s.compared = true
		}
	}
	s.checked = false
	if v.Test {
		s.part(t, "test run", func(t suite.T) { s.rehearse(t, v) })
		return
	}
	s.part(t, "run", func(t suite.T) { s.measure(t, v) })
	if !s.guarded && !s.Unguarded && !s.Workload.Users.Finite { // a finite run may end too soon
		s.guarded = true
		s.part(t, "build and delete beside a run", func(t suite.T) { s.guard(t, v) })
	}
	if s.InParts {
		s.part(t, "check after the run", s.check)
	}
}

func (s *cycle) check(t suite.T) {
	t.Helper()
	_, s.checking = s.do(t, s.spec(job.Check, s.values(s.built)))
	s.checked = true
}

func (s *cycle) build(t suite.T, v workload.Variant) {
	s.remove(t.Context(), t)
	if s.begun = true; len(v.Build) > 0 {
		s.built = v.Build // nil keeps the values of the previous build
	}
	_, s.building = s.do(t, s.spec(job.Build, s.values(s.built)))
	s.isThere, s.checked = true, false
}

// measure performs a run, and checks that it executed and counted all kinds of transaction.
func (s *cycle) measure(t suite.T, v workload.Variant) {
	result, told := s.do(t, s.specOfRun(3, s.ofRun(v)))
	for k, kind := range s.Workload.Kinds {
		without := slices.ContainsFunc(v.Without, func(words string) bool { return strings.HasPrefix(kind.Name, words) })
		tally := result.Summary.Kinds[k]
		if missed := tally.Done == 0 && !without; missed && s.few(result) {
			t.Logf("%s: none done, in a run of few transactions", kind.Name)
		} else if missed || without && tally.Done > 0 || tally.Failures() > 0 {
			t.Errorf("%s: %d were done and %d failed", kind.Name, tally.Done, tally.Failures())
		}
	}
	for _, m := range result.Metrics {
		t.Logf("%s", strings.TrimSpace(fmt.Sprintf("%s: %.*f %s", m.Name, digits(m.Value), m.Value, m.Unit)))
		if !slices.Contains(s.Workload.Score.Figures, workload.Figure{Name: m.Name, Unit: m.Unit}) {
			t.Errorf("the figure %q in %q is not among the workload's Figures, so no threshold can name it", m.Name, m.Unit)
		}
	}
	if s.Look != nil {
		s.Look(t, v, told)
	}
	if s.Workload.Users.Finite {
		s.wantSpans(t, result)
		s.limited = append(s.limited, v)
		s.wantPlans(t, result)
	} else {
		s.wantAgreement(t, result.Agreement)
	}
	s.wantTraffic(t, v, result.Summary.All())
}

// wantAgreement checks that the server's count agrees with the client's. A short run on a busy
// machine or a slow server may have too few transactions to compare.
func (s *cycle) wantAgreement(t suite.T, a *job.Agreement) {
	t.Helper()
	switch {
	case a == nil && s.Workload.Evidence.Probe == nil:
		t.Logf("the tables of this workload keep no count to compare")
	case a == nil:
		t.Error("the client's count was not compared with the server's")
	case a.Holds:
	case a.Vague:
		t.Logf("%s: the client counted %d, the server %d: too few to compare", a.What, a.Client, a.Server)
	default:
		t.Errorf("%s: the client counted %d, the server %d, want %d to %d by the server, and enough to compare", a.What, a.Client, a.Server, a.Low, a.High)
	}
}

// digits returns the number of decimals with which a value is logged.
func digits(value float64) int {
	if value < 100 {
		return 3
	}
	return 0
}

// few reports whether a run was too short or too slow to include each kind of transaction.
func (s *cycle) few(r job.Result) bool {
	const enough = 100
	all := r.Summary.All()
	return !s.Workload.Users.Finite && all.Ended() > 0 && all.Ended() < enough
}

// ofRun returns the option values for a run of a variant.
func (s *cycle) ofRun(v workload.Variant, sets ...option.Values) option.Values {
	all := []option.Values{s.built, v.Run}
	if !s.Workload.Users.Finite && !v.Test {
		all = append(all, option.Values{"rampup": "0s", "duration": s.Measured.String()})
	}
	return s.values(append(all, sets...)...)
}

// wantSpans checks that each counted transaction has a span.
func (s *cycle) wantSpans(t suite.T, result job.Result) {
	kept := map[string]int64{}
	for _, span := range result.Spans {
		if !span.Done() || span.Seconds <= 0 || span.Number < 1 || span.Number > span.Of {
			t.Errorf("got the span %+v, want it done, with a duration and a number", span)
		}
		kept[span.Kind]++
	}
	for k, kind := range s.Workload.Kinds {
		if done := result.Summary.Kinds[k].Done; kept[kind.Name] != done {
			t.Errorf("%s: got %d spans, want the %d done", kind.Name, kept[kind.Name], done)
		}
	}
	if len(result.Metrics) == 0 || result.Metrics[0].Value <= 0 {
		t.Errorf("got the headline %+v", result.Metrics)
	}
}

// wantPlans checks that each executed query has a plan with operators. Servers of compatible
// products may lack times.
func (s *cycle) wantPlans(t suite.T, result job.Result) {
	kept := map[string]bool{}
	for _, plan := range result.Plans {
		kept[plan.Kind] = true
		if len(plan.Lines) == 0 || plan.Shape() == "" || plan.Query == "" || plan.Seconds <= 0 || plan.Error != "" && s.Relative == "" {
			t.Errorf("got the plan %+v, want lines, some of them with steps", plan)
		}
	}
	for _, span := range result.Spans {
		if s.Workload.Users.Queries != nil && span.Stream != job.NoStream && !kept[span.Kind] {
			t.Errorf("there is no plan of %s", span.Kind)
		}
	}
}

// wantTraffic checks the number of round trips of a transaction.
func (s *cycle) wantTraffic(t suite.T, v workload.Variant, all meter.Tally) {
	each := float64(all.Traffic.RoundTrips) / float64(all.Ended())
	if s.Database.Embedded() || s.Database.Sessions.Library != nil { // the connections of a vendor's library are not visible
		if all.Traffic != (meter.Traffic{}) {
			t.Errorf("got %+v over the network, want zero, because the traffic is not visible", all.Traffic)
		}
		return
	}
	if least, most := v.RoundTrips[0], v.RoundTrips[1]; each < least || each > most {
		t.Errorf("got %.3f round trips per transaction, want %g to %g", each, least, most)
	}
	if all.Traffic.Sent < 10*all.Ended() || all.Traffic.Received < 10*all.Ended() {
		t.Errorf("got %+v over the network for %d transactions, want some bytes for each", all.Traffic, all.Ended())
	}
}

// remove deletes the schema, even if the build did not finish.
func (s *cycle) remove(ctx context.Context, t suite.T) {
	t.Helper()
	if !s.begun {
		return
	}
	whole, told := s.isThere, &told{t: t}
	s.isThere, s.checked = false, false
	_, err := s.perform(ctx, s.spec(job.Delete, s.values(s.built)), told)
	if exit := job.ExitOf(err); !whole && (exit == job.ExitConnect || exit == job.ExitMissing) {
		err = nil // the failed build had not created the schema yet
	}
	if err != nil {
		t.Errorf("delete: %v", err)
		return
	}
	if deleted := func(e job.Event) bool { return e.Step != nil && e.Step.Name == job.StepDelete && e.Step.Of != "" }; whole && !slices.ContainsFunc(told.events, deleted) {
		t.Error("delete: no event names the schema that was deleted")
	}
	s.begun = false
}

// values returns the server's option values with further ones.
func (s *cycle) values(sets ...option.Values) option.Values {
	all := s.Values.Clone()
	for _, set := range sets {
		for name, value := range set {
			all[name] = value
		}
	}
	return all
}

func (s *cycle) spec(action job.Action, values option.Values) job.Spec {
	return job.Spec{Action: action, Database: s.Database.Name, Workload: s.Workload.Name, Seed: 1, Options: values}
}

// specOfRun returns the spec of a run with a number of virtual users.
func (s *cycle) specOfRun(users int, values option.Values) job.Spec {
	spec := s.spec(job.Run, values)
	spec.Users = users
	return spec
}

// perform performs a job.
func (s *cycle) perform(ctx context.Context, spec job.Spec, watchers ...job.Watcher) (job.Result, error) {
	plan, err := plan.New(s.Pair, spec)
	if err != nil {
		return job.Result{}, err
	}
	return engine.Local{Version: s.Version}.DoPlan(ctx, plan, job.Control{Watchers: watchers})
}

// do performs a job, and returns its result and events. It ends the step if the job fails. Because a
// busy machine may leave this process without a core for so long that a run is invalid, do makes up
// to three runs then, unless they are finite.
func (s *cycle) do(t suite.T, spec job.Spec) (job.Result, []job.Event) {
	t.Helper()
	const runs = 3
	for run := 1; ; run++ {
		told := &told{t: t}
		result, err := s.perform(t.Context(), spec, told)
		switch byClient := result.InvalidBy == "Client"; {
		case byClient && s.Workload.Users.Finite:
			t.Logf("%s: %v", spec.Action, err)
			err = nil // its answers count, and another run could change the data, which are compared with other databases'
		case byClient && run < runs:
			t.Logf("%s: %v; tried again", spec.Action, err)
			continue
		}
		for _, f := range result.Findings {
			if err != nil && !f.Holds && f.Excuse == "" {
				t.Logf("%s does not hold: %s %v %v %s", f.Rule, f.Title, f.Columns, f.Rows, f.Error)
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", spec.Action, err)
		}
		told.wantProduct(spec.Action, s.Relative)
		return result, told.events
	}
}

// told is a watcher that keeps the events of a job, and logs failed transactions as they happen.
type told struct {
	t      suite.T
	events []job.Event
}

func (l *told) Watch(e job.Event) {
	l.events = append(l.events, e)
	if e.Failure != nil {
		again := ""
		if e.Failure.Retried {
			again = "; tried again"
		}
		l.t.Logf("%s, %s: %s%s", e.Failure.Kind, e.Failure.Class, e.Failure.Message, again)
	}
}

// wantProduct checks that the job has reported the compatible product exactly once, or not at all if
// relative is "".
func (l *told) wantProduct(action job.Action, relative string) {
	l.t.Helper()
	var lines []string
	facts := ""
	for _, e := range l.events {
		if strings.Contains(e.Message, " server answered, although ") {
			lines = append(lines, e.Message)
		}
		if e.Facts != nil {
			facts = e.Facts.Product
		}
	}
	want := min(len(relative), 1)
	if len(lines) != want || want == 1 && !strings.Contains(lines[0], relative) {
		l.t.Errorf("%s: got the lines %q, want %d that name %s", action, lines, want, relative)
	}
	if action == job.Run && facts != relative {
		l.t.Errorf("%s: the facts name the product %q, want %q", action, facts, relative)
	}
}
