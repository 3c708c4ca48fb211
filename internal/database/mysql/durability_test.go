package mysql

import "testing"

func TestDurability(t *testing.T) {
	for _, test := range []struct {
		settings map[string]string
		durable  bool
		why      string
	}{
		{nil, true, "innodb_flush_log_at_trx_commit is 1"},
		{map[string]string{"innodb_flush_log_at_trx_commit": "2"}, false, "innodb_flush_log_at_trx_commit is 2"},
		{map[string]string{"innodb_flush_log_at_trx_commit": "1", "innodb_flush_method": "O_DIRECT"}, true, "innodb_flush_log_at_trx_commit is 1"},
		{map[string]string{"innodb_flush_log_at_trx_commit": "1", "innodb_flush_method": "nosync"}, false, "innodb_flush_method is nosync"},
		{map[string]string{"innodb_flush_log_at_trx_commit": "3"}, true, "innodb_flush_log_at_trx_commit is 3"}, // MariaDB flushes twice
	} {
		if durable, why := Durability(test.settings); durable != test.durable || why != test.why {
			t.Errorf("%v: got %v, %q, want %v, %q", test.settings, durable, why, test.durable, test.why)
		}
	}
}
