package sqlite

// durability is Runs.Durability. SQLite returns the setting synchronous as a number.
func durability(settings map[string]string) (durable bool, why string) {
	const off, normal = "0", "1"
	switch journal := settings["journal_mode"]; {
	case settings["synchronous"] == off:
		return false, "synchronous is off"
	case journal == "memory" || journal == "off":
		return false, "journal_mode is " + journal
	case settings["synchronous"] == normal && journal == "wal":
		return false, "synchronous is normal, which in WAL mode does not sync commits to disk"
	case settings["synchronous"] == normal:
		return true, "synchronous is normal, without WAL"
	}
	return true, "synchronous is full"
}
