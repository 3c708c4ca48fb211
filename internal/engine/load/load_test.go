package load

import (
	"runtime"
	"testing"

	"sledge/internal/loop"
	"sledge/internal/option"
)

func TestOptions_RefuseInvalidValues(t *testing.T) {
	for _, tt := range []struct {
		values option.Values
		want   string // "" if they are valid
	}{
		{option.Values{"duration": "0"}, "option duration: 0 measures nothing: give a time, such as 5 for minutes, or 90s"},
		{option.Values{"duration": "0", "driver": "test"}, ""},
		{option.Values{"rampup": "auto"}, ""},
		{option.Values{"rampup": "soon"}, `option rampup: "soon" is neither a number of minutes nor a duration such as 90s or 1h30m; auto ends it when the rate has settled`},
		{option.Values{"rampup": "auto", "rate": "10/s"}, "option rampup: auto waits until the rate of transactions has settled, and rate and steps prescribe it: give a time, such as 2 for minutes, or 90s"},
		{option.Values{"rampup": "auto", "steps": "2,4"}, "option rampup: auto waits until the rate of transactions has settled, and rate and steps prescribe it: give a time, such as 2 for minutes, or 90s"},
		{option.Values{"max_failures": "101"}, "option max_failures: 101 is more than 100"},
		{option.Values{"reconnect": "true", "reconnect_delay": "1h"}, ""},
		{option.Values{"reconnect": "true", "reconnect_delay": "2562047h"}, "option reconnect_delay: 2562047h0m0s is more than 1h0m0s: give a shorter time, such as 500ms"},
		{option.Values{"loops": "auto"}, ""},
		{option.Values{"loops": "0"}, ""},
		{option.Values{"loops": "-1"}, `option loops: "-1" is neither auto nor a number from 0 to 4096`},
		{option.Values{"loops": "many"}, `option loops: "many" is neither auto nor a number from 0 to 4096`},
	} {
		got := ""
		if err := option.Bind(nil, tt.values, NewOptions()); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.values, got, tt.want)
		}
	}
}

func TestLoopsOn(t *testing.T) {
	if !loop.Supported() {
		t.Skip("there are no event loops on this system")
	}
	for cores, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 64: 32} {
		if got := NewOptions().Pacing().Connections.LoopsOn(cores); got != want {
			t.Errorf("%d cores: got %d loops, want %d", cores, got, want)
		}
	}
	for _, tt := range []struct{ loops, connections, want int }{{3, 0, 3}, {3, 2, 2}, {0, 2, 0}} {
		if got := (Pacing{Connections: Connections{Loops: tt.loops, Shared: tt.connections}}).Connections.LoopsOn(2); got != tt.want {
			t.Errorf("%d loops for %d connections: got %d, want %d", tt.loops, tt.connections, got, tt.want)
		}
	}
}

func TestPacing_IgnoresGOMAXPROCS(t *testing.T) {
	want := NewOptions().Pacing().Connections.Loops
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4 * runtime.NumCPU())) // another run may have changed it
	if got := NewOptions().Pacing().Connections.Loops; got != want {
		t.Errorf("got %d loops while another run works, want %d", got, want)
	}
}

func TestTimeProfile_NeedsATimedRun(t *testing.T) {
	for driver, want := range map[string]bool{driverTimed: true, driverTest: false} {
		options := NewOptions()
		options.TimeProfile, options.Driver = true, driver
		if got := options.Pacing().Kept.TimeProfile; got != want {
			t.Errorf("driver %s: got a time profile %t, want %t", driver, got, want)
		}
	}
}
