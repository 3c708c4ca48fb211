package oracle_test

import (
	"testing"

	"sledge/internal/database/grammartest"
	"sledge/internal/database/oracle"
	"sledge/internal/option"
)

// No server is here to run what the program sends to Oracle: grammars that others wrote read it.
func TestGrammarsTakeTheSQL(t *testing.T) {
	statements := grammartest.Statements(t, oracle.Database, []string{"neword"},
		option.Values{"warehouses": "200", "partition": "true", "hash_clusters": "true"},
	)
	t.Run("sqlfluff", func(t *testing.T) {
		grammartest.Check(t, grammartest.Sqlfluff("oracle"), statements, map[string]string{
			"ORGANIZATION INDEX": "it has no index-organised tables: SQL Language Reference, CREATE TABLE",
			"PARTITION BY HASH":  "it has no partitions: the same",
			"CLUSTER":            "it has no hash clusters: CREATE CLUSTER, and CREATE TABLE",
			"DISABLE TABLE LOCK": "it has no such clause: ALTER TABLE",
			"Items are NURand":   "it has no elements of a collection on the left of an assignment; PMD has",
		})
	})
	t.Run("PMD", func(t *testing.T) {
		grammartest.Check(t, grammartest.PMD, statements, map[string]string{})
	})
}
