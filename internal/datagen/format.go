package datagen

import (
	"slices"
	"strconv"
	"strings"

	"sledge/internal/job"
	"sledge/internal/schema"
)

// Format is how rows are written in files.
type Format string

// The formats.
const (
	Tbl     Format = "tbl"     // lines with | between values, the usual one
	Dbgen   Format = "dbgen"   // lines with | behind each value, in files that are named as the TPC's dbgen names them
	CSV     Format = "csv"     // RFC 4180, but for lines, which end with a newline alone
	Parquet Format = "parquet" // columns with types
)

// Formats lists them, the usual one first.
var Formats = []Format{Tbl, Dbgen, CSV, Parquet}

// FormatNames lists their names.
func FormatNames() []string { return texts(Formats) }

// Compression is how files are made smaller.
type Compression string

// The compressions.
const (
	Uncompressed Compression = "none"
	Gzip         Compression = "gzip"
	Zstd         Compression = "zstd"
	Snappy       Compression = "snappy" // within Parquet files only
)

// Compressions lists those that files of the format may have, the usual one first.
func (f Format) Compressions() []Compression {
	if f == Parquet {
		return []Compression{Snappy, Zstd, Gzip, Uncompressed}
	}
	return []Compression{Uncompressed, Gzip, Zstd}
}

// CompressionNames lists the names of all compressions.
func CompressionNames() []string { return texts(Parquet.Compressions()) }

// extension is what the names of the format's files have behind the table.
func (f Format) extension() string {
	switch f {
	case CSV:
		return ".csv"
	case Parquet:
		return ".parquet"
	}
	return ".tbl"
}

// extension is what the names of compressed files end with. Parquet files are compressed within,
// and their names do not tell.
func (c Compression) extension() string {
	switch c {
	case Gzip:
		return ".gz"
	case Zstd:
		return ".zst"
	}
	return ""
}

// settle fills in what the configuration leaves to its defaults, and refuses what does not go
// together.
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

// checkNumbers refuses more workers or parts than there may be.
func (c *Config) checkNumbers() error {
	files := c.Plan.Workload.DataFiles
	units := files.Units(c.Plan.Settings)
	for _, number := range []struct {
		n    int
		what string
		most int
	}{{c.Workers, nameWorkers, MaxWorkers}, {c.Parts, nameParts, MaxParts}} {
		if number.n > number.most {
			return wrong(number.what, "%d %s are more than the %d that there may be", number.n, number.what, number.most)
		}
	}
	if c.Parts > units {
		what := nameParts
		if c.Parts == c.Workers {
			what = nameWorkers
		}
		return wrong(what, "%d %s are more than the %d %s: each needs one of its own", c.Parts, what, units, files.Unit)
	}
	return nil
}

// list spells names for people.
func list[T ~string](names []T) string { return strings.Join(texts(names), ", ") }

func texts[T ~string](names []T) []string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return texts
}

// fileName names the file of a part of a table.
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

// encoder turns rows into what a file has of them.
type encoder interface {
	// encode turns the row that begins at start of buf, and ends it, into what the file has of
	// it, in its place. It returns buf up to start where it keeps the row for later.
	encode(buf []byte, start int) ([]byte, error)

	// end writes what was kept.
	end() error
}

// newEncoder returns what makes the file of a part, and buf with what the file begins with.
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

// takesLines tells whether the part's rows are made as lines, rather than as load text.
func (g *generation) takesLines(p *part) bool {
	return p.ranges.Lines != nil && (g.Format == Tbl || g.Format == Dbgen)
}

// linesAsTheyAre is the encoder of lines that are made as the file has them.
type linesAsTheyAre struct{}

func (linesAsTheyAre) encode(buf []byte, _ int) ([]byte, error) { return buf, nil }
func (linesAsTheyAre) end() error                               { return nil }

// linesTrimmed is the encoder of lines that lose what stands behind their last value.
type linesTrimmed struct{}

func (linesTrimmed) encode(buf []byte, _ int) ([]byte, error) {
	return append(buf[:len(buf)-2], '\n'), nil
}
func (linesTrimmed) end() error { return nil }

// withUsage gives an error the exit code of mistakes, before which nothing was changed.
func withUsage(err error) error { return job.WithExit(job.ExitUsage, err) }

// typed returns a table with the types that its columns have in files.
func (g *generation) typed(t schema.Table) schema.Table {
	if typed := g.Plan.Workload.DataFiles.Typed; typed != nil {
		t.Columns = slices.Clone(t.Columns)
		for i, c := range t.Columns {
			t.Columns[i] = typed(c)
		}
	}
	return t
}
