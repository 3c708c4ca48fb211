package datagen_test

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"sledge/internal/datagen"
	"sledge/internal/engine/plan"
	"sledge/internal/option"
	"sledge/internal/workload/tproch"
)

// sumsOfDbgen are the MD5 sums of the files that the TPC's dbgen writes, by scale factor and table.
var sumsOfDbgen = map[string]map[string]string{
	"0.001": {
		"customer": "4838fb47418882a3d617564c5a583641", "lineitem": "c9aec6ed54586bfca91ab61af604c177",
		"nation": "2f588e0b7fa72939b498c2abecd9fbbe", "orders": "2ebaccf1735e9b7641e4791fca0ad6de",
		"part": "a07f0ea884e63b0c209efa3a75a3c4f7", "partsupp": "bd0cfd8dcb384f75f27f2383da27fed6",
		"region": "c235841b00d29ad4f817771fcc851207", "supplier": "f0f59eaf71d314ab0bc605ede1d89e0f",
	},
	"0.01": {
		"customer": "a8aa97edad6d47b183a569759fbd3eec", "lineitem": "4c6d44350a1f7974f56f5d3d7091c2be",
		"nation": "2f588e0b7fa72939b498c2abecd9fbbe", "orders": "c8d2008fb47f47f9e56543d4cb0f4e6a",
		"part": "9cce16188c241c25617ca5ed6191e37e", "partsupp": "c6889c3ed0939ca02475f7fb410cbb50",
		"region": "c235841b00d29ad4f817771fcc851207", "supplier": "56e0621c472064c2a998757c70b44043",
	},
}

func TestFilesOfDbgenAreDbgens(t *testing.T) {
	for factor, sums := range sumsOfDbgen {
		plan := offline(t, tproch.Workload, option.Values{"scale_factor": factor})
		for _, c := range []datagen.Config{
			{Parts: 1, Workers: 2},
			{Parts: 3, Workers: 3},
			{Parts: 7, Workers: 2, Compression: datagen.Gzip},
			{Parts: 1, Compression: datagen.Zstd},
		} {
			t.Run(fmt.Sprintf("scale %s in %d parts by %d workers %s", factor, c.Parts, c.Workers, c.Compression), func(t *testing.T) {
				c.Plan, c.Folder, c.Format = plan, t.TempDir(), datagen.Dbgen
				result, err := datagen.Generate(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				together := map[string][]byte{} // by table, its parts in order
				rows := map[string]int64{}
				for _, f := range result.Files {
					if want := rows[f.Table] + 1; f.FirstRow != want {
						t.Errorf("%s: got the first row %d, want %d", f.Name, f.FirstRow, want)
					}
					rows[f.Table] += f.Rows
					text := content(t, filepath.Join(c.Folder, f.Name))
					if got := sum(text); got != f.MD5 || int64(len(text)) != f.Bytes || int64(bytes.Count(text, []byte("\n"))) != f.Rows {
						t.Errorf("%s: got %d bytes with the MD5 %s, and not %d rows of %d with %s", f.Name, len(text), got, f.Rows, f.Bytes, f.MD5)
					}
					name := f.Table + ".tbl"
					if f.Parts > 1 {
						name += fmt.Sprint(".", f.Part)
					}
					if !strings.HasPrefix(f.Name, name) {
						t.Errorf("got the name %s, want %s", f.Name, name)
					}
					together[f.Table] = append(together[f.Table], text...)
				}
				for table, want := range sums {
					if got := sum(together[table]); got != want {
						t.Errorf("%s: got the MD5 %s, want dbgen's, %s", table, got, want)
					}
				}
			})
		}
	}
}

func sum(text []byte) string {
	s := md5.Sum(text)
	return hex.EncodeToString(s[:])
}

// content reads a file that may be compressed.
func content(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var r io.Reader = file
	switch filepath.Ext(path) {
	case ".gz":
		r, err = gzip.NewReader(file)
	case ".zst":
		var z *zstd.Decoder
		if z, err = zstd.NewReader(file); err == nil {
			defer z.Close()
		}
		r = z
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return text
}

// TestLinesAreThoseOfDbgenWithoutTheirEnd compares the default format with dbgen's.
func TestLinesAreThoseOfDbgenWithoutTheirEnd(t *testing.T) {
	plan := offline(t, tproch.Workload, option.Values{"scale_factor": "0.001"})
	lines := generate(t, datagen.Config{Plan: plan})
	for table, want := range sumsOfDbgen["0.001"] {
		text := strings.ReplaceAll(lines[table+"_1.tbl"], "\n", "|\n")
		if got := sum([]byte(text)); got != want {
			t.Errorf("%s: got the MD5 %s with the ends, want dbgen's, %s", table, got, want)
		}
	}
}

func TestFormats_WriteSpecialValues(t *testing.T) {
	csv := map[string]string{
		"notes_1.csv":  "n,a,b\n1,a|b,plain\n2,,\"\"\"quoted\"\", and 'so'\"\n",
		"notes_2.csv":  "n,a,b\n3,\\.,back\\slash | at its end\\\n4,\"two\nlines|\",\ttab; and \\N\n",
		"places_2.csv": "p,at\n5,\n6,\n7,\n8,2026-01-02 00:00:00\n",
	}
	got := generate(t, datagen.Config{Plan: offline(t, special, nil), Workers: 2, Format: datagen.CSV, Header: true})
	for name, want := range csv {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
	behind := map[string]string{
		"notes.tbl":  "1|a\\|b|plain|\n2||\"quoted\", and 'so'|\n3|\\\\.|back\\\\slash \\| at its end\\\\|\n4|two\\nlines\\||\\ttab; and \\\\N|\n",
		"places.tbl": "1||\n2|2026-01-01 12:00:00|\n3||\n4||\n5||\n6||\n7||\n8|2026-01-02 00:00:00|\n",
	}
	got = generate(t, datagen.Config{Plan: offline(t, special, nil), Format: datagen.Dbgen})
	for name, want := range behind {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
}

func TestCSV_DistinguishesEmptyTextFromNull(t *testing.T) {
	before := notes[2]
	defer func() { notes[2] = before }()
	for row, want := range map[string]string{"3\t\tx\n": "3,\"\",x\n", "3\t\\N\t\n": "3,,\"\"\n", "3\tx,y\t\n": "3,\"x,y\",\"\"\n", "3\ta\rb\tx\n": "3,\"a\rb\",x\n"} {
		notes[2] = row
		got := generate(t, datagen.Config{Plan: offline(t, special, nil), Workers: 4, Format: datagen.CSV})
		if got["notes_3.csv"] != want {
			t.Errorf("%q: got %q, want %q", row, got["notes_3.csv"], want)
		}
	}
}

// openParquet opens a file until the test ends.
func openParquet(t *testing.T, path string) *parquet.File {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return f
}

// parquetRows reads a file as text, like CSV without quotes, and counts its row groups.
func parquetRows(t *testing.T, path string) (rows []string, groups int) {
	t.Helper()
	f := openParquet(t, path)
	fields := f.Schema().Fields()
	for _, group := range f.RowGroups() {
		groups++
		reader := group.Rows()
		buf := make([]parquet.Row, 100)
		for {
			n, err := reader.ReadRows(buf)
			for _, row := range buf[:n] {
				var values []string
				for i, v := range row {
					values = append(values, spelled(fields[i], v))
				}
				rows = append(rows, strings.Join(values, "\t"))
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		reader.Close()
	}
	return rows, groups
}

// spelled writes a value as load text, without escaping special characters.
func spelled(f parquet.Field, v parquet.Value) string {
	if v.IsNull() {
		return `\N`
	}
	switch f.Type().String() {
	case "DATE":
		return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().Format(time.DateOnly)
	case "DECIMAL(15,2)":
		sign := ""
		if v.Int64() < 0 {
			sign = "-"
		}
		n := max(v.Int64(), -v.Int64())
		return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
	}
	return v.String()
}

func TestParquetFilesHaveTheRows(t *testing.T) {
	folder := t.TempDir()
	if _, err := datagen.Generate(t.Context(), datagen.Config{Plan: offline(t, special, nil), Folder: folder, Format: datagen.Parquet}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"notes_1.parquet":  "1\ta|b\tplain;2\t\\N\t\"quoted\", and 'so';3\t\\.\tback\\slash | at its end\\;4\ttwo\nlines|\t\ttab; and \\N",
		"places_1.parquet": "1\t\\N;2\t1767268800000000;3\t\\N;4\t\\N;5\t\\N;6\t\\N;7\t\\N;8\t1767312000000000",
	} {
		if rows, _ := parquetRows(t, filepath.Join(folder, name)); strings.Join(rows, ";") != want {
			t.Errorf("%s: got %q, want %q", name, strings.Join(rows, ";"), want)
		}
	}
}

// The rows of TPROC-H must be the same in Parquet files, which are made column by column, as in the
// other formats, which are made line by line.
func TestParquetFiles_HaveTheRowsOfTheOtherFormats(t *testing.T) {
	for _, c := range []struct {
		scale       string
		compression datagen.Compression
		parts       int
	}{
		{"0.025", datagen.Snappy, 1}, // lineitem has two groups
		{"0.001", datagen.Zstd, 2},
		{"0.001", datagen.Gzip, 3},
		{"0.001", datagen.Uncompressed, 4},
	} {
		plan := offline(t, tproch.Workload, option.Values{"scale_factor": c.scale})
		lines := generate(t, datagen.Config{Plan: plan})
		folder := t.TempDir()
		result, err := datagen.Generate(t.Context(), datagen.Config{Plan: plan, Folder: folder, Format: datagen.Parquet, Compression: c.compression, Parts: c.parts})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range result.Files {
			rows, groups := parquetRows(t, filepath.Join(folder, f.Name))
			if want := int(f.Rows+122_879) / 122_880; groups != want || int64(len(rows)) != f.Rows || f.MD5 != "" {
				t.Errorf("%s by %s: got %d rows in %d groups and the MD5 %q, want %d in %d and none", f.Name, c.compression, len(rows), groups, f.MD5, f.Rows, want)
			}
			want := strings.Split(lines[f.Table+"_1.tbl"], "\n")[f.FirstRow-1:]
			for i, row := range rows {
				values := strings.Split(want[i], "|")
				if f.Table == "lineitem" { // its quantity is a decimal in Parquet, and a whole number as text
					values[4] += ".00"
				}
				if want := strings.Join(values, "\t"); row != want {
					t.Fatalf("%s by %s, row %d: got %q, want %q", f.Name, c.compression, i+1, row, want)
				}
			}
		}
	}
}

func TestParquetFiles_AreTheSameEachTime(t *testing.T) {
	for _, plan := range []plan.Plan{offline(t, special, nil), offline(t, tproch.Workload, option.Values{"scale_factor": "0.025"})} {
		var sums [2][]string
		for i := range sums {
			result, err := datagen.Generate(t.Context(), datagen.Config{Plan: plan, Folder: t.TempDir(), Format: datagen.Parquet, Workers: 1 + i, Parts: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range result.Files {
				sums[i] = append(sums[i], f.Name+" "+f.SHA256)
			}
		}
		if !slices.Equal(sums[0], sums[1]) {
			t.Errorf("the second generation wrote other files:\n%q\n%q", sums[0], sums[1])
		}
	}
}

func TestParquetFiles_HaveTheTypesOfOtherGenerators(t *testing.T) {
	folder := t.TempDir()
	plan := offline(t, tproch.Workload, option.Values{"scale_factor": "0.01"})
	if _, err := datagen.Generate(t.Context(), datagen.Config{Plan: plan, Folder: folder, Format: datagen.Parquet}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, column := range openParquet(t, filepath.Join(folder, "partsupp_1.parquet")).Schema().Fields() {
		got = append(got, column.Name()+" "+column.Type().String())
	}
	// The types of tpchgen-cli 4.0.0.
	want := []string{"ps_partkey INT(64,true)", "ps_suppkey INT(64,true)", "ps_availqty INT(32,true)", "ps_supplycost DECIMAL(15,2)", "ps_comment STRING"}
	if !slices.Equal(got, want) {
		t.Errorf("got the columns %q, want %q", got, want)
	}
}

func TestParquetFiles_RefuseADayThatDoesNotExist(t *testing.T) {
	for text, want := range map[string]int64{"1970-01-01": 0, "1998-12-01": 10561, "1968-02-29": -672} {
		if got, err := datagen.Days(text); got != want || err != nil {
			t.Errorf("%s: got day %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"1999-02-29", "1999-13-01", "1999-00-10", "1999-1-01", "19990101", "1999-01-0x", ""} {
		if got, err := datagen.Days(text); err == nil {
			t.Errorf("%q was read as day %d", text, got)
		}
	}
}
