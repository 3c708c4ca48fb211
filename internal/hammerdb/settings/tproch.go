package settings

// TPROC-H is not built yet, but scripts set its options, and people keep them in
// their settings. This file stands for the workload until it declares all of it
// itself. Defaults are HammerDB's.

// notBuilt makes the options of workloads that are not built yet.
var notBuilt = map[string]func() any{"tproch": newTPROCHOptions}

// tprochOptions are the options that every database has.
type tprochOptions struct {
	Scale      string `opt:"scale_factor" choices:"1|10|30|100|300|1000|3000|10000|30000|100000" help:"scale factor: GB of raw data"`
	Builders   int    `opt:"builders" min:"1" max:"512" help:"virtual users that build the schema side by side"`
	QuerySets  int    `opt:"query_sets" min:"1" help:"query sets that each virtual user runs"`
	RaiseError bool   `opt:"stop_on_failure" help:"end the run at the first query that fails"`
	Verbose    bool   `opt:"verbose" help:"print queries and the rows they return"`

	Refresh        bool `opt:"refresh" help:"the first virtual user runs the refresh functions"`
	RefreshSets    int  `opt:"refresh_sets" min:"1" help:"sets of refresh functions"`
	Trickle        int  `opt:"refresh_delay" min:"0" help:"milliseconds between two refreshed orders"`
	RefreshVerbose bool `opt:"refresh_verbose" help:"print what the refresh functions do"`
	Cloud          bool `opt:"cloud_queries" help:"run the 13 cloud analytic queries instead of the 22"`
}

func newTPROCHOptions() any {
	return &tprochOptions{Scale: "1", Builders: 1, QuerySets: 1, RefreshSets: 1, Trickle: 1000}
}
