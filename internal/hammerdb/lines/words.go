package lines

import (
	"fmt"
	"strings"
)

// words are what lines call a workload and its data.
type words struct {
	section   string // in capitals: "TPCC"
	wrongSize string // the format of a size that is and of one that should be

	// verifying is what the first virtual user of a run says before it checks how much data there
	// is, and otherSize the format of its line if that differs from the settings, with both
	// numbers; "" if there is no check.
	verifying, otherSize string

	// loading says by table what is said when its rows are begun with, and when all are
	// there; "" for nothing.
	loading map[string]struct{ begins, ends string }

	// generating says by table what is said when rows are made for files: the format of
	// the number of the unit, for tables whose rows are made unit by unit.
	generating map[string]string
	generated  string // the format of how much there is when all is made
}

// vocabulary has the words for workloads by their short names.
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

// wordsOf returns the words for a workload. One that HammerDB lacks is called by its own
// name.
func wordsOf(workload string) words {
	if w, known := vocabulary[workload]; known {
		return w
	}
	return words{section: strings.ToUpper(workload), wrongSize: "size %s does not equal dict size of %s", generated: "%s UNIT SCHEMA"}
}

// OtherSize says that a workload's schema has another amount of data than was set, or returns
// "" for a workload of which that is not said.
func OtherSize(workload, asked, there string) string {
	format := wordsOf(workload).otherSize
	if format == "" {
		return ""
	}
	return fmt.Sprintf(format, asked, there)
}

// routinesOf is what a check calls the code in a database.
func routinesOf(database string) string {
	if database == "mysql" || database == "mariadb" {
		return "procedures"
	}
	return "routines"
}

// schemaOf spells the word for what was deleted.
func schemaOf(database string) string {
	if database == "postgresql" {
		return "schema"
	}
	return "Schema"
}
