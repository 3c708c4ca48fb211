package cli

import (
	"context"
	"strings"
	"testing"

	"sledge/internal/job"
)

// The suggested command has the flags of the server, of the repository and of the password prompt.
func TestNext_RepeatsServerAndRepository(t *testing.T) {
	w := newWorld(t)
	w.StdinIsTerminal = true
	w.ReadPassword = func() (string, error) { return "s3cret", nil }
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) { return measured(), nil })
	other := w.repository + "-other"
	if code := w.run("run", "--db", "pg", "--host", "db1", "--ask-password", "--repo", other); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	want := "sledge check --db pg --host db1 --ask-password --repo " + other
	if !strings.Contains(w.out.String(), want) {
		t.Errorf("got %q, want %q in it", &w.out, want)
	}
}

// The suggested check leaves out options of runs, which a check would refuse.
func TestNext_LeavesOutOptionsOfOtherActions(t *testing.T) {
	w := newWorld(t)
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) { return measured(), nil })
	if code := w.run("run", "--db", "pg", "--set", "key_and_think=true", "--set", "ssl_mode=require", "--set", "pg_rampup=3"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	if want := "sledge check --db pg --set ssl_mode=require "; !strings.Contains(w.out.String(), want) {
		t.Errorf("got %q, want %q in it", &w.out, want)
	}
}

func TestNext_SuggestsRunOnlyAfterSuccessfulBuild(t *testing.T) {
	for status, want := range map[job.Status]bool{job.Succeeded: true, job.Failed: false} {
		w := newWorld(t)
		w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
			return job.Result{Status: status, Reason: "aborted", SchemaWork: job.SchemaWork{Loaded: []job.TableLoad{{Table: "item", Rows: 1, Bytes: 1, Seconds: 1}}}}, nil
		})
		w.run("build", "--db", "pg")
		if got := strings.Contains(w.out.String(), "sledge run --db pg"); got != want || !strings.Contains(w.out.String(), "item") {
			t.Errorf("%s: got %q, want a table, and a run as the suggested command: %t", status, &w.out, want)
		}
	}
}
