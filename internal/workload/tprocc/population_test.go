package tprocc_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/schema"
	"sledge/internal/workload/tprocc"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// loadTime is in another zone, to test that rows contain UTC.
var loadTime = time.Date(2026, 3, 4, 7, 6, 7, 890, time.FixedZone("", 2*3600))

const loadTimeText = "2026-03-04 05:06:07"

func tables(seed uint64, warehouses int) []schema.Table {
	return tprocc.Population{Warehouses: warehouses, Seed: seed, LoadTime: loadTime}.Tables()
}

// If these fingerprints change, the data of all users change, and databases built before and after
// are no longer comparable.
func TestPopulationMakesTheSameRowsForEver(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, table := range tables(1, 2) {
		sum := sha256.New()
		for chunk := range table.Chunks {
			if _, err := schema.NewReader(table.Rows(chunk)).WriteTo(sum); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(&got, "%x  %s\n", sum.Sum(nil), table.Name)
	}
	golden := filepath.Join("testdata", "population.sha256")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got fingerprints\n%swant\n%s", &got, want)
	}
}

// The test opens the chunks of a second population in reverse order and makes their rows in turn.
func TestRowsDoNotDependOnTheOrderTheyAreMadeIn(t *testing.T) {
	t.Parallel()
	others := tables(1, 2)
	for i, table := range tables(1, 2) {
		t.Run(table.Name, func(t *testing.T) {
			sources := make([]schema.RowSource, table.Chunks)
			for chunk := table.Chunks - 1; chunk >= 0; chunk-- {
				sources[chunk] = others[i].Rows(chunk)
			}
			sums := interleave(sources)
			for chunk := range table.Chunks {
				want := sha256.New()
				if _, err := schema.NewReader(table.Rows(chunk)).WriteTo(want); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(sums[chunk].Sum(nil), want.Sum(nil)) {
					t.Errorf("chunk %d: the rows made in turn differ from the rows made alone", chunk)
				}
			}
		})
	}
}

// interleave takes a row from each source in turn until all have ended, and returns the hash of
// each source's rows.
func interleave(sources []schema.RowSource) []hash.Hash {
	sums := make([]hash.Hash, len(sources))
	for i := range sums {
		sums[i] = sha256.New()
	}
	var row []byte
	for ended := 0; ended < len(sources); {
		ended = 0
		for i, source := range sources {
			var more bool
			if row, more = source.AppendRow(row[:0]); !more {
				ended++
				continue
			}
			sums[i].Write(row)
		}
	}
	return sums
}

func TestRowsOfAWarehouseDoNotDependOnHowManyThereAre(t *testing.T) {
	more := tables(1, 1500)
	for i, table := range tables(1, 2) {
		last := table.Chunks - 1
		got, want := firstRows(more[i].Rows(last), 20), firstRows(table.Rows(last), 20)
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: got of 1500 warehouses\n%swant, as of 2,\n%s", table.Name, got, want)
		}
	}
}

func TestEverySeedTableAndChunkHasRowsOfItsOwn(t *testing.T) {
	long := []string{"i_data", "s_dist_01", "s_dist_10", "s_data", "c_data", "h_data", "ol_dist_info"}
	seen := map[string]string{}
	for seed := range uint64(3) {
		for _, table := range tables(seed, 3) {
			for i, column := range table.Columns {
				if !slices.Contains(long, column.Name) {
					continue
				}
				for chunk := range table.Chunks {
					here := fmt.Sprintf("seed %d %s chunk %d", seed, column.Name, chunk)
					for row := range strings.Lines(firstRows(table.Rows(chunk), 500)) {
						text := strings.Split(strings.TrimSuffix(row, "\n"), "\t")[i]
						if there, found := seen[text]; found {
							t.Fatalf("%q is in %s and in %s", text, there, here)
						}
						seen[text] = here
					}
				}
			}
		}
	}
}

func TestChunks_CoverTheWarehousesOnce(t *testing.T) {
	for _, tt := range []struct{ warehouses, want int }{{1, 1}, {1000, 1}, {1001, 2}, {2500, 3}} {
		for _, table := range tables(1, tt.warehouses) {
			if table.Name != "warehouse" && table.Name != "district" {
				continue
			}
			if table.Chunks != tt.want {
				t.Errorf("%s of %d: got %d chunks, want %d", table.Name, tt.warehouses, table.Chunks, tt.want)
			}
			per := map[string]int{"warehouse": 1, "district": 10}[table.Name]
			id := slices.Index(table.ColumnNames(), map[string]string{"warehouse": "w_id", "district": "d_w_id"}[table.Name])
			next := 0
			for chunk := range table.Chunks {
				for _, row := range parse(t, table, chunk) {
					if want := fmt.Sprint(next/per + 1); row[id] != want {
						t.Fatalf("%s of %d: got a row of warehouse %s, want %s", table.Name, tt.warehouses, row[id], want)
					}
					next++
				}
			}
			if next != per*tt.warehouses {
				t.Errorf("%s of %d: got %d rows, want %d", table.Name, tt.warehouses, next, per*tt.warehouses)
			}
		}
	}
}

func TestTables_HaveAboutTheirNumberOfRows(t *testing.T) {
	for _, table := range tables(1, 2) {
		var rows int64
		for chunk := range table.Chunks {
			r := schema.NewReader(table.Rows(chunk))
			if _, err := r.WriteTo(io.Discard); err != nil {
				t.Fatal(err)
			}
			rows += r.Rows()
		}
		margin := int64(0)
		if table.Name == "order_line" {
			margin = rows / 100 // the only table whose number of rows is random
		}
		if table.Size < rows-margin || table.Size > rows+margin {
			t.Errorf("%s: got size %d, want %d", table.Name, table.Size, rows)
		}
	}
}

func TestSource_LeavesTheBufferAfterItsEnd(t *testing.T) {
	for _, table := range tables(1, 1) {
		source := table.Rows(0)
		if _, err := schema.NewReader(source).WriteTo(io.Discard); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, more := source.AppendRow([]byte("before")); more || string(got) != "before" {
				t.Errorf("%s: got %q and %t after the end, want \"before\" and false", table.Name, got, more)
			}
		}
	}
}

func TestAppendRowKeepsWhatIsInTheBuffer(t *testing.T) {
	for _, table := range tables(1, 1) {
		want := "before" + firstRows(table.Rows(0), 1)
		if got, _ := table.Rows(0).AppendRow([]byte("before")); string(got) != want {
			t.Errorf("%s: got %q, want %q", table.Name, got, want)
		}
	}
}

func TestAppendRowAllocatesNothing(t *testing.T) {
	for _, table := range tables(1, 1000) {
		rows := 3100 // goes through the end of a district
		if table.Name == "warehouse" {
			rows = 400 // of 1000, because the rows are made twice
		}
		source, buf := table.Rows(0), make([]byte, 0, 4096)
		allocs := testing.AllocsPerRun(1, func() {
			for range rows {
				if _, more := source.AppendRow(buf[:0]); !more {
					t.Fatalf("%s ended early", table.Name)
				}
			}
		})
		if allocs != 0 {
			t.Errorf("%s: got %.0f allocations for %d rows, want none", table.Name, allocs, rows)
		}
	}
}

// BenchmarkPopulation makes the load text of one warehouse and the items: of all tables together,
// then of each table.
func BenchmarkPopulation(b *testing.B) {
	all := tables(1, 1)
	b.Run("all", func(b *testing.B) { makeRows(b, all) })
	for i, table := range all {
		b.Run(table.Name, func(b *testing.B) { makeRows(b, all[i:i+1]) })
	}
}

func makeRows(b *testing.B, tables []schema.Table) {
	b.ReportAllocs()
	for b.Loop() {
		var size int64
		for _, table := range tables {
			for chunk := range table.Chunks {
				n, err := schema.NewReader(table.Rows(chunk)).WriteTo(io.Discard)
				if err != nil {
					b.Fatal(err)
				}
				size += n
			}
		}
		b.SetBytes(size)
	}
}

// firstRows returns the load text of at most the first n rows.
func firstRows(source schema.RowSource, n int) string {
	var buf []byte
	for range n {
		buf, _ = source.AppendRow(buf)
	}
	return string(buf)
}

// parse returns the values of all rows of a chunk.
func parse(t *testing.T, table schema.Table, chunk int) [][]string {
	t.Helper()
	var text strings.Builder
	if _, err := schema.NewReader(table.Rows(chunk)).WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(text.String()) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != len(table.Columns) || !strings.HasSuffix(line, "\n") {
			t.Fatalf("%s: got the row %q, want %d columns and a newline", table.Name, line, len(table.Columns))
		}
		rows = append(rows, row)
	}
	return rows
}
