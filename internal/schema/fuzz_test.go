package schema_test

import (
	"bytes"
	"testing"

	"sledge/internal/schema"
)

// FuzzFields looks for rows of load text that cause a panic, or that have more or fewer values than
// columns.
func FuzzFields(f *testing.F) {
	for _, row := range []string{"1\ta\n", "\\N\t\\N\n", "1\ta\\tb\\\\\n", "\t\n", "\n", "1\ta\\", "1"} {
		f.Add([]byte(row))
	}
	columns := []schema.Column{{Name: "n"}, {Name: "text", Type: schema.Varchar}}
	f.Fuzz(func(t *testing.T, row []byte) {
		values, err := schema.Fields(nil, row, columns)
		if err != nil {
			return
		}
		if len(values) != len(columns) {
			t.Errorf("%q: got %d values %v, want %d", row, len(values), values, len(columns))
		}
		if text, ok := values[1].(string); ok && !bytes.Contains(row, []byte{'\\'}) && !bytes.Contains(row, []byte(text)) {
			t.Errorf("%q: got %q, which is not in the row", row, text)
		}
	})
}
