package lines

import (
	"fmt"
	"strings"
)

// words are the terms for a workload and its data in lines.
type words struct {
	section   string // in capitals: "TPCC"
	wrongSize string // a format for the actual and the expected size

	// verifying is the line of a run's first virtual user before it checks the amount of data.
	// otherSize is the format of its line if the amount differs from the settings, with both
	// numbers. Both are "" if there is no check.
	verifying, otherSize string

	// loading has, by table, the lines for the beginning and the end of loading its rows; "" means
	// no line.
	loading map[string]struct{ begins, ends string }

	// generating has, by table, the line for generating its rows into files. For tables that are
	// generated unit by unit, it is a format for the number of the unit.
	generating map[string]string
	generated  string // a format for the amount of generated data
}

// vocabulary has the words for workloads, by name.
var vocabulary = map[string]words{
	"tprocc": {
		section: "TPCC", wrongSize: "warehouse count %s does not equal dict warehouse count of %s",
		loading: map[string]struct{ begins, ends string }{
			"item":      {"Loading Item", "Item done"},
			"warehouse": {begins: "Loading Warehouse"},
			"stock":     {ends: "Stock done"},
			"district":  {"Loading District", "District done"},
			"customer":  {ends: "Customer Done"},
			"orders":    {ends: "Orders Done"},
		},
		generating: map[string]string{
			"item":      "Generating Item",
			"warehouse": "Generating Warehouse",
			"district":  "Generating District",
			"stock":     "Generating Stock Wid=%d",
			"customer":  "Generating Customer for Wid=%d",
			"orders":    "Generating Orders for Wid=%d",
		},
		generated: "%s WAREHOUSE SCHEMA",
	},
	"tproch": {
		section: "TPCH", wrongSize: "scale factor %s does not equal dict scale factor if %s",
		verifying: "Verifying the scale factor of the existing schema...",
		otherSize: "The setting of the scale factor (%s) is different from the scale factor of the existing schema (%[2]s), updating the scale factor to %[2]s.",
		loading: map[string]struct{ begins, ends string }{
			"region":   {"Loading REGION...", "Loading REGION COMPLETE"},
			"nation":   {"Loading NATION...", "Loading NATION COMPLETE"},
			"supplier": {"Loading SUPPLIER...", "SUPPLIER Done"},
			"customer": {"Loading CUSTOMER...", "Customer Done"},
			"part":     {"Loading PART...", "PART Done"},
			"partsupp": {"Loading PARTSUPP...", "PARTSUPP Done"},
			"orders":   {"Loading ORDERS...", "ORDERS Done"},
			"lineitem": {"Loading LINEITEM...", "LINEITEM Done"},
		},
		generated: "SCALE FACTOR %s SCHEMA",
	},
}

// wordsOf returns the words for a workload. A workload that HammerDB does not have uses its own
// name.
func wordsOf(workload string) words {
	if w, known := vocabulary[workload]; known {
		return w
	}
	return words{section: strings.ToUpper(workload), wrongSize: "size %s does not equal dict size of %s", generated: "%s UNIT SCHEMA"}
}

// OtherSize returns the line for a schema whose amount of data differs from the settings, or "" for
// a workload without such a line.
func OtherSize(workload, asked, there string) string {
	format := wordsOf(workload).otherSize
	if format == "" {
		return ""
	}
	return fmt.Sprintf(format, asked, there)
}

// routinesOf returns the noun for the stored code of a database in the lines of a check.
func routinesOf(database string) string {
	if database == "mysql" || database == "mariadb" {
		return "procedures"
	}
	return "routines"
}

// schemaOf returns the word "schema" as the line of a delete spells it for a database.
func schemaOf(database string) string {
	if database == "postgresql" {
		return "schema"
	}
	return "Schema"
}
