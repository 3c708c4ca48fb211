package postgresql

import "testing"

func TestDurability(t *testing.T) {
	for _, test := range []struct {
		settings map[string]string
		durable  bool
		why      string
	}{
		{nil, true, "fsync and synchronous_commit are on"},
		{map[string]string{"fsync": "off", "synchronous_commit": "off"}, false, "fsync is off"},
		{map[string]string{"synchronous_commit": "off"}, false, "synchronous_commit is off"},
		{map[string]string{"synchronous_commit": "remote_apply"}, true, "fsync and synchronous_commit are on"},
	} {
		if durable, why := durability(test.settings); durable != test.durable || why != test.why {
			t.Errorf("%v: got %v, %q, want %v, %q", test.settings, durable, why, test.durable, test.why)
		}
	}
}
