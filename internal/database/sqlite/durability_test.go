package sqlite

import "testing"

func TestDurability(t *testing.T) {
	for _, test := range []struct {
		settings map[string]string
		durable  bool
		why      string
	}{
		{map[string]string{"synchronous": "0", "journal_mode": "wal"}, false, "synchronous is off"},
		{map[string]string{"synchronous": "1", "journal_mode": "wal"}, false, "synchronous is normal, which in WAL mode does not sync commits to disk"},
		{map[string]string{"synchronous": "1", "journal_mode": "delete"}, true, "synchronous is normal, without WAL"},
		{map[string]string{"synchronous": "2", "journal_mode": "memory"}, false, "journal_mode is memory"},
		{map[string]string{"synchronous": "3", "journal_mode": "wal"}, true, "synchronous is full"},
	} {
		if durable, why := durability(test.settings); durable != test.durable || why != test.why {
			t.Errorf("%v: got %v, %q, want %v, %q", test.settings, durable, why, test.durable, test.why)
		}
	}
}
