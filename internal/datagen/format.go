package datagen

import (
	"slices"
	"strconv"
	"strings"

	"sledge/internal/job"
	"sledge/internal/schema"
)

// Format is the format of rows in files.
type Format string

// The formats.
const (
	Tbl     Format = "tbl"     // lines with | between values; the default
	Dbgen   Format = "dbgen"   // lines with | after each value, in files named like dbgen's
	CSV     Format = "csv"     // RFC 4180, but lines end with a newline alone
	Parquet Format = "parquet" // columns with types
)

// Formats lists the formats, the default first.
var Formats = []Format{Tbl, Dbgen, CSV, Parquet}

// FormatNames lists the names of the formats.
func FormatNames() []string { return texts(Formats) }

// Compression is the compression of files.
type Compression string

// The compressions.
const (
	Uncompressed Compression = "none"
	Gzip         Compression = "gzip"
	Zstd         Compression = "zstd"
	Snappy       Compression = "snappy" // within Parquet files only
)

// Compressions lists the compressions for files of the format, the default first.
func (f Format) Compressions() []Compression {
	if f == Parquet {
		return []Compression{Snappy, Zstd, Gzip, Uncompressed}
	}
	return []Compression{Uncompressed, Gzip, Zstd}
}

// CompressionNames lists the names of all compressions.
func CompressionNames() []string { return texts(Parquet.Compressions()) }

// extension returns the end of the format's file names, after the table.
func (f Format) extension() string {
	switch f {
	case CSV:
		return ".csv"
	case Parquet:
		return ".parquet"
	}
	return ".tbl"
}

// extension returns the end of compressed files' names. Parquet files are compressed inside, and
// their names do not show it.
func (c Compression) extension() string {
	switch c {
	case Gzip:
		return ".gz"
	case Zstd:
		return ".zst"
	}
	return ""
}

// settle fills in the defaults of the configuration, and refuses contradictions.
func (c *Config) settle() error {
	if c.Format == "" {
		c.Format = Formats[0]
	}
	if !slices.Contains(Formats, c.Format) {
		return wrong(nameFormat, "format %s is not one of %s", c.Format, list(Formats))
	}
	can := c.Format.Compressions()
	if c.Compression == "" {
		c.Compression = can[0]
	}
	if !slices.Contains(can, c.Compression) {
		return wrong(nameCompression, "compression %s is not one of those for %s files: %s", c.Compression, c.Format, list(can))
	}
	if c.Header && c.Format != CSV {
		return wrong(nameHeader, "only csv files have a header, and these are %s files: choose csv, or no header", c.Format)
	}
	c.Workers = max(c.Workers, 1)
	if c.Parts == 0 {
		c.Parts = c.Workers
	}
	return c.checkNumbers()
}

// checkNumbers refuses more workers or parts than the limits.
func (c *Config) checkNumbers() error {
	files := c.Plan.Workload.Schema.DataFiles
	units := files.Units(c.Plan.Settings)
	for _, number := range []struct {
		n    int
		what string
		most int
	}{{c.Workers, nameWorkers, MaxWorkers}, {c.Parts, nameParts, MaxParts}} {
		if number.n > number.most {
			return wrong(number.what, "%d %s are more than the limit of %d", number.n, number.what, number.most)
		}
	}
	if c.Parts > units {
		what := nameParts
		if c.Parts == c.Workers {
			what = nameWorkers
		}
		return wrong(what, "%d %s are more than the %d %s: each needs one", c.Parts, what, units, files.Unit)
	}
	return nil
}

// list formats names for people.
func list[T ~string](names []T) string { return strings.Join(texts(names), ", ") }

func texts[T ~string](names []T) []string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return texts
}

// fileName returns the file name of a part of a table.
func (c *Config) fileName(p *part) string {
	name := p.table.Name
	switch {
	case c.Format != Dbgen:
		name += "_" + strconv.Itoa(p.number) + c.Format.extension()
	case p.of == 1:
		name += c.Format.extension()
	default:
		name += c.Format.extension() + "." + strconv.Itoa(p.number)
	}
	if c.Format == Parquet {
		return name
	}
	return name + c.Compression.extension()
}

// encoder turns rows into the contents of a file.
type encoder interface {
	// encode converts, in place, the row from start to the end of buf. If it keeps the row for
	// later, it returns buf[:start].
	encode(buf []byte, start int) ([]byte, error)

	// end writes the kept rows.
	end() error
}

// newEncoder returns the encoder for the file of a part, and buf with the beginning of the file.
func (g *generation) newEncoder(p *part, out *output, buf []byte) (encoder, []byte) {
	switch {
	case g.Format == Parquet:
		return newParquetEncoder(g.typed(p.table), out, g.Compression, g.Version), buf
	case g.Format == CSV:
		if g.Header {
			buf = append(buf, strings.Join(p.table.ColumnNames(), ",")+"\n"...)
		}
		return &lineMaker{table: p.table, delimiter: ',', quoted: true, empties: true}, buf
	case !g.takesLines(p):
		return &lineMaker{table: p.table, delimiter: '|', quoted: g.Plan.Database.Dialect.QuotedFiles, behind: g.Format == Dbgen}, buf
	case g.Format == Dbgen:
		return linesAsTheyAre{}, buf
	}
	return linesTrimmed{}, buf
}

// takesLines reports whether the part's rows are generated as lines, not as load text.
func (g *generation) takesLines(p *part) bool {
	return p.ranges.Lines != nil && (g.Format == Tbl || g.Format == Dbgen)
}

// linesAsTheyAre is the encoder for lines that already have the file's format.
type linesAsTheyAre struct{}

func (linesAsTheyAre) encode(buf []byte, _ int) ([]byte, error) { return buf, nil }
func (linesAsTheyAre) end() error                               { return nil }

// linesTrimmed is the encoder that removes the delimiter after a line's last value.
type linesTrimmed struct{}

func (linesTrimmed) encode(buf []byte, _ int) ([]byte, error) {
	return append(buf[:len(buf)-2], '\n'), nil
}
func (linesTrimmed) end() error { return nil }

// withUsage gives an error the exit code of usage errors, which are found before anything is
// changed.
func withUsage(err error) error { return job.WithExit(job.ExitUsage, err) }

// typed returns a table with the types of its columns in files.
func (g *generation) typed(t schema.Table) schema.Table {
	if typed := g.Plan.Workload.Schema.DataFiles.Typed; typed != nil {
		t.Columns = slices.Clone(t.Columns)
		for i, c := range t.Columns {
			t.Columns[i] = typed(c)
		}
	}
	return t
}
