//go:build bench

package bench

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSteadiness compares the new orders of the last minute of a run with those of the first, for
// two users on two warehouses. Dead rows accumulate in small tables that change often, and slow the
// run down if the schema does not allow for them.
func TestSteadiness(t *testing.T) {
	const rampUp = 10 * time.Second
	minute, minutes := time.Minute, 5
	if testing.Short() {
		minute, minutes = 5*time.Second, 3
	}
	p := openPostgreSQL(t, "bench_steadiness")
	p.drop(t)
	build(t, p, 2, builders)
	orders := func() int64 { return p.number(t, "SELECT SUM(d_next_o_id) FROM district") }
	length := time.Duration(minutes) * minute
	child := inBackground(t, runArguments(p, 2, rampUp, length+2*time.Second))
	time.Sleep(rampUp)
	begin := time.Now()
	last := orders()
	var perMinute []float64
	var detail []string
	for i := range minutes {
		time.Sleep(time.Until(begin.Add(time.Duration(i+1) * minute)))
		now := orders()
		rate := float64(now-last) / minute.Minutes()
		perMinute, last = append(perMinute, rate), now
		detail = append(detail, strconv.Itoa(int(rate)))
	}
	child.wait(t)
	p.drop(t)
	note(t, figure{
		What:  fmt.Sprintf("%s: NOPM of the last of %d minutes against the first, 2 users, 2 warehouses", p.title(), minutes),
		Value: perMinute[minutes-1] / perMinute[0], Unit: "x", Target: atLeast(0.9),
		Detail: fmt.Sprintf("NOPM of each: %s", strings.Join(detail, ", ")),
	})
}

// TestMemory measures sledge's peak resident memory while 100 users call stored routines.
func TestMemory(t *testing.T) {
	p := openPostgreSQL(t, "bench_memory")
	p.drop(t)
	build(t, p, 2, builders)
	for _, c := range []struct {
		users string
		n     int
		limit *target
	}{
		{"1 user", 1, nil},
		{"100 users", 100, atMost(100)},
	} {
		child := inBackground(t, runArguments(p, c.n, time.Second, 2*trial()))
		peak := child.peakMemory()
		child.wait(t)
		note(t, figure{
			What:  fmt.Sprintf("%s: resident memory with %s, routines", p.title(), c.users),
			Value: float64(peak) / 1e6, Unit: "MB", Target: c.limit,
		})
	}
	p.drop(t)
}
