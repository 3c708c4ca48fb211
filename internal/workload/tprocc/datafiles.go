package tprocc

import "sledge/internal/workload"

// dataFiles divides the rows by warehouse.
var dataFiles = &workload.DataFiles{
	Units:  func(options any) int { return options.(*Options).Warehouses },
	Unit:   "warehouses",
	Shared: []string{"item"},
}
