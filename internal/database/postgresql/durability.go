package postgresql

// durability is Runs.Durability. Settings with default values are not listed, and both are on
// by default.
func durability(settings map[string]string) (durable bool, why string) {
	switch {
	case settings["fsync"] == "off":
		return false, "fsync is off"
	case settings["synchronous_commit"] == "off":
		return false, "synchronous_commit is off"
	}
	return true, "fsync and synchronous_commit are on"
}
