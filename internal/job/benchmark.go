package job

// Benchmark is a workload as results speak of it. Jobs name it by its short name,
// as they do databases.
type Benchmark struct {
	Workload string   // the short name: "tprocc"
	Name     string   // HammerDB's, in data: "TPC-C"
	Title    string   // people's: "TPROC-C"
	Size     string   // the option that says how much data there is, without the database's prefix
	Unit     string   // what that counts: "warehouses"
	Labels   []string // HammerDB's names for its kinds of transaction, in their order: "NEWORD"

	// Queries says that its result is how long queries took, as TPC-H's is, and not
	// how many transactions were done in a minute.
	Queries bool
}
