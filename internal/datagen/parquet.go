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

// How much of a Parquet file is made at a time.
const (
	rowsPerGroup    = 122_880 // as DuckDB has it: groups are what readers share among threads, and what is kept in memory
	pageBytes       = 128 << 10
	rowsAtOnce      = 256       // go to the columns together: their values stay in the processor's cache
	dictionaryBytes = 128 << 10 // of the values of a column in a group; where they take more, the rest is written out
)

// parquetEncoder is the encoder of Parquet files. It writes to the file itself.
type parquetEncoder struct {
	table   schema.Table
	writer  *parquet.GenericWriter[any]
	columns []parquetColumn
	rows    int64 // all so far
}

// parquetColumn is a column with the values that do not have their place yet.
type parquetColumn struct {
	schema.Column
	writer *parquet.ColumnWriter
	values []parquet.Value
	texts  []byte // that values are in
}

func newParquetEncoder(t schema.Table, w io.Writer, compression Compression, version string) *parquetEncoder {
	e := &parquetEncoder{table: t}
	options := []parquet.WriterOption{
		parquet.NewSchema(t.Name, parquetColumns(t.Columns)),
		parquet.Compression(codec(compression)), parquet.CreatedBy("sledge", version, ""),
		// Every reader knows the first version of pages, and some no other.
		parquet.DataPageVersion(1), parquet.DictionaryMaxBytes(dictionaryBytes), parquet.PageBufferSize(pageBytes),
	}
	for _, c := range t.Columns {
		if c.Type == schema.Char || c.Type == schema.Varchar { // drawn at random, so that bounds exclude no page
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	e.writer = parquet.NewGenericWriter[any](w, options...)
	writers := e.writer.ColumnWriters()
	for i, c := range t.Columns {
		e.columns = append(e.columns, parquetColumn{Column: c, writer: writers[i], values: make([]parquet.Value, 0, rowsAtOnce)})
	}
	return e
}

// codec returns the library's word for a compression.
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

// fastSnappy is snappy's compression in less time: the library's own takes twice as long to find a tenth more.
type fastSnappy struct{ snappy.Codec }

// Encode implements compress.Codec.
func (*fastSnappy) Encode(dst, src []byte) ([]byte, error) {
	return s2.EncodeSnappy(dst, src), nil
}

// orderedGroup is a group of columns in an order of their own: the library's is that of their
// names.
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
		if c.Type != schema.Varchar { // whose values mostly differ
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

// parquetType returns the type of a column. Decimals are integers of as many digits; of
// timestamps it is said that they are in no time zone, so that databases load them as they are.
func parquetType(c schema.Column) parquet.Node {
	switch c.Type {
	case schema.Integer:
		return parquet.Int(32)
	case schema.SmallInteger:
		return parquet.Int(16)
	case schema.BigInteger:
		return parquet.Int(64)
	case schema.Decimal:
		if c.Size <= 9 {
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
		if err := e.columns[i].add(i, field); err != nil {
			return nil, err
		}
	}
	e.rows++
	if e.rows%rowsAtOnce == 0 || e.rows%rowsPerGroup == 0 {
		if err := e.place(); err != nil {
			return nil, err
		}
	}
	if e.rows%rowsPerGroup == 0 {
		return buf[:start], e.writer.Flush()
	}
	return buf[:start], nil
}

// place gives the values to the columns of the file.
func (e *parquetEncoder) place() error {
	for i := range e.columns {
		c := &e.columns[i]
		if _, err := c.writer.WriteRowValues(c.values); err != nil {
			return err
		}
		c.values, c.texts = c.values[:0], c.texts[:0]
	}
	return nil
}

// end implements encoder.
func (e *parquetEncoder) end() error {
	if err := e.place(); err != nil {
		return err
	}
	return e.writer.Close()
}

// add adds a value of load text to column number i.
func (c *parquetColumn) add(i int, field []byte) error {
	if c.Null && string(field) == `\N` {
		c.values = append(c.values, parquet.NullValue().Level(0, 0, i))
		return nil
	}
	value, err := c.parse(field)
	if err != nil {
		return fmt.Errorf("column %s: %q: %w", c.Name, field, err)
	}
	if c.Null { // levels are read of optional columns alone
		value = value.Level(0, 1, i)
	}
	c.values = append(c.values, value)
	return nil
}

func (c *parquetColumn) parse(field []byte) (parquet.Value, error) {
	switch c.Type {
	case schema.Integer, schema.SmallInteger:
		return parseInt32(field, 0)
	case schema.BigInteger:
		n, err := scaled(field, 0)
		return parquet.Int64Value(n), err
	case schema.Decimal:
		if c.Size <= 9 {
			return parseInt32(field, c.Scale)
		}
		n, err := scaled(field, c.Scale)
		return parquet.Int64Value(n), err
	case schema.Date:
		day, err := days(field)
		return parquet.Int32Value(int32(day)), err
	case schema.Timestamp:
		t, err := time.Parse(time.DateTime, string(field))
		return parquet.Int64Value(t.UnixMicro()), err
	}
	begin := len(c.texts)
	if bytes.IndexByte(field, '\\') >= 0 {
		c.texts = append(c.texts, schema.Unescape(field)...)
	} else {
		c.texts = append(c.texts, field...)
	}
	return parquet.ByteArrayValue(c.texts[begin:]), nil
}

func parseInt32(field []byte, scale int) (parquet.Value, error) {
	n, err := scaled(field, scale)
	if err == nil && n != int64(int32(n)) {
		err = strconv.ErrRange
	}
	return parquet.Int32Value(int32(n)), err
}

// scaled reads a decimal number without its point, with so many digits behind that.
func scaled(field []byte, scale int) (int64, error) {
	digits, negative := bytes.CutPrefix(field, []byte("-"))
	var n int64
	behind, pointed := 0, false
	for i, c := range digits {
		switch {
		case '0' <= c && c <= '9' && i < 19: // as many as an int64 has room for
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

// days reads a date, such as 2006-01-02, as the number of days since 1970-01-01.
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
	if t.Month() != month || t.Day() != day { // there is no such day, and this is another
		return 0, strconv.ErrRange
	}
	return t.Unix() / (24 * 60 * 60), nil
}
