package load

import "testing"

func TestOnlyATimedRunHasATimeProfile(t *testing.T) {
	for driver, want := range map[string]bool{driverTimed: true, driverTest: false} {
		options := NewOptions()
		options.TimeProfile, options.Driver = true, driver
		if got := options.Pacing().TimeProfile; got != want {
			t.Errorf("driver %s: got a time profile %t, want %t", driver, got, want)
		}
	}
}
