package repository

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlitefile"
	"sledge/internal/testserver"
)

// hold locks a repository through another connection, as another process could, until release is
// called.
func hold(t *testing.T, path string) (release func()) {
	t.Helper()
	dsn, err := sqlitefile.URI(path, settings)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	tx, err := db.Begin() // the settings make transactions immediate
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}

// say sends lines events to a recorder, numbered from the number from.
func say(r *Recorder, from, lines int) {
	for n := from; n < from+lines; n++ {
		r.Watch(job.Event{At: time.UnixMilli(int64(n)), User: n % 1000, Message: fmt.Sprint("line ", n)})
	}
}

// inOrder checks that all lines were recorded in order.
func inOrder(t *testing.T, s *Store, r *Recorder, lines int) {
	t.Helper()
	got := collect(t, s.Events(t.Context(), r.ID()))
	if len(got) != lines {
		t.Errorf("got %d lines, want %d", len(got), lines)
	}
	for n, line := range got {
		if want := fmt.Sprint("line ", n); !line.At.Equal(time.UnixMilli(int64(n))) || line.User != n%1000 || line.Message != want {
			t.Fatalf("got %+v, want %s", line, want)
		}
	}
}

func files(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRecorder_RecordsLinesOfTenThousandUsers(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	spec := runSpec()
	if spec.Users = 10_000; testserver.UnderRace {
		spec.Users = 1000 // their lines fill two batches
	}
	r := begin(t, s, spec)
	say(r, 0, 4*spec.Users)
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	inOrder(t, s, r, 4*spec.Users)
	if j, err := s.Get(t.Context(), r.ID()); err != nil || j.Status != job.Succeeded || j.Dropped != 0 {
		t.Errorf("got status %s and %d dropped, %v", j.Status, j.Dropped, err)
	}
}

func TestRecorder_WritesAFullBatchAtOnce(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	r := begin(t, s, runSpec())
	said := time.Now()
	say(r, 0, batchSize)
	for len(collect(t, s.Events(t.Context(), r.ID()))) < batchSize {
		if time.Since(said) > time.Minute {
			t.Fatal("a full batch was not written in a minute")
		}
	}
	if left, _ := r.backlog.left(); left > 0 {
		t.Errorf("%d entries of a written batch are left", left)
	}
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
}

// TestRecorder_LosesNothingWhileTheRepositoryIsHeld sends more events than may wait in memory.
func TestRecorder_LosesNothingWhileTheRepositoryIsHeld(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "jobs.db")
	s := openStore(t, path)
	r := begin(t, s, runSpec())
	before := files(t, folder)
	r.backlog.asideAbove = 256 << 10
	release := hold(t, path)
	const part = batchSize
	const lines = 3 * part
	tpm, most := 5.5, 0
	for i := range 3 {
		say(r, i*part, part)
		r.Watch(second(job.Measure, i+1, measured(uint64(i), 100), &tpm))
		r.flush(t.Context()) // fails after its time limit
		r.backlog.mu.Lock()
		most = max(most, r.backlog.size)
		r.backlog.mu.Unlock()
	}
	if r.backlog.aside.count == 0 || most > r.backlog.asideAbove {
		t.Errorf("%d entries were set aside, and up to %d bytes waited in memory, want no more than %d", r.backlog.aside.count, most, r.backlog.asideAbove)
	}
	if info, err := r.backlog.aside.file.Stat(); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file of waiting entries has mode %v, %v; want access for its owner only", info.Mode(), err)
	}
	release()
	r.flush(t.Context())
	if left, dropped := r.backlog.left(); left != 0 || dropped != 0 {
		t.Errorf("%d entries are left, and %d dropped, when the repository can be written", left, dropped)
	}
	say(r, lines, 10)
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	inOrder(t, s, r, lines+10)
	seconds := collect(t, s.Seconds(t.Context(), r.ID()))
	if len(seconds) != 3 {
		t.Fatalf("got %d seconds, want 3", len(seconds))
	}
	for i, got := range seconds {
		sum, err := got.Second.Measured.Summary()
		if err != nil || *got.Second.ServerTPM != tpm {
			t.Fatalf("got %+v, %v", got, err)
		}
		sameSummary(t, fmt.Sprint("second ", i), sum, *measured(uint64(i), 100))
	}
	if after := files(t, folder); !slices.Equal(after, before) {
		t.Errorf("got the files %v afterwards, want %v", after, before)
	}
}

func TestEnd_WritesEntriesThatWereSetAside(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "jobs.db")
	s := openStore(t, path)
	r := begin(t, s, runSpec())
	r.backlog.asideAbove = 256 << 10
	release := hold(t, path)
	const lines = 2*batchSize + 100
	say(r, 0, lines)
	r.flush(t.Context())
	if r.backlog.aside.count != lines {
		t.Fatalf("%d entries were set aside, want %d", r.backlog.aside.count, lines)
	}
	release()
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	inOrder(t, s, r, lines)
}

// A repository in memory has no file for waiting events, so it behaves like one on a full disk.
func TestRecorder_CountsEventsBeyondTheLimit(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	r.backlog.limit = 1 << 20           // several batches
	conn, err := s.db.Conn(t.Context()) // the only connection
	if err != nil {
		t.Fatal(err)
	}
	watched := make(chan struct{})
	const extra = 7
	lines := 0
	go func() {
		defer close(watched)
		for ; r.backlog.dropped < extra; lines++ {
			say(r, lines, 1)
		}
	}()
	select {
	case <-watched:
	case <-time.After(time.Minute):
		t.Fatal("Watch waited for the repository")
	}
	if r.backlog.size > r.backlog.limit {
		t.Errorf("%d bytes wait, want no more than %d", r.backlog.size, r.backlog.limit)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	err = r.End(t.Context(), job.Result{}, nil)
	if err == nil || !strings.Contains(err.Error(), "7 events") {
		t.Errorf("got %v, want an error about 7 lost events", err)
	}
	inOrder(t, s, r, lines-extra)
	j, err := s.Get(t.Context(), r.ID())
	if err != nil || j.Status != job.Succeeded || j.Dropped != extra || !strings.Contains(j.Result.Unrecorded, "7 events") {
		t.Errorf("got %s with %d dropped, %q, %v; want the job's own status with %d", j.Status, j.Dropped, j.Result.Unrecorded, err, extra)
	}
}

func TestBacklog_LimitGrowsWithUsers(t *testing.T) {
	one, many := newBacklog(inMemory, 1), newBacklog(inMemory, 10_000)
	if one.limit > 33<<20 || many.limit > 80<<20 {
		t.Errorf("one user may take %d MiB and 10,000 %d MiB, want 33 and 80 at most", one.limit>>20, many.limit>>20)
	}
	// A virtual user emits a few lines when it begins and when it ends.
	if e := (&entry{Event: []byte(strings.Repeat("x", 200))}); 8*e.bytes() > userLimit {
		t.Errorf("8 lines of a user take %d bytes, want no more than %d", 8*e.bytes(), userLimit)
	}
}

func TestRecorder_ReportsASecondWithOtherKinds(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	later := func(n, kinds int) {
		offset := fineFor + time.Duration(n)*time.Second
		r.Watch(job.Event{At: time.Now(), Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: offset.Seconds()}, Measured: meter.NewInterval(kinds).Cut(time.Second)}})
	}
	later(1, 2)
	later(2, 3)
	if err := r.End(context.Background(), job.Result{}, nil); err == nil || !strings.Contains(err.Error(), "1 events") || !strings.Contains(err.Error(), "3 kinds") {
		t.Errorf("got %v, want an error about a lost second of 3 kinds", err)
	}
}

// BenchmarkRecorder records lines, and seconds with 10,000 transactions of each of five kinds.
func BenchmarkRecorder(b *testing.B) {
	interval := meter.NewInterval(5)
	stripe := meter.NewStripe()
	for i := range 10_000 {
		d := time.Duration(1_000_000 + 997*(i*7919%4000))
		stripe.Record(meter.Record{Kind: meter.Kind(max(0, i%23-18)), Service: d, Response: d + d/1000})
	}
	stripe.Take(interval)
	measured := interval.Cut(time.Second)
	for name, e := range map[string]job.Event{
		"second": {At: time.Now(), Second: &job.Second{Moment: job.Moment{Phase: job.Measure}, Measured: measured}},
		"state":  {At: time.Now(), User: 2, State: job.UserRunning},
	} {
		b.Run(name, func(b *testing.B) {
			s, err := Open(filepath.Join(b.TempDir(), "jobs.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			r, err := s.Begin(b.Context(), runSpec(), []string{"a", "b", "c", "d", "e"}, 0)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for n := 1; b.Loop(); n++ {
				r.Watch(e)
				if e.Second != nil || n%100 == 0 {
					r.flush(b.Context())
				}
			}
			b.StopTimer()
			if err := r.End(b.Context(), job.Result{}, nil); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// Watchers of a job poll once a second, and must not read all events each time.
func TestEventsAfter_YieldsOnlyNewEvents(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	r := begin(t, s, runSpec())
	say(r, 0, 700) // more than a page
	if err := s.db.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitFor := func(lines int) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); len(collect(t, s.Events(t.Context(), r.ID()))) < lines; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d lines were not recorded within a minute", lines)
			}
		}
	}
	waitFor(700)
	var place EventPlace
	taken := 0
	for e, err := range s.EventsAfter(t.Context(), r.ID(), &place) {
		if err != nil {
			t.Fatal(err)
		}
		if taken == 600 { // stop after this event
			if e.Message != "line 600" {
				t.Errorf("got %q", e.Message)
			}
			break
		}
		taken++
	}
	if rest := collect(t, s.EventsAfter(t.Context(), r.ID(), &place)); len(rest) != 100 || rest[0].Message != "line 600" {
		t.Errorf("got %d events, want the 100 that were not read", len(rest))
	}
	if none := collect(t, s.EventsAfter(t.Context(), r.ID(), &place)); len(none) != 0 {
		t.Errorf("got %d events again", len(none))
	}
	say(r, 700, 3)
	waitFor(703)
	if news := collect(t, s.EventsAfter(t.Context(), r.ID(), &place)); len(news) != 3 || news[0].Message != "line 700" {
		t.Errorf("got %v, want the new events", news)
	}
}
