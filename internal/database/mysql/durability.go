package mysql

import "fmt"

// Durability is Runs.Durability. MariaDB lists only settings that differ from
// their defaults, and by default the log is flushed at each commit.
func Durability(settings map[string]string) (durable bool, why string) {
	const log, method = "innodb_flush_log_at_trx_commit", "innodb_flush_method"
	switch flushed := settings[log]; {
	case flushed == "0" || flushed == "2":
		return false, fmt.Sprintf("%s is %s", log, flushed)
	case settings[method] == "nosync" || settings[method] == "NOSYNC":
		return false, method + " is nosync"
	case flushed == "":
		flushed = "1"
		fallthrough
	default:
		return true, fmt.Sprintf("%s is %s", log, flushed)
	}
}
