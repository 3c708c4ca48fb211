package lines

import "strings"

// words are what lines call a workload and its data.
type words struct {
	section   string // in capitals: "TPCC"
	wrongSize string // the format of a size that is and of one that should be

	// loading says by table what is said when its rows are begun with, and when all are
	// there; "" for nothing.
	loading map[string]struct{ begins, ends string }

	// generating says by table what is said when rows are made for files: the format of
	// the number of the unit, for tables whose rows are made unit by unit.
	generating map[string]string
	generated  string // the format of how many units there are when all is made
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
		generated: "%d WAREHOUSE SCHEMA",
	},
}

// wordsOf returns the words for a workload. One that HammerDB lacks is called by its own
// name.
func wordsOf(workload string) words {
	if w, known := vocabulary[workload]; known {
		return w
	}
	return words{section: strings.ToUpper(workload), wrongSize: "size %s does not equal dict size of %s", generated: "%d UNIT SCHEMA"}
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
