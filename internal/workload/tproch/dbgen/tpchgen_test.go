package dbgen_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"sledge/internal/workload/tproch/dbgen"
	"sledge/internal/workload/tproch/dbgen/dbgentest"
)

// tpchgen runs tpchgen-cli and returns the folder of its files.
func tpchgen(t *testing.T, factor float64, arguments ...string) string {
	t.Helper()
	program, folder := dbgentest.Tpchgen(t), t.TempDir()
	arguments = append([]string{"tbl", "-s", fmt.Sprint(factor), "-o", folder, "-n", "1", "-q"}, arguments...)
	if output, err := exec.Command(program, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("tpchgen-cli: %v\n%s", err, output)
	}
	return folder
}

// compare compares a file with a range of rows.
func compare(t *testing.T, path string, s dbgen.Scale, table dbgen.Table, first, count int64) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := s.Source(table, dbgen.Tbl, first, count).WriteTo(&got); err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s, %d rows from %d: got %d bytes that differ from the %d of tpchgen-cli", table, count, first, got.Len(), len(want))
	}
}

func TestTablesAreThoseOfTpchgen(t *testing.T) {
	const factor = 0.05
	folder, s := tpchgen(t, factor), scale(t, factor)
	for _, table := range dbgen.Tables {
		compare(t, filepath.Join(folder, table.String()+".tbl"), s, table, 1, s.Count(table))
	}
}

func TestPartsOfTablesAreThoseOfTpchgen(t *testing.T) {
	const factor, parts = 0.05, 7
	folder, s := tpchgen(t, factor, "--parts", strconv.Itoa(parts)), scale(t, factor)
	for _, table := range dbgen.Tables[dbgen.Supplier:] {
		first := int64(1)
		for part := 1; part <= parts; part++ {
			path := filepath.Join(folder, table.String(), fmt.Sprintf("%s.%d.tbl", table, part))
			rows := rowsOrOrders(t, path, table)
			compare(t, path, s, table, first, rows)
			first += rows
		}
		if first-1 != s.Count(table) {
			t.Errorf("%s: tpchgen-cli made %d rows, want %d", table, first-1, s.Count(table))
		}
	}
}

// rowsOrOrders counts the rows of a file or, of lineitem, their orders.
func rowsOrOrders(t *testing.T, path string, table dbgen.Table) (count int64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	order := ""
	for row := range bytes.Lines(text) {
		key, _, _ := bytes.Cut(row, []byte("|"))
		if table != dbgen.LineItem || string(key) != order {
			count++
		}
		order = string(key)
	}
	return count
}

// TestTheGreatestScaleIsThatOfTpchgenAnywhere compares a random millionth of each table at the
// largest scale.
func TestTheGreatestScaleIsThatOfTpchgenAnywhere(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	const parts = 1_000_000
	part := rand.New(rand.NewPCG(seed, 0)).Int64N(parts)
	folder := tpchgen(t, dbgen.MostScale, "--parts", strconv.Itoa(parts), "--part", strconv.FormatInt(part+1, 10))
	s := scale(t, dbgen.MostScale)
	for _, table := range dbgen.Tables[dbgen.Supplier:] {
		count := s.Count(table) / parts
		path := filepath.Join(folder, table.String(), fmt.Sprintf("%s.%d.tbl", table, part+1))
		compare(t, path, s, table, part*count+1, count)
	}
}
