package settings

import "sledge/internal/workload"

// TPROC-H is not built yet, but scripts set its options, and people keep them in
// their settings. This file stands for the workload until it declares all of it
// itself. Names and defaults are HammerDB's.

// tproch is what HammerDB calls the workload and its options.
var tproch = workload.HammerDB{
	Benchmark: "TPC-H",
	Section:   "tpch",
	First:     []string{"scale_fact"},
	Last: []string{
		"total_querysets", "raise_query_error", "verbose",
		"refresh_on", "update_sets", "trickle_refresh", "refresh_verbose", "cloud_query",
	},
	Generated: "gen_scale_fact",
	Unit:      "scale factor",
}

// tprochOptions are the options that every database has.
type tprochOptions struct {
	Scale      string `opt:"scale_fact" choices:"1|10|30|100|300|1000|3000|10000|30000|100000" help:"scale factor: GB of raw data"`
	Builders   int    `opt:"num_tpch_threads" min:"1" max:"512" help:"virtual users that build the schema side by side"`
	QuerySets  int    `opt:"total_querysets" min:"1" help:"query sets that each virtual user runs"`
	RaiseError bool   `opt:"raise_query_error" help:"end the run at the first query that fails"`
	Verbose    bool   `opt:"verbose" help:"print queries and the rows they return"`

	Refresh        bool `opt:"refresh_on" help:"the first virtual user runs the refresh functions"`
	RefreshSets    int  `opt:"update_sets" min:"1" help:"sets of refresh functions"`
	Trickle        int  `opt:"trickle_refresh" min:"0" help:"milliseconds between two refreshed orders"`
	RefreshVerbose bool `opt:"refresh_verbose" help:"print what the refresh functions do"`
	Cloud          bool `opt:"cloud_query" help:"run the 13 cloud analytic queries instead of the 22"`
}

func newTPROCHOptions() any {
	return &tprochOptions{Scale: "1", Builders: 1, QuerySets: 1, RefreshSets: 1, Trickle: 1000}
}
