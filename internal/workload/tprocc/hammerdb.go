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
	Saved: &workload.SavedScript{
		Variables: map[string]string{
			"total_iterations": "total_iterations", "RAISEERROR": "raiseerror", "KEYANDTHINK": "keyandthink",
			"rampup": "rampup", "duration": "duration", "allwarehouses": "allwarehouse", "timeprofile": "timeprofile",
			"async_client": "async_client", "async_verbose": "async_verbose", "async_delay": "async_delay",
		},
		Timed:  "rampup",
		Pauses: "keyandthink",
		Mix:    "mix", Keying: "keying_time", Thinking: "think_time",
		Spread: "allwarehouse", TimeProfile: "timeprofile", Asynchronous: "async_scale",
		Calls: map[string][]string{
			"neword": {"w_id", "w_id_input"}, "payment": {"w_id", "w_id_input"},
			"delivery": {"w_id"}, "slev": {"w_id", "stock_level_d_id"}, "ostat": {"w_id"},
		},
		Drawn: []string{"w_id", "w_id_input", "stock_level_d_id", "myWarehouses", "myWhCount"},
	},
	UnitEach: true,
}
