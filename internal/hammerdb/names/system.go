package names

// SystemFacts are HammerDB's names for the facts of a machine, in its order.
var SystemFacts = []string{
	"hostname", "cpumodel", "cpucount", "system_vendor", "system_type", "os_name",
	"memory", "nic", "storage", "cloud_instance", "other_software", "extra",
}
