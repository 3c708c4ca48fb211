package qgen

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"sledge/internal/workload/tproch/dbgen"
)

// TestQueriesAskForTheWordsOfTheData compares the words that queries draw from with the words in
// the data.
func TestQueriesAskForTheWordsOfTheData(t *testing.T) {
	scale, err := dbgen.NewScale(0.01)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		table  dbgen.Table
		column string
		divide bool // names of parts consist of several colours
		want   []string
	}{
		{dbgen.Region, "r_name", false, regions},
		{dbgen.Nation, "n_name", false, nations},
		{dbgen.Customer, "c_mktsegment", false, segments},
		{dbgen.Part, "p_type", false, types},
		{dbgen.Part, "p_container", false, containers},
		{dbgen.Part, "p_name", true, colours},
		{dbgen.LineItem, "l_shipmode", false, modes},
	} {
		column := slices.IndexFunc(tt.table.Columns(), func(c dbgen.Column) bool { return c.Name == tt.column })
		found := map[string]bool{}
		rows := scale.Source(tt.table, dbgen.LoadText, 1, scale.Count(tt.table))
		for row, more := rows.AppendRow(nil); more; row, more = rows.AppendRow(row[:0]) {
			value := strings.Split(string(row), "\t")[column]
			if !tt.divide {
				found[value] = true
				continue
			}
			for word := range strings.FieldsSeq(value) {
				found[word] = true
			}
		}
		if got, want := slices.Sorted(maps.Keys(found)), slices.Sorted(slices.Values(tt.want)); !slices.Equal(got, want) {
			t.Errorf("%s: the data have %q, queries ask for %q", tt.column, got, want)
		}
	}

	// A nation's region is the one that its row names.
	rows := scale.Source(dbgen.Nation, dbgen.LoadText, 1, scale.Count(dbgen.Nation))
	for row, more := rows.AppendRow(nil); more; row, more = rows.AppendRow(row[:0]) {
		values := strings.Split(string(row), "\t")
		if got, want := regionOf[slices.Index(nations, values[1])], strings.Index("01234", values[2]); got != want {
			t.Errorf("%s: got region %d from the queries' list, want %d as in the data", values[1], got, want)
		}
	}
}
