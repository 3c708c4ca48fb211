package answers

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sledge/internal/workload/tproch/qgen"
)

// published returns the standard's answer to a query at scale 1, with the validation
// parameters.
func published(t *testing.T, query int) [][]string {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("testdata/q%02d.csv", query))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range Of(query).Columns {
		names = append(names, c.Name)
	}
	if !slices.Equal(rows[0], names) {
		t.Fatalf("query %d: the answer has the columns %q, want %q", query, rows[0], names)
	}
	return rows[1:]
}

// rowsPublished is the number of rows of the standard's answer to each query.
var rowsPublished = []int{0, 4, 100, 10, 5, 5, 1, 4, 2, 175, 20, 1048, 2, 42, 1, 1, 18314, 1, 57, 1, 186, 100, 7}

func TestPublishedAnswersEqualThemselves(t *testing.T) {
	for query := 1; query <= qgen.Queries; query++ {
		rows := published(t, query)
		if len(rows) != rowsPublished[query] {
			t.Errorf("query %d: got %d rows, want %d", query, len(rows), rowsPublished[query])
		}
		if err := Of(query).Compare(rows, rows, Tolerance{}); err != nil {
			t.Errorf("query %d: %v", query, err)
		}
	}
}

// TestEveryChangedValueIsFound changes every value of each answer in turn. Without it, a comparison
// that never finds a difference would pass.
func TestEveryChangedValueIsFound(t *testing.T) {
	for query := 1; query <= qgen.Queries; query++ {
		want := published(t, query)
		a := Of(query)
		for column, c := range a.Columns {
			got := make([][]string, len(want))
			for i := range want {
				got[i] = slices.Clone(want[i])
			}
			changed := len(got) / 2
			switch c.Kind {
			case Text:
				got[changed][column] += "."
			case Date:
				got[changed][column] = "1995-02-30"
			case Whole, Decimal:
				got[changed][column] = "123456789.25"
			}
			if err := Of(query).Compare(got, want, Published); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row %d:", changed+1)) {
				t.Errorf("query %d: column %s of row %d was changed: got %v", query, c.Name, changed+1, err)
			}
		}
		for name, got := range map[string][][]string{
			"without the last row":  want[:len(want)-1],
			"with one row too many": append(slices.Clone(want), want[0]),
			"without a row":         nil,
		} {
			if err := Of(query).Compare(got, want, Published); err == nil {
				t.Errorf("query %d: an answer %s passes", query, name)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	rows := func(text string) (all [][]string) {
		for line := range strings.FieldsSeq(text) {
			all = append(all, strings.Split(line, "|"))
		}
		return all
	}
	full := strings.Repeat("1|9.00|1995-01-01|0 ", 8)
	for _, tt := range []struct {
		name      string
		query     int
		got, want string
		tolerance Tolerance
		err       string
	}{
		{"midnight", 18, "c|1|2|1995-01-01T00:00:00Z|3.00|300.0", "c|1.00|2|1995-01-01|3.001|300", Published, ""},
		{"another time", 18, "c|1|2|1995-01-01T00:30:00Z|3|300", "c|1|2|1995-01-01|3|300", Published, "row 1"},
		{"rounded to two digits", 8, "1995|0.0344", "1995|0.03", Published, ""},
		{"too far for two digits", 8, "1995|0.0411", "1995|0.03", Published, "row 1"},
		{"the same to nine digits", 6, "123141078.23004", "123141078.2300", Computed, ""},
		{"not the same to nine digits", 6, "123141078.53", "123141078.23", Computed, "row 1"},
		{"NULL in both", 6, "NULL", "NULL", Computed, ""},
		{"NULL in one", 6, "NULL", "0.00", Computed, "row 1"},
		{"ties in another order", 11, "1|9.00 3|8.00 2|8.00 4|7.00", "1|9.00 2|8.00 3|8.00 4|7.00", Computed, ""},
		{"another tie", 11, "1|9.00 3|8.00 3|8.00", "1|9.00 2|8.00 3|8.00", Computed, "row 3"},
		{"another order", 11, "2|8.00 1|9.00", "1|9.00 2|8.00", Computed, "row 1"},
		{"a row before the last is another", 3, full + "2|9.00|1995-01-01|0 3|8.00|1995-01-01|0", full + "4|9.00|1995-01-01|0 3|8.00|1995-01-01|0", Computed, "row 9"},
		{"a tie at the limit", 3, full + "2|8.00|1995-01-01|0 3|7.00|1995-01-01|0", full + "2|8.00|1995-01-01|0 4|7.00|1995-01-01|0", Computed, ""},
		{"the last row has other keys", 3, full + "2|8.00|1995-01-01|0 3|7.00|1995-01-02|0", full + "2|8.00|1995-01-01|0 4|7.00|1995-01-01|0", Computed, "row 10"},
		{"values are missing", 8, "1995", "1995|0.03", Computed, "got 1 values"},
	} {
		err := Of(tt.query).Compare(rows(tt.got), rows(tt.want), tt.tolerance)
		switch {
		case tt.err == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%s: got %v, want an error about %s", tt.name, err, tt.err)
		}
	}
	if err := Of(12).Compare([][]string{{" MAIL      ", "1", "2"}}, [][]string{{"MAIL", "1", "2"}}, Computed); err != nil {
		t.Errorf("blanks at its ends: %v", err)
	}
}
