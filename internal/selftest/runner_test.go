package selftest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/suite"
)

// tried runs steps and returns their outcomes.
func tried(ctx context.Context, r runner, do func(r *runner)) []Step {
	var steps []Step
	r.ctx = ctx
	r.began = func(name string) int {
		steps = append(steps, Step{Name: name})
		return len(steps) - 1
	}
	r.ended = func(number int, s Step) { steps[number] = s }
	do(&r)
	return steps
}

func TestStep_EndsWithoutEndingOthers(t *testing.T) {
	var order []string
	after := func(name string) func() { return func() { order = append(order, name) } }
	steps := tried(t.Context(), runner{limit: time.Minute, grace: time.Minute}, func(r *runner) {
		ok := r.run(t.Context(), "whole", func(s suite.T) {
			s.Cleanup(after("cleaned up last"))
			s.Cleanup(func() {
				after("cleaned up first")()
				if s.Context().Err() == nil {
					t.Error("the context of a step outlives it")
				}
			})
			s.Run("fatal", func(s suite.T) {
				s.Logf("a note of %d", 7)
				s.Errorf("first of %d", 2)
				s.Fatal("the last ", 1)
			})
			s.Run("panics", func(suite.T) { panic("boo") })
			s.Run("skipped", func(s suite.T) { s.Skipf("it is not for %s", "this") })
			s.Run("good", func(suite.T) {})
			after("the parts are over")()
		})
		if ok {
			t.Error("a step whose parts failed succeeded")
		}
		if !r.run(t.Context(), "next", func(suite.T) {}) {
			t.Error("the step after one that failed did not succeed")
		}
	})
	if want := []string{"the parts are over", "cleaned up first", "cleaned up last"}; !slices.Equal(order, want) {
		t.Errorf("got the order %q, want %q", order, want)
	}
	wants := []struct {
		name    string
		outcome Outcome
		says    string
	}{
		{"whole", Failed, ""},
		{"whole / fatal", Failed, "first of 2; the last  1"},
		{"whole / panics", Failed, "a bug in Sledge: boo"},
		{"whole / skipped", Skipped, "it is not for this"},
		{"whole / good", Passed, ""},
		{"next", Passed, ""},
	}
	if len(steps) != len(wants) {
		t.Fatalf("got %+v, want %d steps", steps, len(wants))
	}
	for i, want := range wants {
		got := steps[i]
		if got.Name != want.name || got.Outcome != want.outcome || !strings.HasPrefix(strings.Join(got.Says, "; "), want.says) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if notes := steps[1].Notes; !slices.Equal(notes, []string{"a note of 7"}) {
		t.Errorf("got the notes %q", notes)
	}
	if kept := leaves(steps); len(kept) != 5 || kept[0].Name != "whole / fatal" {
		t.Errorf("got %+v, want the steps without the one that only holds others", kept)
	}
}

func TestStep_ThatTakesTooLongIsStopped(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	steps := tried(t.Context(), runner{limit: 100 * time.Millisecond, grace: 100 * time.Millisecond}, func(r *runner) {
		r.run(t.Context(), "whole", func(s suite.T) {
			s.Run("obeys", func(s suite.T) { <-s.Context().Done() })
			s.Run("hangs", func(suite.T) { <-hang })
			s.Run("next", func(suite.T) {})
		})
	})
	for i, want := range []struct {
		outcome Outcome
		says    string
	}{{Failed, ""}, {Failed, "took longer than its limit"}, {Failed, "did not end within"}, {Passed, ""}} {
		if said := strings.Join(steps[i].Says, "; "); steps[i].Outcome != want.outcome || !strings.Contains(said, want.says) {
			t.Errorf("got %+v, want %+v", steps[i], want)
		}
	}
}

func TestSelftest_BeginsNoStepAfterAStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	cleaned := false
	steps := tried(ctx, runner{limit: time.Minute, grace: time.Minute}, func(r *runner) {
		r.run(ctx, "stopped", func(s suite.T) {
			s.Cleanup(func() { cleaned = true })
			stop()
			<-s.Context().Done()
			s.Fatal(s.Context().Err())
		})
		r.run(ctx, "later", func(suite.T) { t.Error("a step began after the test was stopped") })
	})
	if len(steps) != 2 || steps[0].Outcome != Stopped || steps[1].Outcome != NotRun || !cleaned {
		t.Errorf("got %+v, cleaned up %t; want one step stopped and cleaned up, and one not run", steps, cleaned)
	}
}

func TestQuit_EndsTheWaitForAStep(t *testing.T) {
	hang, quit := make(chan struct{}), make(chan struct{})
	defer close(hang)
	steps := tried(t.Context(), runner{limit: time.Hour, grace: time.Hour, quit: quit}, func(r *runner) {
		r.run(t.Context(), "hangs", func(suite.T) { close(quit); <-hang })
	})
	if len(steps) != 1 || steps[0].Outcome != Failed || !strings.Contains(steps[0].Says[0], "the test did not wait for its end") {
		t.Errorf("got %+v, want an abandoned step", steps)
	}
}
