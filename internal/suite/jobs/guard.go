package jobs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/suite"
	"sledge/internal/workload"
)

// guard starts a run, and checks that a build and a delete during it are refused.
func (s *cycle) guard(t suite.T, v workload.Variant) {
	t.Helper()
	if s.Database.Container.Claim == nil {
		plan, err := plan.New(s.Pair, s.spec(job.Build, s.values(s.built)))
		if err != nil {
			t.Fatal(err)
		}
		if plan.Schema.Claims == nil {
			t.Skipf("%s: jobs cannot detect each other", s.Database.Title)
		}
	}
	spec := s.specOfRun(1, s.ofRun(v, option.Values{"duration": "10m", "rate": "20/s"}))
	stop, ended, working := make(chan struct{}), make(chan error, 1), &beginning{begun: make(chan struct{})}
	go func() {
		plan, err := plan.New(s.Pair, spec)
		if err == nil {
			_, err = engine.Local{Version: s.Version}.DoPlan(t.Context(), plan, job.Control{Stop: stop, Watchers: []job.Watcher{working}})
		}
		ended <- err
	}()
	select {
	case <-working.begun:
	case err := <-ended:
		t.Fatalf("run: %v", err)
	}
	var others sync.WaitGroup
	for _, action := range []job.Action{job.Build, job.Delete} {
		others.Go(func() {
			_, err := s.perform(t.Context(), s.spec(action, s.values(s.built)))
			if job.ExitOf(err) != job.ExitExists || !strings.Contains(fmt.Sprint(err), "is in progress in ") {
				t.Errorf("%s: got %v with exit code %d, want it refused with %d because a run is in progress", action, err, job.ExitOf(err), job.ExitExists)
				return
			}
			t.Logf("%s: %v", action, err)
		})
	}
	others.Wait()
	close(stop)
	if err := <-ended; err != nil && job.ExitOf(err) != job.ExitStopped {
		t.Errorf("run: %v", err)
	}
}

// beginning is a watcher that closes begun when the virtual users begin to work.
type beginning struct {
	begun chan struct{}
	once  sync.Once
}

func (b *beginning) Watch(e job.Event) {
	if e.Phase != nil {
		b.once.Do(func() { close(b.begun) })
	}
}

// limit sets a short query limit, and checks that queries over it are cancelled and that the
// sessions continue with the next query. On a busy machine, each query may end before its
// cancellation reaches the server, so limit makes several runs.
func (s *cycle) limit(t suite.T, v workload.Variant) {
	t.Helper()
	const runs = 4
	for run := 1; ; run++ {
		result, err := s.perform(t.Context(), s.specOfRun(1, s.ofRun(v, option.Values{"query_limit": "1ms"})))
		result.Spans = slices.DeleteFunc(result.Spans, func(s job.Span) bool { return s.Stream == job.NoStream })
		if len(result.Spans) == 0 || len(result.Spans) != result.Spans[0].Of {
			t.Fatalf("with a limit: got %d transactions, %v; want all transactions", len(result.Spans), err)
		}
		over := 0
		for _, span := range result.Spans {
			switch {
			case span.Class == meter.OverLimit.String() && span.Outcome == job.SpanFailed:
				over++
			case !span.Done():
				t.Errorf("with a limit: got the span %+v, want it done or over the limit", span)
			}
		}
		t.Logf("%d of %d transactions took longer than a millisecond", over, len(result.Spans))
		switch {
		case over > 0 && job.ExitOf(err) != job.ExitInvalid || over == 0 && err != nil && result.InvalidBy != "Client":
			t.Fatalf("with a limit, %d transactions were over it: got %v; want an invalid result if there is one", over, err)
		case over > 0:
			return
		case run == runs:
			t.Fatalf("with a limit: got no transaction over the limit in %d runs", runs)
		}
	}
}

// rehearse performs a test run, and checks that each user reports the inputs and the results of
// each kind of transaction.
func (s *cycle) rehearse(t suite.T, v workload.Variant) {
	const users = 2
	result, told := s.do(t, s.specOfRun(users, s.ofRun(v)))
	if s.Look != nil {
		s.Look(t, v, told)
	}
	if result.Metrics != nil {
		t.Errorf("got the headline %v, want no headline from a test", result.Metrics)
	}
	said := regexp.MustCompile(`^[A-Z][A-Za-z ]+: \d.*[\d}]$`)
	for user := 1; user <= users; user++ {
		of := slices.DeleteFunc(slices.Clone(told), func(e job.Event) bool { return e.User != user })
		if len(of) < 4 || of[0].State != job.UserRunning || of[len(of)-1].State != job.UserSucceeded {
			t.Fatalf("virtual user %d: got %+v, want its transactions between running and succeeded", user, of)
		}
		for _, kind := range s.Workload.Kinds {
			shown := false
			for i, e := range of[:len(of)-1] {
				shown = shown || e.Message == kind.Name && said.MatchString(of[i+1].Message)
			}
			if !shown {
				t.Errorf("virtual user %d: got %+v, want %q and its outcome", user, of, kind.Name)
			}
		}
	}
}
