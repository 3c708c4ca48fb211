package api

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"sledge/internal/job"
	"sledge/internal/testserver"
)

// A chart draws the server's rates earlier by the delay that the database declares. Then they
// follow the virtual users' rates better than in the second in which they were read. The load rises
// and falls, because at a constant rate there is nothing to follow.
func TestServerDelay_MovesRatesToTheirSecond(t *testing.T) {
	for _, database := range []string{"postgresql", "mariadb"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel() // it waits most of the time
			w := newWorld(t)
			settings := map[string]any{"db": database, "warehouses": 1}
			for name, value := range testserver.Open(t, database).Values() {
				settings[name] = value
			}
			if database == "postgresql" {
				maps.Copy(settings, map[string]any{"user": "delayed", "dbname": "delayed"})
			}
			if status := w.end(w.start(map[string]any{"action": "build", "settings": settings})); status != job.Succeeded {
				t.Fatalf("the build ended as %s", status)
			}
			maps.Copy(settings, map[string]any{"users": 4, "rampup": "0s", "duration": "20s", "rate": "sine:80/s,72/s,7s"})
			// A busy machine delays the reports of sessions and the readings, too, so there is a second run.
			for runs := 1; ; runs++ {
				id := w.start(map[string]any{"action": "run", "settings": settings})
				w.end(id)
				d := w.pointsFrom(id, "")
				var at, server, client []float64
				for _, p := range d.Points[2 : len(d.Points)-1] { // the flush before the measured time takes a rate
					if p.ServerTPM != nil && p.Phase == job.Measure {
						at, server, client = append(at, p.End), append(server, *p.ServerTPM), append(client, *p.Client)
					}
				}
				drawn := ""
				for lag := -1.0; lag <= 2; lag += 0.25 {
					drawn += fmt.Sprintf(" %.2f:%.3f", lag, correlation(at, server, client, lag))
				}
				t.Logf("correlation by seconds that the server's rate is drawn earlier:%s", drawn)
				read, moved := correlation(at, server, client, 0), correlation(at, server, client, d.ServerDelay)
				if moved >= 0.75 && (d.ServerDelay == 0 || moved >= read+0.05) {
					return
				}
				if runs == 2 {
					t.Fatalf("the server's rates correlate by %.3f with the virtual users', and by %.3f if drawn %g s earlier, want 0.75 and more than before", read, moved, d.ServerDelay)
				}
			}
		})
	}
}

// correlation returns the correlation of the server's rates with the clients' rates of the given
// number of seconds earlier. Values between points are interpolated.
func correlation(at, server, client []float64, earlier float64) float64 {
	var n, x, y, xx, yy, xy float64
	for i := range at {
		v, known := valueAt(at, client, at[i]-earlier)
		if !known {
			continue
		}
		n, x, y, xx, yy, xy = n+1, x+server[i], y+v, xx+server[i]*server[i], yy+v*v, xy+server[i]*v
	}
	return (n*xy - x*y) / math.Sqrt((n*xx-x*x)*(n*yy-y*y))
}

// valueAt interpolates a curve.
func valueAt(at, values []float64, time float64) (float64, bool) {
	for i := 1; i < len(at); i++ {
		if at[i-1] <= time && time <= at[i] {
			return values[i-1] + (values[i]-values[i-1])*(time-at[i-1])/(at[i]-at[i-1]), true
		}
	}
	return 0, false
}
