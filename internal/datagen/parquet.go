package datagen

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/snappy"

	"sledge/internal/schema"
)

// The units in which a Parquet file is written.
const (
	rowsPerGroup    = 122_880 // as in DuckDB; readers distribute groups among threads and keep a group in memory
	pageBytes       = 128 << 10
	rowsAtOnce      = 256       // rows that are encoded together, few enough to stay in the processor's cache
	dictionaryBytes = 128 << 10 // bytes of a column's dictionary in a group; further values are written without a dictionary
)

// parquetEncoder is the encoder of Parquet files. It writes to the file itself.
type parquetEncoder struct {
	table   schema.Table
	writer  *parquet.GenericWriter[any]
	columns []parquetColumn
	pending int   // rows of load text that are not in the file yet
	rows    int64 // rows in the file
	bytes   int64 // size of their values before encoding
}

// parquetColumn is a column with the values of load text that are not in the file yet.
type parquetColumn struct {
	schema.Column
	number int
	writer *parquet.ColumnWriter
	values []parquet.Value // scratch

	schema.Values
	nulls []bool // for an optional column, one for each value
}

func newParquetEncoder(t schema.Table, w io.Writer, compression Compression, version string) *parquetEncoder {
	e := &parquetEncoder{table: t}
	options := []parquet.WriterOption{
		parquet.NewSchema(t.Name, parquetColumns(t.Columns)),
		parquet.Compression(codec(compression)), parquet.CreatedBy("sledge", version, ""),
		// Every reader understands version 1 of data pages, and some only that. Statistics in pages
		// are unnecessary, because the column index has the bounds of pages.
		parquet.DataPageVersion(1), parquet.DataPageStatistics(false), parquet.DictionaryMaxBytes(dictionaryBytes), parquet.PageBufferSize(pageBytes),
	}
	for _, c := range t.Columns {
		if isText(c) { // texts are random, so bounds would not exclude any page
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	e.writer = parquet.NewGenericWriter[any](w, options...)
	writers := e.writer.ColumnWriters()
	for i, c := range t.Columns {
		e.columns = append(e.columns, parquetColumn{Column: c, number: i, writer: writers[i], values: make([]parquet.Value, rowsAtOnce)})
	}
	return e
}

// codec returns the library's name for a compression.
func codec(c Compression) compress.Codec {
	switch c {
	case Snappy:
		return &fastSnappy{}
	case Zstd:
		return &parquet.Zstd
	case Gzip:
		return &parquet.Gzip
	}
	return &parquet.Uncompressed
}

// fastSnappy encodes with s2. The library's encoder saves a tenth more, but takes twice as long.
type fastSnappy struct{ snappy.Codec }

// Encode implements compress.Codec.
func (*fastSnappy) Encode(dst, src []byte) ([]byte, error) {
	return s2.EncodeSnappy(dst, src), nil
}

// orderedGroup is a group that keeps the order of its columns; the library's group sorts them by
// name.
type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

// Fields implements parquet.Node.
func (g orderedGroup) Fields() []parquet.Field { return g.fields }

// parquetColumns returns the columns of a table as a file describes them.
func parquetColumns(columns []schema.Column) parquet.Node {
	g := orderedGroup{Group: parquet.Group{}}
	for _, c := range columns {
		node := parquetType(c)
		if c.Type != schema.Varchar { // values of varchar columns mostly differ
			node = parquet.Encoded(node, &parquet.RLEDictionary)
		}
		if c.Null {
			node = parquet.Optional(node)
		}
		g.Group[c.Name] = node
	}
	named := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		named[f.Name()] = f
	}
	for _, c := range columns {
		g.fields = append(g.fields, named[c.Name])
	}
	return g
}

// parquetType returns the type of a column. Decimals are integers with as many digits. Timestamps
// are marked as having no time zone, so that databases load them unchanged.
func parquetType(c schema.Column) parquet.Node {
	switch c.Type {
	case schema.Integer:
		return parquet.Int(32)
	case schema.SmallInteger:
		return parquet.Int(16)
	case schema.BigInteger:
		return parquet.Int(64)
	case schema.Decimal:
		if width(c) == 4 {
			return parquet.Decimal(c.Scale, c.Size, parquet.Int32Type)
		}
		return parquet.Decimal(c.Scale, c.Size, parquet.Int64Type)
	case schema.Date:
		return parquet.Date()
	case schema.Timestamp:
		return parquet.TimestampAdjusted(parquet.Microsecond, false)
	}
	return parquet.String()
}

// encode implements encoder.
func (e *parquetEncoder) encode(buf []byte, start int) ([]byte, error) {
	row := bytes.TrimSuffix(buf[start:], []byte("\n"))
	last := len(e.columns) - 1
	for i := range e.columns {
		field := row
		if end := bytes.IndexByte(row, '\t'); (end >= 0) != (i < last) {
			return nil, torn(e.table, buf[start:])
		} else if end >= 0 {
			field, row = row[:end], row[end+1:]
		}
		if err := e.columns[i].parse(field); err != nil {
			return nil, err
		}
	}
	if e.pending++; e.pending < rowsAtOnce {
		return buf[:start], nil
	}
	return buf[:start], e.place()
}

// place writes the pending rows.
func (e *parquetEncoder) place() error {
	for i := range e.columns {
		c := &e.columns[i]
		if err := e.write(c, c.Values); err != nil {
			return err
		}
		c.Numbers, c.Bytes, c.Ends, c.nulls = c.Numbers[:0], c.Bytes[:0], c.Ends[:0], c.nulls[:0]
	}
	pending := e.pending
	e.pending = 0
	return e.wrote(pending)
}

// encodeColumns writes the next rows of a source, and returns their number and the size of their
// values.
func (e *parquetEncoder) encodeColumns(source schema.ColumnSource) (rows int, size int64, err error) {
	before := e.bytes
	rows = source.Read(rowsAtOnce)
	for i := range e.columns {
		if err := e.write(&e.columns[i], source.Column(i)); err != nil {
			return 0, 0, err
		}
	}
	return rows, e.bytes - before, e.wrote(rows)
}

// write writes values of a column.
func (e *parquetEncoder) write(c *parquetColumn, v schema.Values) error {
	if err := c.convert(v); err != nil {
		return err
	}
	e.bytes += int64(len(v.Bytes) + len(v.Numbers)*width(c.Column))
	_, err := c.writer.WriteRowValues(c.values)
	return err
}

// wrote counts rows that all columns have, and ends their group when it is full: rowsPerGroup is a
// multiple of rowsAtOnce.
func (e *parquetEncoder) wrote(rows int) error {
	e.rows += int64(rows)
	if rows == 0 || e.rows%rowsPerGroup != 0 {
		return nil
	}
	return e.writer.Flush()
}

// end implements encoder.
func (e *parquetEncoder) end() error {
	if err := e.place(); err != nil {
		return err
	}
	return e.writer.Close()
}

// convert converts values into the library's form. It assigns elements, which takes half as long as
// append.
func (c *parquetColumn) convert(v schema.Values) error {
	values := c.values[:len(v.Numbers)+len(v.Ends)]
	switch {
	case isText(c.Column):
		begin := int32(0)
		for i, end := range v.Ends {
			values[i] = parquet.ByteArrayValue(v.Bytes[begin:end])
			begin = end
		}
	case width(c.Column) == 4:
		for i, n := range v.Numbers {
			if n != int64(int32(n)) {
				return fmt.Errorf("column %s: %d: %w", c.Name, n, strconv.ErrRange)
			}
			values[i] = parquet.Int32Value(int32(n))
		}
	default:
		for i, n := range v.Numbers {
			values[i] = parquet.Int64Value(n)
		}
	}
	for i, null := range c.nulls {
		if null {
			values[i] = parquet.NullValue().Level(0, 0, c.number)
		} else { // levels are read only for optional columns
			values[i] = values[i].Level(0, 1, c.number)
		}
	}
	c.values = values
	return nil
}

// isText reports whether the values of a column are texts and not numbers.
func isText(c schema.Column) bool { return c.Type == schema.Char || c.Type == schema.Varchar }

// width returns the size of the column's numbers in bytes.
func width(c schema.Column) int {
	if c.Type == schema.BigInteger || c.Type == schema.Timestamp || c.Type == schema.Decimal && c.Size > 9 {
		return 8
	}
	return 4
}

// parse adds a value of load text.
func (c *parquetColumn) parse(field []byte) error {
	null := c.Null && string(field) == `\N`
	if c.Null {
		c.nulls = append(c.nulls, null)
	}
	if isText(c.Column) {
		switch {
		case null:
		case bytes.IndexByte(field, '\\') >= 0:
			c.Bytes = append(c.Bytes, schema.Unescape(field)...)
		default:
			c.Bytes = append(c.Bytes, field...)
		}
		c.Ends = append(c.Ends, int32(len(c.Bytes)))
		return nil
	}
	var n int64
	if !null {
		var err error
		if n, err = c.parseNumber(field); err != nil {
			return fmt.Errorf("column %s: %q: %w", c.Name, field, err)
		}
	}
	c.Numbers = append(c.Numbers, n)
	return nil
}

func (c *parquetColumn) parseNumber(field []byte) (int64, error) {
	switch c.Type {
	case schema.Date:
		return days(field)
	case schema.Timestamp:
		t, err := time.Parse(time.DateTime, string(field))
		return t.UnixMicro(), err
	case schema.Decimal:
		return scaled(field, c.Scale)
	}
	return scaled(field, 0)
}

// scaled parses a decimal number as a whole number of its last digit.
func scaled(field []byte, scale int) (int64, error) {
	digits, negative := bytes.CutPrefix(field, []byte("-"))
	var n int64
	behind, pointed := 0, false
	for i, c := range digits {
		switch {
		case '0' <= c && c <= '9' && i < 19: // as many digits as fit into an int64
			n = 10*n + int64(c-'0')
			if pointed {
				behind++
			}
		case c == '.' && !pointed:
			pointed = true
		default:
			return 0, strconv.ErrSyntax
		}
	}
	if len(digits) == 0 || behind > scale {
		return 0, strconv.ErrSyntax
	}
	for ; behind < scale; behind++ {
		n *= 10
	}
	if negative {
		n = -n
	}
	return n, nil
}

// days parses a date, such as 2006-01-02, as the number of days since 1970-01-01.
func days(field []byte) (int64, error) {
	if len(field) != len(time.DateOnly) || field[4] != '-' || field[7] != '-' {
		return 0, strconv.ErrSyntax
	}
	n := 0
	for i, c := range field {
		if i == 4 || i == 7 {
			continue
		}
		if c < '0' || c > '9' {
			return 0, strconv.ErrSyntax
		}
		n = 10*n + int(c-'0')
	}
	year, month, day := n/10_000, time.Month(n/100%100), n%100
	t := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if t.Month() != month || t.Day() != day { // the day does not exist, so time.Date returned another one
		return 0, strconv.ErrRange
	}
	return t.Unix() / (24 * 60 * 60), nil
}
