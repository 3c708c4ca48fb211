package cli

import (
	"context"
	"strings"
	"testing"

	"sledge/internal/job"
)

// What is to be copied works with the same repository, and asks for the password again.
func TestTheNextCommandGoesWhereThisOneWent(t *testing.T) {
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
