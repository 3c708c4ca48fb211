package repository

import (
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"sledge/internal/job"
	"sledge/internal/meter"
)

func TestJobsAreFoundByTheirLabels(t *testing.T) {
	s := openStore(t, ":memory:")
	var ids []job.ID
	for _, labels := range []map[string]string{{"ticket": "4711", "kernel": "6.1"}, {"ticket": "4712"}, nil} {
		spec := runSpec()
		spec.Labels, spec.Note = labels, "a note"
		r := begin(t, s, spec)
		if err := r.End(t.Context(), job.Result{}, nil); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID())
	}
	for _, tt := range []struct {
		labels map[string]string
		want   []job.ID
	}{
		{nil, []job.ID{ids[2], ids[1], ids[0]}},
		{map[string]string{"ticket": ""}, []job.ID{ids[1], ids[0]}},
		{map[string]string{"ticket": "4711"}, []job.ID{ids[0]}},
		{map[string]string{"ticket": "4711", "kernel": ""}, []job.ID{ids[0]}},
		{map[string]string{"ticket": "4712", "kernel": ""}, nil},
		{map[string]string{"nosuch": ""}, nil},
	} {
		jobs, err := s.List(t.Context(), Query{Labels: tt.labels})
		var got []job.ID
		for _, j := range jobs {
			got = append(got, j.ID)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%v: got %v and error %v, want %v", tt.labels, got, err, tt.want)
		}
	}
	if j, err := s.Get(t.Context(), ids[0]); err != nil || j.Spec.Labels["kernel"] != "6.1" || j.Spec.Note != "a note" {
		t.Errorf("got %+v and error %v", j.Spec, err)
	}
}

func TestJobsAreFoundByTheirProfile(t *testing.T) {
	s := openStore(t, ":memory:")
	var ids []job.ID
	for _, profile := range []int{7, 0, 3, 7} {
		r, err := s.Begin(t.Context(), runSpec(), kinds, profile)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.End(t.Context(), job.Result{}, nil); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID())
	}
	jobs, err := s.List(t.Context(), Query{Profile: 7})
	if err != nil || len(jobs) != 2 || jobs[0].ID != ids[3] || jobs[1].ID != ids[0] || jobs[0].Profile != 7 {
		t.Errorf("profile 7: got %+v and error %v, want %s and %s", jobs, err, ids[3], ids[0])
	}
	if all, err := s.List(t.Context(), Query{}); err != nil || len(all) != 4 {
		t.Errorf("no profile given: got %d jobs and error %v, want all 4", len(all), err)
	}
	if got, err := s.Profiles(t.Context()); err != nil || !slices.Equal(got, []int{3, 7}) {
		t.Errorf("got profiles %v and error %v, want 3 and 7", got, err)
	}
	if next, err := s.NextProfile(t.Context()); err != nil || next != 8 {
		t.Errorf("got %d and error %v for the next profile, want 8", next, err)
	}
	if next, err := s.NextProfile(t.Context()); err != nil || next != 9 {
		t.Errorf("got %d and error %v for the profile after it, want 9: 8 is reserved, though it has no run yet", next, err)
	}
	if next, err := openStore(t, ":memory:").NextProfile(t.Context()); err != nil || next != 1 {
		t.Errorf("got %d and error %v for the first profile, want 1", next, err)
	}
}

func TestOfUsers_ReturnsTheMeasurementsOfEachUser(t *testing.T) {
	s := openStore(t, ":memory:")
	users := []meter.Summary{*measured(1, 10), *measured(2, 20)}
	// Times of a single user are stored with two digits.
	coarse := hdrhistogram.New(1, int64(time.Hour), 2)
	if err := coarse.RecordValue(int64(3 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	users[1].Kinds[0] = meter.Tally{Done: 1, Service: coarse, Response: coarse}
	r := begin(t, s, runSpec())
	result := job.Result{Measured: job.Measured{RampUpPerUser: []meter.CodedSummary{measured(3, 7).Coded(), measured(4, 8).Coded()}}}
	for i := range users {
		result.PerUser = append(result.PerUser, users[i].Coded())
	}
	if err := r.End(t.Context(), result, nil); err != nil {
		t.Fatal(err)
	}
	got, kept, err := s.UserSummary(t.Context(), r.ID(), 2)
	if err != nil || !kept {
		t.Fatalf("position 2: got %v and error %v", kept, err)
	}
	sameSummary(t, "position 2", got, users[0])
	got, kept, err = s.UserSummary(t.Context(), r.ID(), 3)
	if err != nil || !kept || got.Kinds[0].Done != 1 || !got.Kinds[0].Response.Equals(coarse) {
		t.Errorf("position 3: got %+v, %v, error %v", got, kept, err)
	}
	for phase, want := range map[job.Phase][]meter.CodedSummary{job.RampUp: result.RampUpPerUser, job.Measure: result.PerUser, job.Finish: nil} {
		list, err := s.OfUsers(t.Context(), r.ID(), phase)
		if err != nil || len(list) != len(want) {
			t.Fatalf("%s: got %+v and error %v, want %d users", phase, list, err, len(want))
		}
		for i, u := range list {
			if u.Position != job.FirstWorker+i || !reflect.DeepEqual(u.Measured, want[i]) {
				t.Errorf("%s: got %+v, want that of user %d: %+v", phase, u, i, want[i])
			}
		}
	}
	for _, position := range []int{0, 1, 4} {
		if _, kept, err := s.UserSummary(t.Context(), r.ID(), position); err != nil || kept {
			t.Errorf("position %d: got %v and error %v, want nothing", position, kept, err)
		}
	}
	if err := s.Delete(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := s.db.QueryRow("SELECT count(*) FROM user_tally").Scan(&left); err != nil || left != 0 {
		t.Errorf("after the job was deleted: got %d rows and error %v, want none", left, err)
	}
}

// past returns a run that another program recorded a day ago.
func past() Past {
	at := time.Now().Add(-24 * time.Hour).Truncate(time.Second)
	p75 := 6.5
	return Past{
		Job: job.Job{
			ID: "6421B4C85F7E03E293532393", Origin: "HammerDB", Status: job.Succeeded, Begun: at, Host: "db1",
			Spec: job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 4}, Profile: 5,
			Facts:  &job.Facts{Server: "16.4"},
			Result: job.Result{Line: "TEST RESULT : System achieved 1 NOPM from 2 PostgreSQL TPM", Extent: job.Extent{Users: 4}, Metrics: []job.Metric{{Name: "NOPM", Value: 1}}},
		},
		Output: []OutputLine{{At: at, User: 1, Line: "Beginning rampup time of 2 minutes"}},
		Counts: []job.Count{{At: at}, {At: at.Add(10 * time.Second), Rate: 36400}},
		Details: job.ImportDetails{
			Settings: []job.Section{{Name: "connection", Settings: []job.Setting{{Name: "pg_host", Value: "db1"}}}},
			Timings:  []job.Timing{{Name: "NEWORD", Calls: 3, P75: &p75}, {User: 2, Name: "NEWORD", Calls: 3}},
			System:   []job.Setting{{Name: "hostname", Value: "db1"}},
		},
	}
}

func TestAdd_KeepsIDAndBeginOfAnImportedJob(t *testing.T) {
	s := openStore(t, ":memory:")
	newer := begin(t, s, runSpec())
	if err := newer.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	p := past()
	for i, want := range []bool{true, false} {
		if added, err := s.Add(t.Context(), p); err != nil || added != want {
			t.Fatalf("time %d: got %v and error %v, want %v", i+1, added, err, want)
		}
	}
	jobs, err := s.List(t.Context(), Query{})
	if err != nil || len(jobs) != 2 || jobs[0].ID != newer.ID() {
		t.Fatalf("got %+v and error %v, want the newer job first", jobs, err)
	}
	if last, err := s.Get(t.Context(), "last"); err != nil || last.ID != newer.ID() {
		t.Errorf("last: got %s and error %v, want the job that began last", last.ID, err)
	}
	j := jobs[1]
	if j.ID != p.Job.ID || j.Origin != "HammerDB" || j.Status != job.Succeeded || !j.Begun.Equal(p.Job.Begun) ||
		j.Profile != 5 || j.Facts.Server != "16.4" || j.Result.Line != p.Job.Result.Line || j.Host != "db1" {
		t.Errorf("got %+v", j)
	}
	if lines := collect(t, s.Output(t.Context(), j.ID)); len(lines) != 1 || lines[0].Line != p.Output[0].Line {
		t.Errorf("got output %+v", lines)
	}
	if counts := collect(t, s.Seconds(t.Context(), j.ID)); len(counts) != 2 || *counts[1].Second.ServerTPM != 36400 || !counts[1].At.Equal(p.Counts[1].At) {
		t.Errorf("got counts %+v", counts)
	}
	details, err := s.ImportDetails(t.Context(), j.ID)
	if err != nil || len(details.Timings) != 2 || *details.Timings[0].P75 != 6.5 || details.Timings[1].P75 != nil || details.System[0].Value != "db1" {
		t.Errorf("got details %+v and error %v", details, err)
	}
	if details, err := s.ImportDetails(t.Context(), newer.ID()); err != nil || details.Settings != nil {
		t.Errorf("a job of Sledge's own: got %+v and error %v, want nothing", details, err)
	}
	if sum, _, err := s.Summary(t.Context(), j.ID); err != nil || len(sum.Kinds) != 0 {
		t.Errorf("got a summary of %d kinds and error %v, want none", len(sum.Kinds), err)
	}
}

func TestAdd_ReplacesAJobAddedBeforeItsEnd(t *testing.T) {
	s := openStore(t, ":memory:")
	unfinished := past()
	unfinished.Job.Status, unfinished.Job.Result = job.Killed, job.Result{}
	if added, err := s.Add(t.Context(), unfinished); err != nil || !added {
		t.Fatalf("got %v and error %v", added, err)
	}
	if jobs, err := s.List(t.Context(), Query{Status: job.Killed}); err != nil || len(jobs) != 1 {
		t.Errorf("killed jobs: got %d and error %v, want one", len(jobs), err)
	}
	if added, err := s.Add(t.Context(), past()); err != nil || !added {
		t.Fatalf("the whole job: got %v and error %v", added, err)
	}
	if jobs, err := s.List(t.Context(), Query{}); err != nil || len(jobs) != 1 || jobs[0].Status != job.Succeeded {
		t.Errorf("got %+v and error %v, want one that succeeded", jobs, err)
	}
}

func TestAdd_RefusesSecretsAndAMissingOrigin(t *testing.T) {
	s := openStore(t, ":memory:")
	secret, homeless := past(), past()
	secret.Job.Spec.Options = map[string]string{"pg_pass": "x"}
	homeless.Job.Origin = ""
	for name, p := range map[string]Past{"a secret": secret, "no origin": homeless} {
		if added, err := s.Add(t.Context(), p); err == nil || added {
			t.Errorf("%s: got %v and error %v, want a refusal", name, added, err)
		}
	}
	if _, err := s.ImportDetails(t.Context(), "FFFF"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown job: got %v", err)
	}
}

// A repository of an older version has jobs without a profile, or no table for readings of the
// counter.
func TestOpen_MigratesAnOlderRepository(t *testing.T) {
	steps, err := readMigrations()
	if err != nil {
		t.Fatal(err)
	}
	for version := 1; version < len(steps); version++ {
		takeOver(t, steps[:version])
	}
}

// takeOver opens a repository that was created with the given migrations only.
func takeOver(t *testing.T, steps []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jobs.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := migrate(t.Context(), db, steps); err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`INSERT INTO job (id, action, database, workload, spec, kinds, status, begun_ms, seen_ms, host, pid, process_begun_ms)
		VALUES ('6421B4C85F7E03E293532393', 'run', 'sqlite', 'tprocc', '{"action":"run"}', '[]', 'succeeded', 1, 1, '', 0, 0)`)
	if err != nil {
		t.Fatal(err)
	}
	want := 2
	readings := `INSERT INTO reading (job, at_ms, tpm) VALUES (1, 2000, 4.5), (1, 1000, 3.5)`
	switch {
	case len(steps) < 3:
		want, readings = 0, ""
	case len(steps) >= 12:
		readings = `INSERT INTO series (job, name, unit, labels) VALUES (1, 'transaction counter', 'tpm', '{}');
			INSERT INTO sample (series, at_ms, value) VALUES (1, 2000, 4.5), (1, 1000, 3.5)`
	}
	if _, err := db.Exec(readings); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, path)
	jobs, err := s.List(t.Context(), Query{Action: job.Run})
	if err != nil || len(jobs) != 1 || jobs[0].Profile != 0 || jobs[0].Origin != "" {
		t.Fatalf("version %d: got %+v and error %v, want the job unchanged", len(steps), jobs, err)
	}
	if got := collect(t, s.Readings(t.Context(), jobs[0].ID)); len(got) != want || want > 0 && (got[0].Rate != 3.5 || got[1].Rate != 4.5) {
		t.Errorf("version %d: got readings %v, want %d", len(steps), got, want)
	}
	r := begin(t, s, runSpec())
	r.Count(job.Count{At: time.UnixMilli(5), Rate: 7})
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	if readings := collect(t, s.Readings(t.Context(), r.ID())); len(readings) != 1 || readings[0].Rate != 7 {
		t.Errorf("version %d: got readings %v, want one", len(steps), readings)
	}
}

// Older versions stored the latencies of results in seconds, in other formats.
func TestGet_ReadsLatenciesOfOlderResults(t *testing.T) {
	steps, err := readMigrations()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "jobs.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := migrate(t.Context(), db, steps[:13]); err != nil {
		t.Fatal(err)
	}
	const delay = `{"mean_seconds":0.0012345,"p50_seconds":0,"p99_seconds":0.02,"max_seconds":1.5}`
	const result = `{"status":"succeeded","lateness":` + delay + `,"sharing":{"connections":2,"wait":` + delay + `},
		"pace":{"asked_per_second":5,"late_mean_seconds":0.25,"late_p50_seconds":0,"late_p99_seconds":0.5,"late_max_seconds":1,
			"kinds":[{"kind":"payment","late_mean_seconds":0.001,"late_p99_seconds":0.002,"late_max_seconds":0.003},{"kind":"delivery"}]},
		"pool":{"connections":[{"name":"a","p50_seconds":0.002,"p99_seconds":0.004},{"name":"b","p50_seconds":0,"p99_seconds":0}]}}`
	_, err = db.Exec(`INSERT INTO job (id, action, database, workload, spec, kinds, status, begun_ms, seen_ms, host, pid, process_begun_ms, result)
		VALUES ('6421B4C85F7E03E293532393', 'run', 'sqlite', 'tprocc', '{"action":"run"}', '[]', 'succeeded', 1, 1, '', 0, 0, ?);
		INSERT INTO event (job, event) VALUES (1, json_object('at', '2026-01-02T03:04:05Z', 'headline', json(?)))`, result, result)
	if err != nil {
		t.Fatal(err)
	}
	s := openStore(t, path)
	j, err := s.Get(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	events := collect(t, s.Events(t.Context(), j.ID))
	if len(events) != 1 || events[0].Headline == nil {
		t.Fatalf("got the events %+v, want one with a headline", events)
	}
	const (
		wait  = `{"mean_ms":1.2345,"p50_ms":0,"p99_ms":20,"max_ms":1500}`
		whole = `[` + wait + `,` + wait + `,{"mean_ms":250,"p50_ms":0,"p99_ms":500,"max_ms":1000},{"mean_ms":1,"p99_ms":2,"max_ms":3},{},{"p50_ms":2,"p99_ms":4},null]`
	)
	for from, r := range map[string]job.Result{"the job": j.Result, "the event": *events[0].Headline} {
		got, err := json.Marshal([]*meter.Latency{
			r.StartLag, &r.Sharing.Wait, &r.Pace.StartLag, &r.Pace.Kinds[0].StartLag, &r.Pace.Kinds[1].StartLag, r.Pool.Connections[0].Response, r.Pool.Connections[1].Response,
		})
		if err != nil || string(got) != whole {
			t.Errorf("%s: got %s and error %v, want %s", from, got, err, whole)
		}
		if r.Pace.Asked != 5 || r.Pace.Kinds[1].Kind != "delivery" || r.Pool.Connections[1].Name != "b" || r.Sharing.Connections != 2 {
			t.Errorf("%s: got %+v, want the other members unchanged", from, r)
		}
	}
}

func TestNextProfile_GivesEachCallerANumberOfItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	const shells, each = 4, 5
	numbers := make(chan int, shells*each)
	var shell sync.WaitGroup
	for range shells {
		s := openStore(t, path)
		shell.Go(func() {
			for range each {
				n, err := s.NextProfile(t.Context())
				if err != nil {
					t.Error(err)
				}
				numbers <- n
			}
		})
	}
	shell.Wait()
	close(numbers)
	seen := map[int]bool{}
	for n := range numbers {
		seen[n] = true
	}
	if len(seen) != shells*each {
		t.Errorf("got %d different numbers, want %d", len(seen), shells*each)
	}
}
