package repository

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/testserver"
)

func TestRecorder_KeepsSeries(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	at := time.UnixMilli(1_700_000_000_000)
	disk := func(name string) job.Series {
		return job.Series{Name: "disk reads", Unit: "MB/s", Labels: map[string]string{"disk": name, "host": "db1"}}
	}
	for n := range 3 {
		for i, series := range []job.Series{disk("sdb"), disk("sda"), {Name: "active sessions"}} {
			r.Watch(job.Event{At: at.Add(time.Duration(n) * time.Second), Samples: []job.Sample{{Series: series, Value: float64(10*i + n)}}})
		}
	}
	r.Count(job.Count{At: at, Rate: 360}) // Series leaves it out
	check := func(when string) {
		t.Helper()
		got, err := s.Series(t.Context(), r.ID(), time.Time{}, time.Time{}, 0)
		if err != nil || len(got) != 3 {
			t.Fatalf("%s: got %+v, %v, want three series", when, got, err)
		}
		for i, want := range []job.Series{{Name: "active sessions"}, disk("sda"), disk("sdb")} {
			first := float64([]int{20, 10, 0}[i])
			points := got[i].Points
			if got[i].Name != want.Name || got[i].Unit != want.Unit || !maps.Equal(got[i].Labels, want.Labels) ||
				len(points) != 3 || points[0].Value != first || points[2].Value != first+2 || !points[2].At.Equal(at.Add(2*time.Second)) {
				t.Errorf("%s: got %+v, want %+v with values from %g on", when, got[i], want, first)
			}
		}
	}
	r.flush(t.Context())
	check("in rows")
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	check("in columns")
	part, err := s.Series(t.Context(), r.ID(), at, at.Add(time.Second), 0)
	if err != nil || len(part) != 3 || len(part[0].Points) != 1 || part[0].Points[0].Value != 21 {
		t.Errorf("after the first second and not after the second: got %+v, %v, want the value 21", part, err)
	}
	if left := count(t, s, `SELECT count(*) FROM sample`); left != 0 {
		t.Errorf("%d samples are left in rows after the end, want none", left)
	}
	if _, err := s.db.Exec(`DELETE FROM job`); err != nil {
		t.Fatal(err)
	}
	if left := count(t, s, `SELECT (SELECT count(*) FROM samples) + (SELECT count(*) FROM series)`); left != 0 {
		t.Errorf("a deleted job leaves %d rows of series", left)
	}
}

// A job with many samples moves them into columns while it runs. If a clock is set back, later
// samples replace those with the same time.
func TestRecorder_PutsManySamplesIntoColumns(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t) // one goroutine writes many rows
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	at := time.UnixMilli(1_700_000_000_000)
	for n := range mostRows + 100 {
		r.Watch(job.Event{At: at.Add(time.Duration(n) * time.Second), Samples: []job.Sample{{Series: job.Series{Name: "n"}, Value: float64(n)}}})
	}
	for n := range 10 {
		r.Watch(job.Event{At: at.Add(time.Duration(n) * time.Second), Samples: []job.Sample{{Series: job.Series{Name: "n"}, Value: -1}}})
	}
	r.flush(t.Context())
	if columns, rows := count(t, s, `SELECT count(*) FROM samples`), count(t, s, `SELECT count(*) FROM sample`); columns == 0 || rows >= mostRows {
		t.Errorf("got %d columns and %d rows", columns, rows)
	}
	list, err := s.Series(t.Context(), r.ID(), time.Time{}, time.Time{}, 0)
	if err != nil || len(list) != 1 || len(list[0].Points) != mostRows+100 {
		t.Fatalf("got %d series, %v, want one of %d samples", len(list), err, mostRows+100)
	}
	for n, p := range list[0].Points {
		want := float64(n)
		if n < 10 {
			want = -1
		}
		if p.Value != want || !p.At.Equal(at.Add(time.Duration(n)*time.Second)) {
			t.Fatalf("sample %d: got %+v, want %g", n, p, want)
		}
	}
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
}

// Series reads all committed samples while they move from rows into columns.
func TestSeries_AreCompleteWhileSamplesMove(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	r := begin(t, s, runSpec())
	const each, times = 20, 300
	var written atomic.Int64
	done := make(chan error, 1)
	go func() {
		for n := range times {
			for _, move := range []bool{false, true} {
				err := s.transact(context.Background(), func(tx *sql.Tx) error {
					all := inserts{ctx: context.Background(), tx: tx, job: r.number}
					if move {
						return all.columns()
					}
					for i := range each {
						if err := all.sample(time.UnixMilli(int64(n*each+i)), &job.Sample{Series: job.Series{Name: "n"}, Value: 1}); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					done <- err
					return
				}
				written.Store(int64((n + 1) * each))
			}
		}
		done <- nil
	}()
	for {
		want := written.Load()
		list, err := s.Series(t.Context(), r.ID(), time.Time{}, time.Time{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want > 0 && int64(len(list[0].Points)) < want {
			t.Fatalf("got %d samples, want the %d that were written before", len(list[0].Points), want)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}

// Columns need disk space. The end of a job must not fail without it.
func TestRecorder_EndsWithoutRoomForColumns(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	if _, err := s.db.Exec(`CREATE TRIGGER full BEFORE INSERT ON samples BEGIN SELECT raise(ABORT, 'full'); END`); err != nil {
		t.Fatal(err)
	}
	r.Watch(job.Event{At: time.UnixMilli(1), Samples: []job.Sample{{Series: job.Series{Name: "n"}, Value: 1}}})
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Errorf("got %v", err)
	}
	list, err := s.Series(t.Context(), r.ID(), time.Time{}, time.Time{}, 0)
	if err != nil || len(list) != 1 || len(list[0].Points) != 1 {
		t.Errorf("got %+v, %v, want one sample", list, err)
	}
}

// A value that is not a number is dropped. The samples after it are recorded.
func TestRecorder_DropsSamplesThatAreNotNumbers(t *testing.T) {
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	for n, v := range []float64{1, math.NaN(), math.Inf(1), math.Inf(-1), 2} {
		r.Watch(job.Event{At: time.UnixMilli(int64(n)), Samples: []job.Sample{{Series: job.Series{Name: "tide"}, Value: v}}})
	}
	err := r.End(t.Context(), job.Result{}, nil)
	if err == nil || !strings.Contains(err.Error(), "3 events of job") || !strings.Contains(err.Error(), "tide") {
		t.Errorf("got %v, want an error about 3 missing events of the series tide", err)
	}
	list, err := s.Series(t.Context(), r.ID(), time.Time{}, time.Time{}, 0)
	if err != nil || len(list) != 1 || len(list[0].Points) != 2 || list[0].Points[1].Value != 2 {
		t.Errorf("got %+v, %v, want 1 and 2", list, err)
	}
}

func TestColumns_RoundNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, value := range map[string]func(n int) float64{
		"whole":      func(n int) float64 { return float64(n*n) - 500 },
		"decimals":   func(n int) float64 { return math.Round(1e3*math.Sin(float64(n))) / 1e3 },
		"any":        func(int) float64 { return random.NormFloat64() * 1e9 },
		"huge":       func(n int) float64 { return math.Exp(float64(n)) },
		"a constant": func(int) float64 { return 0.1 },
		"no numbers": func(n int) float64 { return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1}[n%4] },
	} {
		var want, got columns
		for n := range 700 {
			want.at, want.values = append(want.at, 1_700_000_000_000+int64(n)*1000+random.Int64N(9)), append(want.values, value(n))
		}
		coded := want.encode()
		if err := got.decode(coded); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same := slices.EqualFunc(got.values, want.values, func(a, b float64) bool { return a == b || a != a && b != b })
		if !slices.Equal(got.at, want.at) || !same {
			t.Errorf("%s: got %d times and %d values that differ from the encoded ones", name, len(got.at), len(got.values))
		}
		for end := range len(coded) {
			if new(columns).decode(coded[:end]) == nil {
				t.Fatalf("%s: decoding %d of %d bytes returns no error", name, end, len(coded))
			}
		}
	}
}

func FuzzColumns(f *testing.F) {
	f.Add(columns{at: []int64{1, 2}, values: []float64{0.5, 1}}.encode())
	f.Add(columns{at: []int64{1, 2}, values: []float64{math.Pi, 1}}.encode())
	f.Fuzz(func(t *testing.T, coded []byte) {
		var c columns
		if err := c.decode(coded); err == nil && len(c.at) != len(c.values) {
			t.Errorf("got %d times and %d values", len(c.at), len(c.values))
		}
	})
}

func TestDownsample_KeepsExtremes(t *testing.T) {
	var c columns
	for n := range 86_400 {
		c.at, c.values = append(c.at, int64(1000*n)), append(c.values, math.Sin(float64(n)/1000))
	}
	c.values[4321], c.values[70_000] = 9, -9
	few := c.downsample(480)
	if len(few.at) > 480 || len(few.at) < 240 || !few.ascends() {
		t.Errorf("got %d samples, in order: %t, want at most 480 in order", len(few.at), few.ascends())
	}
	for n, at := range few.at {
		if few.values[n] != c.values[at/1000] {
			t.Fatalf("got %g at %d, which was not measured", few.values[n], at)
		}
	}
	for _, place := range []int{4321, 70_000} {
		if !slices.Contains(few.at, c.at[place]) {
			t.Errorf("the extreme value at %d is missing", place)
		}
	}
	for most, want := range map[int]int{0: len(c.at), 2: 2, 3: 2, len(c.at): len(c.at)} {
		if few := c.downsample(most); len(few.at) != want || len(few.values) != want {
			t.Errorf("at most %d: got %d times and %d values, want %d", most, len(few.at), len(few.values), want)
		}
	}
	if few := (columns{}).downsample(480); len(few.at) != 0 {
		t.Errorf("no samples: got %v", few)
	}
}

// A day of 50 series takes less than 30 MB, even if the values use all digits of a float64.
// BenchmarkSeries measures the time of reading it for charts.
func TestSeries_OfADay(t *testing.T) {
	if testserver.UnderRace {
		t.Skip("it measures a size, and takes minutes under the race detector")
	}
	for _, c := range []struct {
		values string
		most   int64 // bytes
		value  func(series, n int) float64
	}{
		{"all digits", 30e6, func(series, n int) float64 { return math.Sin(float64(n)/600 + float64(series)) }},
		{"three decimals", 15e6, func(series, n int) float64 { return math.Round(1e5*(1+math.Sin(float64(n)/600+float64(series)))) / 1e3 }},
	} {
		t.Run(c.values, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "jobs.db")
			s := openStore(t, path)
			id := dayOfSeries(t, s, c.value)
			if _, err := s.db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
				t.Fatal(err)
			}
			file, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if file.Size() > c.most {
				t.Errorf("the repository has %d bytes, want at most %d", file.Size(), c.most)
			}
			list, err := s.Series(t.Context(), id, time.Time{}, time.Time{}, 480)
			if err != nil || len(list) != 50 || len(list[49].Points) < 240 || len(list[49].Points) > 480 {
				t.Fatalf("got %d series, %v", len(list), err)
			}
			t.Logf("%.1f MB", float64(file.Size())/1e6)
		})
	}
}

// dayOfSeries records a day of 50 series with a sample per second.
func dayOfSeries(tb testing.TB, s *Store, value func(series, n int) float64) job.ID {
	tb.Helper()
	r, err := s.Begin(context.Background(), runSpec(), nil, 0)
	if err != nil {
		tb.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	err = s.transact(context.Background(), func(tx *sql.Tx) error {
		all := inserts{ctx: context.Background(), tx: tx, job: r.number}
		for i := range 50 {
			number, err := all.run(`INSERT INTO series (job, name, unit, labels) VALUES (?, ?, '', '{}')`, r.number, fmt.Sprint("series ", i))
			if err != nil {
				return err
			}
			for from := 0; from < 86_400; from += mostRows / 50 {
				var c columns
				for n := from; n < from+mostRows/50; n++ {
					c.at, c.values = append(c.at, 1_700_000_000_000+1000*int64(n)+random.Int64N(3)), append(c.values, value(i, n))
				}
				if err := all.addColumns(number, c); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil {
		err = r.End(context.Background(), job.Result{}, nil)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return r.ID()
}

// BenchmarkSeries reads a day of 50 series for charts.
func BenchmarkSeries(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "jobs.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	id := dayOfSeries(b, s, func(series, n int) float64 { return math.Sin(float64(n)/600 + float64(series)) })
	for b.Loop() {
		if _, err := s.Series(b.Context(), id, time.Time{}, time.Time{}, 480); err != nil {
			b.Fatal(err)
		}
	}
}

// count returns the number that a query returns.
func count(t *testing.T, s *Store, query string) (n int) {
	t.Helper()
	if err := s.db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
