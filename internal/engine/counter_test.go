package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/workload"
)

// restartingSession is of a server that commits 100 transactions a second, and is
// down from second 4 on until second 7, when it counts anew.
type restartingSession struct {
	instantSession
	began, opened time.Time
}

func down(began time.Time) bool {
	s := time.Since(began)
	return s >= 4*time.Second && s < 7*time.Second
}

// count is the server's Counter.
func (s restartingSession) count() (int64, error) {
	broken := s.opened.Before(s.began.Add(7*time.Second)) && time.Since(s.began) >= 4*time.Second
	if broken {
		return 0, errLost
	}
	up := s.began
	if time.Since(s.began) >= 7*time.Second {
		up = s.began.Add(7 * time.Second)
	}
	return int64(time.Since(up).Seconds() * 100), nil
}

func TestCountGoesOnWhenTheServerHasComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := fakePlan(fakeUser{}, workload.Pacing{})
		began := time.Now()
		d := *p.Database
		d.Connect = func(context.Context, any, database.Role) (database.Session, error) {
			if down(began) {
				return nil, errors.New("refused")
			}
			return restartingSession{began: began, opened: time.Now()}, nil
		}
		p.Database = &d
		p.Server.Counter = func(_ context.Context, s database.Session) (int64, error) {
			return s.(restartingSession).count()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 9500*time.Millisecond)
		defer cancel()
		var got []string
		err := Count(ctx, p, time.Second, func(line string) { t.Errorf("got the line %q, want none", line) }, func(at time.Time, rate float64, err error) {
			if err != nil {
				got = append(got, fmt.Sprintf("%v %v", at.Sub(began), err))
				return
			}
			got = append(got, fmt.Sprintf("%v %v", at.Sub(began), rate))
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"0s 0", "1s 6000", "2s 6000", "3s 6000",
			"4s read the server's count of transactions: connection lost", "5s refused", // and not again at 6 s
			"7s 0", "8s 6000", "9s 6000",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestCountSaysWhereThereIsNothingToRead(t *testing.T) {
	p := fakePlan(fakeUser{}, workload.Pacing{})
	p.Server.Counter = nil
	if err := Count(t.Context(), p, time.Second, func(string) {}, func(time.Time, float64, error) { t.Error("got a rate, want none") }); !errors.Is(err, ErrNotCounted) {
		t.Errorf("got %v, want %v", err, ErrNotCounted)
	}
}
