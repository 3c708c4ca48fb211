package tprocc_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// TestJobs_ThroughPooler builds, checks, runs and deletes through pgbouncer in each of its modes.
// The database and its user exist before, because pgbouncer must know the user.
func TestJobs_ThroughPooler(t *testing.T) {
	t.Parallel() // it mostly waits
	server := testserver.Open(t, "postgresql", testserver.Own())
	account := option.Values{"user": "it", "password": "it", "dbname": "it", "no_superuser": "true"}
	direct := &place{d: postgresql.Database, values: server.Values()}
	maps.Copy(direct.values, account)
	admin, err := direct.d.Sessions.Connect(t.Context(), (&place{d: direct.d, values: server.Values()}).plan(t).Connection, database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	t.Cleanup(func() { clearAway(t, &place{d: direct.d, values: server.Values()}) })
	exec(t, admin, "CREATE ROLE it LOGIN PASSWORD 'it'", "CREATE DATABASE it OWNER it")

	via := func(mode string) *place {
		pool := "default_pool_size=4" // fewer than the sessions
		if mode == "session" {
			pool = "default_pool_size=8" // one for each session, otherwise some would wait until they time out
		}
		p := &place{d: direct.d, values: testserver.OpenPooler(t, server, mode, map[string]string{"it": "it"}, pool).Values()}
		maps.Copy(p.values, account)
		return p
	}
	do := func(p *place, action job.Action, options ...string) (job.Result, []string, error) {
		t.Helper()
		spec := p.spec(action)
		spec.Options = spec.Options.Clone()
		for i := 0; i < len(options); i += 2 {
			spec.Options[options[i]] = options[i+1]
		}
		if action == job.Run {
			spec.Users = 3
			spec.Options["rampup"], spec.Options["duration"] = "0s", "1s"
		}
		heard := newSaid(action, p.d)
		result, err := local.Do(t.Context(), spec, job.Control{Watchers: []job.Watcher{heard}})
		return result, heard.lines, err
	}
	must := func(p *place, action job.Action, options ...string) (job.Result, []string) {
		t.Helper()
		result, lines, err := do(p, action, options...)
		if err != nil {
			t.Fatalf("%s: %v: %q", action, err, lines)
		}
		return result, lines
	}
	refuses := func(p *place, action job.Action, options ...string) {
		t.Helper()
		_, lines, err := do(p, action, options...)
		if err == nil || !strings.Contains(err.Error(), "in statement mode") || !strings.Contains(err.Error(), "pool_mode to transaction or session") {
			t.Errorf("%s: got %v, want a refusal that names the mode to choose: %q", action, err, lines)
		}
	}
	statement := via("statement")
	for _, mode := range []string{"session", "transaction"} {
		p := via(mode)
		must(p, job.Build, "warehouses", "1")
		for _, client := range []string{"false", "true"} {
			result, lines := must(p, job.Run, "client_sql", client)
			if unclaimed := strings.Contains(strings.Join(lines, "\n"), "mode this run holds no claim"); unclaimed != (mode == "transaction") {
				t.Errorf("a run in %s mode says that it holds no claim: %t: %q", mode, unclaimed, lines)
			}
			all := result.Summary.All()
			if a := result.Agreement; a == nil || !a.Holds && !a.Vague || all.Failures() != 0 { // a busy machine may do few transactions
				t.Errorf("a run in %s mode, client SQL %s: got %+v, %d failed: %q", mode, client, a, all.Failures(), lines)
			}
			if shares := mode != "session"; shares != (result.Uncounted != "") {
				t.Errorf("a run in %s mode: TPM is not the server's because %q", mode, result.Uncounted)
			}
		}
		must(p, job.Check)
		if mode == "session" {
			must(p, job.Delete)
			continue
		}
		refuses(statement, job.Build)
		must(statement, job.Check)
		must(statement, job.Run)
		refuses(statement, job.Run, "client_sql", "true")
		refuses(statement, job.Delete)
		if _, lines := must(p, job.Delete); !strings.Contains(strings.Join(lines, "\n"), "Dropped the tables") {
			t.Errorf("delete: got %q", lines)
		}
	}
	// The pooler closes a connection that was left in a transaction a moment after its client has
	// disconnected.
	for end := time.Now().Add(30 * time.Second); some(t, admin, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory'"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a claim outlived its build")
		}
	}
}
