package sqlserver_test

import (
	"testing"

	"sledge/internal/database/grammartest"
	"sledge/internal/database/sqlserver"
	"sledge/internal/option"
)

// routines are the procedures that a drop removes, as the server lists them.
var routines = []string{"[neword]", "[payment]"}

// variants are options by which the SQL differs.
var variants = []option.Values{
	{"in_memory": "true", "durability": "SCHEMA_ONLY", "warehouses": "3"},
	{"columnstore": "true", "partition_by_date": "true", "advanced_statistics": "true"},
	{"partition_by_date": "true", "maxdop": "4"},
}

func TestItsSQLIsOfSqlfluffsGrammar(t *testing.T) {
	grammartest.Check(t, grammartest.Sqlfluff("tsql"), grammartest.Statements(t, sqlserver.Database, routines, variants...), map[string]string{
		"WITH SAMPLE 20 PERCENT": "it knows CREATE STATISTICS without its options",
		"WITH FULLSCAN":          "it knows CREATE STATISTICS without its options",
		"date_scheme":            "it does not know DROP PARTITION SCHEME",
	})
}

func TestItsSQLIsWhatMicrosoftsParserTakes(t *testing.T) {
	grammartest.Check(t, grammartest.Microsoft, grammartest.Statements(t, sqlserver.Database, routines, variants...), nil)
}
