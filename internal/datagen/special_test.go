package datagen_test

import (
	"strings"

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/workload"
)

// special is a workload whose rows contain NULLs and every character that a loader might
// misinterpret. The table notes has a chunk for each unit, places has two rows per unit in one
// chunk, and words is shared.
var special = &workload.Workload{
	Name:    "special",
	Title:   "Special",
	Use:     database.Use{Name: "special"},
	Options: func() any { return &struct{}{} },
	Schema: workload.Schema{
		Builders: func(any) int { return 1 },
		Identity: func(any, uint64) string { return "four units" },
		Size:     workload.Size{Unit: "units"},
		Tables: func(any, uint64) []schema.Table {
			return []schema.Table{
				{
					Name: "notes", Columns: []schema.Column{{Name: "n"}, {Name: "a", Type: schema.Varchar, Size: 40, Null: true}, {Name: "b", Type: schema.Varchar, Size: 40}},
					Key: []string{"n"}, Size: 4, Chunks: units,
					Rows: func(chunk int) schema.RowSource {
						return rows(notes[chunk])
					},
				},
				{
					Name: "places", Columns: []schema.Column{{Name: "p"}, {Name: "at", Type: schema.Timestamp, Null: true}},
					Key: []string{"p"}, Size: 2 * units, Chunks: 1,
					Rows: func(int) schema.RowSource {
						return rows("1\t\\N\n2\t2026-01-01 12:00:00\n3\t\\N\n4\t\\N\n5\t\\N\n6\t\\N\n7\t\\N\n8\t2026-01-02 00:00:00\n")
					},
				},
				{
					Name: "words", Columns: []schema.Column{{Name: "w", Type: schema.Varchar, Size: 40}},
					Key: []string{"w"}, Size: 3, Chunks: 3,
					Rows: func(chunk int) schema.RowSource { return rows([]string{"one\n", "two\n", "three\n"}[chunk]) },
				},
			}
		},
		DataFiles: &workload.DataFiles{
			Units:  func(any) int { return units },
			Unit:   "units",
			Shared: []string{"words"},
		},
	},
}

const units = 4

// notes are the rows of the table notes, one for each unit.
var notes = [units]string{
	"1\ta|b\tplain\n",
	"2\t\\N\t\"quoted\", and 'so'\n",
	"3\t\\\\.\tback\\\\slash | at its end\\\\\n",
	"4\ttwo\\nlines|\t\\ttab; and \\\\N\n",
}

// rows yields the rows of a text.
func rows(text string) schema.RowSource { return &textRows{text} }

type textRows struct{ left string }

func (s *textRows) AppendRow(buf []byte) ([]byte, bool) {
	line, rest, more := strings.Cut(s.left, "\n")
	s.left = rest
	if !more {
		return buf, false
	}
	return append(append(buf, line...), '\n'), true
}
