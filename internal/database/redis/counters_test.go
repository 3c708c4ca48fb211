package redis

import (
	"strconv"
	"testing"

	"sledge/internal/database"
	"sledge/internal/testserver"
)

func TestCounters_GrowByTheCommandsOfASession(t *testing.T) {
	s, err := connect(t.Context(), options(t, "counters", testserver.Open(t, "redis").Values()), database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	read := func() map[string]float64 {
		sources, err := counters(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]float64{}
		for _, source := range sources {
			for _, v := range source.Values {
				if _, known := Database.Runs.Counters.Of(source.Name, v.Name); known {
					values[source.Name+" "+v.Of+" "+v.Name], _ = strconv.ParseFloat(v.Value, 64)
				}
			}
		}
		return values
	}
	before := read()
	for range 3 {
		if err := s.Exec(t.Context(), "SETRANGE counted 0 x"); err != nil {
			t.Fatal(err)
		}
	}
	after := read()
	const calls = "commandstats setrange calls"
	if got := after[calls] - before[calls]; got != 3 {
		t.Errorf("%s grew by %g, want 3", calls, got)
	}
	if all := "stats  total_commands_processed"; after[all]-before[all] < 4 { // INFO counts, too
		t.Errorf("%s grew by %g, want 4 or more", all, after[all]-before[all])
	}
	for _, name := range []string{"memory  used_memory", "commandstats setrange usec"} {
		if after[name] <= 0 {
			t.Errorf("%s is %g", name, after[name])
		}
	}
	if user, there := after["cpu  used_cpu_user_main_thread"]; !there || user < 0 { // a server that has just started has used none
		t.Errorf("the CPU time of the main thread is %g", user)
	}
	if _, there := after["stats  uptime_in_seconds"]; !there {
		t.Error("a restart cannot be seen")
	}
	if rates, err := counterRates(t.Context(), s); err != nil || len(rates) != 5 {
		t.Errorf("got the rates %v, %v", rates, err)
	}
}
