package tprocc

import "sledge/internal/workload"

// hammerDB is what HammerDB calls TPROC-C and its options.
var hammerDB = workload.HammerDB{
	Benchmark: "TPC-C",
	Section:   "tpcc",
	First:     []string{"count_ware", "num_vu"},
	Last: []string{
		"total_iterations", "raiseerror", "keyandthink", "driver", "rampup", "duration", "allwarehouse", "timeprofile",
		"async_scale", "async_client", "async_verbose", "async_delay", "connect_pool",
	},
	Script: []string{
		"driver", "rampup", "duration", "total_iterations", "raiseerror", "max_retries",
		"mix", "deck", "keyandthink", "keying_time", "think_time", "allwarehouse", "no_stored_procs",
		"timeprofile", "async_scale", "async_client", "async_verbose", "async_delay", "connect_pool",
	},
	Size:      "count_ware",
	Builders:  "num_vu",
	Driver:    "driver",
	UserDelay: "user_delay",
	Generated: "gen_count_ware",
	Unit:      "warehouses",
	Alone:     "%s Warehouses(s)",
	Together:  "%s Warehouses",
	Asked:     "%s Warehouse",
	WrongSize: "warehouse count %d does not equal dict warehouse count of %d",
	UnitEach:  true,
}
