package api

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/repository/repositorytest"
)

// pointsFrom requests the points of a job.
func (w *world) pointsFrom(id, query string) (d document.Points) {
	w.Helper()
	if err := json.Unmarshal(w.raw("GET", "/jobs/"+id+"/points"+query, "", 200), &d); err != nil {
		w.Fatal(err)
	}
	return d
}

// checkPoints compares the points of a recorded run with those of its live view.
func (w *world) checkPoints(id string, seen []live.Point) {
	w.Helper()
	d := w.pointsFrom(id, "")
	if d.Schema != document.PointsSchema || len(d.Points) != len(seen) || !slices.Equal(d.Figures, []string{"client NOPM", "client TPM"}) || len(d.Phases) < 2 || d.Width != 1 {
		w.Fatalf("got %s, %d points of %d s, the figures %v and the phases %+v, want %d points of 1 s", d.Schema, len(d.Points), d.Width, d.Figures, d.Phases, len(seen))
	}
	for n, p := range d.Points {
		q := seen[n]
		if *p.Client != *q.Client || p.Phase != q.Phase || !slices.Equal(p.Cells, q.Cells) || !slices.Equal(p.Figures, q.Figures) || math.Abs(p.End-q.End) > 0.002 {
			w.Errorf("point %d: got %+v, want %+v as in the live view", n, p, q)
		}
	}
	middle := d.Points[len(d.Points)/2].At
	from, until := "?from="+middle.Format(time.RFC3339Nano), "?until="+middle.Format(time.RFC3339Nano)
	after, before := w.pointsFrom(id, from), w.pointsFrom(id, until)
	if n := len(d.Points)/2 + 1; len(before.Points) != n || len(after.Points) != len(d.Points)-n || !after.Axis.Equal(d.Axis) || len(after.Phases) != len(d.Phases) {
		w.Errorf("got %d and %d points before and after the one in the middle of %d, which is part of the first", len(before.Points), len(after.Points), len(d.Points))
	}
}

// The points of a day count all its transactions, and those of a part all of the part. The request
// for the same points is answered from memory.
func TestPoints_OfADay(t *testing.T) {
	w := newWorld(t)
	for _, seconds := range []int{600, 3 * 3600, 24 * 3600} {
		id, err := repositorytest.Day(t.Context(), w.api.Store, job.Spec{Database: "postgresql", Workload: "tprocc"}, seconds)
		if err != nil {
			t.Fatal(err)
		}
		path := "/jobs/" + string(id) + "/points"
		w.inTime(path+"?points=400", pointsQuick)
		whole := w.pointsFrom(string(id), "")
		if n := len(whole.Points); n > 480 || n < 200 {
			t.Errorf("%d s: got %d points, want 200 to 480", seconds, n)
		}
		sum, _, err := w.api.Store.Summary(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		all := sum.All()
		if got := counted(whole.Points); got != all.Done {
			t.Errorf("%d s: got %d transactions, want %d", seconds, got, all.Done)
		}
		longest, at := 0., 0.
		for _, p := range whole.Points {
			longest = max(longest, float64(p.Response.Max))
			if p.Client == nil || math.Abs(p.End-p.Seconds-at) > 0.001 {
				t.Fatalf("%d s: got the point %+v after %v s, want no gap", seconds, p, at)
			}
			at = p.End
		}
		if at != float64(seconds) || seconds > 3600 && longest < 999 {
			t.Errorf("%d s: the points end at %v s, and their longest response time is %v ms, want the transaction of 1 s", seconds, at, longest)
		}
		middle := len(whole.Points) / 2
		a, b := whole.Points[middle-1].At.Format(time.RFC3339Nano), whole.Points[middle+9].At.Format(time.RFC3339Nano)
		part := w.pointsFrom(string(id), "?from="+a+"&until="+b)
		if got, want := counted(part.Points), counted(whole.Points[middle:middle+10]); got != want {
			t.Errorf("%d s: 10 points have %d transactions, and the same part closer %d", seconds, want, got)
		}
		w.inTime(path, 100*time.Millisecond) // from memory
	}
}

// pointsQuick is the time limit for computing the points of a day.
const pointsQuick = 2 * time.Second

// counted returns the number of transactions in the cells of points.
func counted(points []live.Point) (n int64) {
	for _, p := range points {
		if len(p.Cells) > 0 {
			for _, cell := range p.Cells[1:] {
				n += cell
			}
		}
	}
	return n
}

// Requests wait for each other, leave when their client does, and are refused when many wait.
func TestPoints_AreComputedOneAtATime(t *testing.T) {
	w := newWorld(t)
	going, err := repositorytest.Begin(t.Context(), w.api.Store, job.Spec{Database: "postgresql", Workload: "tprocc"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	going.Seconds(20)
	id := string(going.ID())
	d := w.api.points
	d.turn <- struct{}{} // another request is being answered
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	j, err := w.api.Store.Get(t.Context(), going.ID())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.points.pointsOf(ctx, j, time.Time{}, time.Time{}, 480); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want to wait for the other request", err)
	}
	for range mostAsked {
		if err := d.quota.take("lou"); err != nil {
			break
		}
	}
	w.api.UserName = func(context.Context) string { return "lou" }
	w.refuses("GET", "/jobs/"+id+"/points", http.StatusTooManyRequests, "lou has 16 requests for points open")
	w.api.UserName = nil
	for range mostAskedByOne {
		d.quota.free("lou")
	}
	<-d.turn

	// A running job has new points each second, and none of them is kept.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if n := len(w.pointsFrom(id, "").Points); n == 20 {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("got %d points of a running job, want 20", n)
		}
	}
	going.Seconds(5)
	if err := going.End(t.Context(), job.Result{Status: job.Succeeded}); err != nil {
		t.Fatal(err)
	}
	if n := len(w.pointsFrom(id, "").Points); n != 25 || len(d.kept) != 1 {
		t.Errorf("got %d points and %d kept answers, want 25 and one", n, len(d.kept))
	}
	for n := range 2 * keptPoints {
		w.pointsFrom(id, "?from="+time.Unix(int64(n), 0).UTC().Format(time.RFC3339))
	}
	if len(d.kept) != keptPoints || d.kept[keptPoints-1].from.Unix() != 2*keptPoints-1 {
		t.Errorf("%d answers are kept, want the last %d", len(d.kept), keptPoints)
	}
}
