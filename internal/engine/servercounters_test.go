package engine

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

func counterSource(name string, values ...string) database.CounterSource {
	s := database.CounterSource{Name: name}
	for i := 0; i < len(values); i += 3 {
		s.Values = append(s.Values, database.CounterValue{Of: values[i], Name: values[i+1], Value: values[i+2]})
	}
	return s
}

// Three users do a transaction every 100 ms for 10 s, after a ramp-up: 300 transactions.
func TestRun_ComparesTheServersCounters(t *testing.T) {
	readings := [][]database.CounterSource{
		{
			counterSource("log", "", "bytes", "1000", "", "size", "50", "", "unknown", "1"), counterSource("tables", "a", "reads", "5", "b", "reads", "7"),
			counterSource("back", "", "n", "9"), counterSource("epoch", "", "n", "1", "", "reset", "Monday"), counterSource("clock", "", "up", "100", "", "n", "1"),
			{Name: "forbidden", Err: plantest.ErrDenied},
		},
		{
			counterSource("log", "", "bytes", "31000", "", "size", "70", "", "unknown", "2"), counterSource("tables", "a", "reads", "6", "b", "reads", "17", "new", "reads", "4"),
			counterSource("back", "", "n", "8"), counterSource("epoch", "", "n", "100", "", "reset", "Tuesday"), counterSource("clock", "", "up", "104", "", "n", "9"),
			{Name: "forbidden", Err: plantest.ErrDenied},
		},
	}
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{RampUp: 2 * time.Second, Duration: 10 * time.Second, Kept: load.Kept{Samples: true}})
		p.Database.Runs.Counters = database.MustParseCounters(`
			[log]
			count* bytes bytes log written
			level  -     size  size
			[tables]
			count rows reads rows read
			[back]
			count - n n
			[epoch]
			count - n n
			epoch - reset
			[clock]
			clock s up
			count - n n`)
		n := 0
		p.Server.Counters = func(context.Context, database.Session) ([]database.CounterSource, error) {
			n++
			return readings[n-1], nil
		}
		second := 0.0
		p.Server.CounterRates = func(context.Context, database.Session) ([]database.CounterRate, error) {
			second++
			value := 5 * second
			if second >= 6 { // the server was restarted
				value = second
			}
			return []database.CounterRate{{Series: "server's log", Unit: "MB/s", Value: value}}, nil
		}
		rates := map[float64]int{}
		seen := plantest.Watcher(func(e job.Event) {
			for _, one := range e.Samples {
				if one.Name == "server's log" {
					rates[math.Round(one.Value)]++
				}
			}
		})
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		c := result.ServerCounters
		if err != nil || c == nil || n != 2 || math.Abs(c.Seconds-10) > 0.01 {
			t.Fatalf("got %+v of %d readings, %v", c, n, err)
		}
		if len(c.Counters) != 3 || len(c.Missing) != 4 {
			t.Fatalf("got %+v, want 3 counters and 4 sources without", c)
		}
		log, size, reads := c.Counters[0], c.Counters[1], c.Counters[2]
		if log.Value != 30000 || math.Abs(log.PerSecond-3000) > 1 || math.Abs(log.PerTransaction-100) > 2 || log.Unit != "bytes" || !log.Summary || log.Means != "log written" || log.Before != nil {
			t.Errorf("got %+v, want 30,000 bytes of log for about 300 transactions", log)
		}
		if size.Value != 70 || size.Before == nil || *size.Before != 50 || size.PerSecond != 0 {
			t.Errorf("got the level %+v, want 50 before and 70 after", size)
		}
		if reads.Value != 15 || len(reads.Parts) != 3 || reads.Parts[0] != (job.CounterPart{Of: "b", Value: 10}) || reads.Parts[1].Of != "new" {
			t.Errorf("got %+v, want 10 of b, 4 of new and 1 of a", reads)
		}
		for i, want := range []string{"back: its counters were reset during the run: n went back", "epoch: its counters were reset during the run: reset changed", "clock: its counters were reset during the run: up grew by 4 s in 10 s", "forbidden: denied"} {
			if got := c.Missing[i].Source + ": " + c.Missing[i].Why; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		if rates[5] < 3 || rates[1] < 4 || len(rates) != 2 {
			t.Errorf("got the rates %v, want 5, a gap, and 1", rates)
		}
	})
}

// A server that does not answer, or restarts, never fails a run.
func TestRun_GoesOnWithoutTheServersCounters(t *testing.T) {
	for name, tt := range map[string]struct {
		second func(ctx context.Context, n int) ([]database.CounterSource, error) // the readings after the first
		want   string                                                             // the error of the observer
	}{
		"frozen": {func(ctx context.Context, _ int) ([]database.CounterSource, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, "no answer within"},
		"lost": {func(context.Context, int) ([]database.CounterSource, error) { return nil, errors.New("lost") }, "lost"},
		"lost once": {func(_ context.Context, n int) ([]database.CounterSource, error) {
			if n == 2 {
				return []database.CounterSource{{Name: "log", Err: plantest.ErrLost}}, nil
			}
			return []database.CounterSource{counterSource("log", "", "n", "3")}, nil
		}, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 3 * time.Second, Kept: load.Kept{Samples: true}})
			p.Database.Runs.Counters = database.MustParseCounters("[log]\ncount - n n")
			n := 0
			p.Server.Counters = func(ctx context.Context, _ database.Session) ([]database.CounterSource, error) {
				if n++; n > 1 {
					return tt.second(ctx, n)
				}
				return []database.CounterSource{counterSource("log", "", "n", "1")}, nil
			}
			result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
			switch c := result.ServerCounters; {
			case err != nil:
				t.Errorf("%s: %v", name, err)
			case tt.want == "":
				if c == nil || len(c.Counters) != 1 || c.Counters[0].Value != 2 || len(result.Unobserved) > 0 {
					t.Errorf("%s: got %+v, %+v, want a growth of 2", name, c, result.Unobserved)
				}
			case c != nil || len(result.Unobserved) != 1 || !strings.Contains(result.Unobserved[0].Error, tt.want):
				t.Errorf("%s: got %+v, %+v, want %q", name, c, result.Unobserved, tt.want)
			}
		})
	}
}
