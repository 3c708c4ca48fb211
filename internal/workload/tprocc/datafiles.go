package tprocc

import (
	"fmt"

	"sledge/internal/workload"
)

// dataFiles divides the rows by warehouse and says so. History, order lines and new
// orders go without saying.
var dataFiles = &workload.DataFiles{
	Units:  func(options any) int { return options.(*Options).Warehouses },
	Shared: []string{"item"},
	Begin: func(table string, warehouse int) string {
		switch table {
		case "item":
			return "Generating Item"
		case "warehouse":
			return "Generating Warehouse"
		case "district":
			return "Generating District"
		case "stock":
			return fmt.Sprintf("Generating Stock Wid=%d", warehouse)
		case "customer":
			return fmt.Sprintf("Generating Customer for Wid=%d", warehouse)
		case "orders":
			return fmt.Sprintf("Generating Orders for Wid=%d", warehouse)
		}
		return ""
	},
	Made: func(options any) string { return fmt.Sprintf("%d WAREHOUSE SCHEMA", options.(*Options).Warehouses) },
}
