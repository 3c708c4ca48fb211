package dbgen_test

import (
	"testing"

	"sledge/internal/workload/tproch/dbgen"
)

// BenchmarkRows makes rows of each table, as text and as values.
func BenchmarkRows(b *testing.B) {
	s := scale(b, 1)
	for _, table := range dbgen.Tables[dbgen.Supplier:] {
		b.Run(table.String()+"/text", func(b *testing.B) {
			b.ReportAllocs()
			source := s.Source(table, dbgen.Tbl, 1, s.Count(table))
			buf := make([]byte, 0, 1024)
			var bytes int64
			for b.Loop() {
				row, more := source.AppendRow(buf)
				if !more {
					source = s.Source(table, dbgen.Tbl, 1, s.Count(table))
				}
				bytes += int64(len(row))
			}
			b.SetBytes(bytes / int64(b.N))
		})
		b.Run(table.String()+"/values", func(b *testing.B) {
			b.ReportAllocs()
			const rows = 1000
			source := s.Source(table, dbgen.Tbl, 1, s.Count(table))
			batch := dbgen.NewBatch(len(table.Columns()))
			made := 0
			for b.Loop() {
				if source.Read(batch, rows) == 0 {
					source = s.Source(table, dbgen.Tbl, 1, s.Count(table))
				}
				made += batch.Rows
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(made), "ns/row")
		})
	}
}
