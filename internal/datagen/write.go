package datagen

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"sledge/internal/job"
	"sledge/internal/schema"
)

// bufferSize is the number of bytes that are generated before a write, large enough that the system
// call costs little.
const bufferSize = 256 << 10

// writePart writes one file.
func (g *generation) writePart(ctx context.Context, p *part, user int) error {
	name := g.fileName(p)
	file, err := g.stage.create(name)
	if err != nil {
		return err
	}
	out, err := newOutput(file, g.Format, g.Compression)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	g.tell(user, job.Step{Name: job.StepFile, Stage: job.Begins, Of: g.stage.final(name)})
	w := &rowWriter{g: g, part: p}
	w.relay, w.buf = newRelay(out)
	w.encoder, w.buf = g.newEncoder(p, out, w.buf)
	err = w.write(ctx, user)
	if relayed := w.relay.close(); err == nil {
		err = relayed
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", g.stage.final(name), err)
	}
	size := out.made
	if e, ok := w.encoder.(*parquetEncoder); ok {
		size = e.bytes
	}
	p.file = File{
		Name: name, Table: p.table.Name, Part: p.number, Parts: p.of, Rows: w.rows, Bytes: size,
		Stored: out.stored, SHA256: hex.EncodeToString(out.whole.Sum(nil)), MD5: out.md5(),
	}
	g.ofTables[p.table.Name].written.Add(1)
	return nil
}

// rowWriter writes the rows of a part.
type rowWriter struct {
	g       *generation
	part    *part
	encoder encoder
	buf     []byte
	relay   *relay // writes full buffers

	row         int64 // number of the next chunk
	rows, bytes int64 // written
	told        int64 // rows that the progress includes
	toldBytes   int64
}

func (w *rowWriter) write(ctx context.Context, user int) error {
	begin := func(unit int) {
		w.g.tell(user, job.Step{Name: job.StepRows, Stage: job.Begins, Of: w.part.table.Name, Count: int64(unit)})
	}
	if err := w.writeRows(ctx, begin); err != nil {
		return err
	}
	if err := w.encoder.end(); err != nil {
		return err
	}
	return w.flush(ctx)
}

// writeRows writes all rows of the part. It calls begin before the rows of each unit, or once.
func (w *rowWriter) writeRows(ctx context.Context, begin func(unit int)) error {
	p := w.part
	if !p.byUnit {
		begin(0)
	}
	if p.ranges.Rows != nil {
		return w.writeRange(ctx)
	}
	for chunk := p.firstChunk; chunk < p.endChunk && w.row < p.endRow; chunk++ {
		if p.byUnit {
			begin(chunk + 1)
		}
		if err := w.writeChunk(ctx, p.table.Rows(chunk)); err != nil {
			return err
		}
	}
	return nil
}

// writeRange writes the rows of a range.
func (w *rowWriter) writeRange(ctx context.Context) error {
	p, rows := w.part, w.part.ranges.Rows
	count := min(p.endRow, p.ranges.Count) - p.firstRow
	if e, ok := w.encoder.(*parquetEncoder); ok && p.ranges.Columns != nil {
		return w.writeColumns(ctx, e, p.ranges.Columns(p.firstRow, count))
	}
	if w.g.takesLines(p) {
		rows = p.ranges.Lines
	}
	source := rows(p.firstRow, count)
	for {
		start := len(w.buf)
		made, more := source.AppendRow(w.buf)
		if !more {
			return nil
		}
		if err := w.take(ctx, made, start); err != nil {
			return err
		}
	}
}

// writeColumns writes the rows of a range column by column.
func (w *rowWriter) writeColumns(ctx context.Context, e *parquetEncoder, source schema.ColumnSource) error {
	for {
		rows, size, err := e.encodeColumns(source)
		if err != nil || rows == 0 {
			return err
		}
		if err := w.count(ctx, int64(rows), size); err != nil {
			return err
		}
	}
}

func (w *rowWriter) writeChunk(ctx context.Context, source schema.RowSource) error {
	for w.row < w.part.endRow {
		start := len(w.buf)
		made, more := source.AppendRow(w.buf)
		if !more {
			return nil
		}
		w.row++
		if w.row <= w.part.firstRow {
			w.buf = made[:start]
			continue
		}
		if err := w.take(ctx, made, start); err != nil {
			return err
		}
	}
	return nil
}

// take encodes the row from start to the end of made, and counts it.
func (w *rowWriter) take(ctx context.Context, made []byte, start int) (err error) {
	size := len(made) - start
	if w.buf, err = w.encoder.encode(made, start); err != nil {
		return err
	}
	return w.count(ctx, 1, int64(size))
}

// count counts encoded rows, and writes the buffer when it is full enough.
func (w *rowWriter) count(ctx context.Context, rows, size int64) error {
	w.rows += rows
	w.bytes += size
	if len(w.buf) >= bufferSize || w.bytes-w.toldBytes >= bufferSize {
		return w.flush(ctx)
	}
	return nil
}

// flush writes the buffered rows, and returns early if the generation is stopped.
func (w *rowWriter) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(w.buf) > 0 { // an encoder that keeps rows writes them itself
		var err error
		if w.buf, err = w.relay.swap(w.buf); err != nil {
			return err
		}
	}
	w.g.bytes.Add(w.bytes - w.toldBytes)
	w.g.rows.Add(w.rows - w.told)
	w.g.ofTables[w.part.table.Name].rows.Add(w.rows - w.told)
	w.told, w.toldBytes = w.rows, w.bytes
	return nil
}
