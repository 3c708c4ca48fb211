package datagen

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sledge/internal/job"
	"sledge/internal/schema"
)

// bufferSize is how much is made before it is written: enough that a write is
// worth its system call.
const bufferSize = 256 << 10

// writePart writes one file.
func (g *generation) writePart(ctx context.Context, p *part) error {
	name := fileName(p.table.Name, p.worker, g.Compress)
	user := g.user(p.worker)
	file, err := g.stage.create(name)
	if err != nil {
		return err
	}
	out, err := newOutput(file, g.Compress)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	g.tell(user, job.Step{Name: job.StepFile, Stage: job.Begins, Of: g.stage.final(name)})
	w := &rowWriter{
		g: g, out: out, part: p,
		line: newLineMaker(p.table, g.Plan.Database.Dialect.QuotedFiles),
		buf:  make([]byte, 0, bufferSize+4096),
	}
	err = w.write(ctx, user)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", g.stage.final(name), err)
	}
	p.file = File{Name: name, Table: p.table.Name, Rows: w.rows, Bytes: w.bytes, Stored: out.file.written}
	return nil
}

// rowWriter writes the rows of a part.
type rowWriter struct {
	g    *generation
	part *part
	out  io.Writer
	line *lineMaker
	buf  []byte

	row         int64 // number of the next one that is made
	rows, bytes int64 // written
	told        int64 // rows that the progress has
}

func (w *rowWriter) write(ctx context.Context, user int) error {
	p := w.part
	begin := func(unit int) {
		w.g.tell(user, job.Step{Name: job.StepRows, Stage: job.Begins, Of: p.table.Name, Count: int64(unit)})
	}
	if !p.byUnit {
		begin(0)
	}
	for chunk := p.firstChunk; chunk < p.endChunk && w.row < p.endRow; chunk++ {
		if p.byUnit {
			begin(chunk + 1)
		}
		if err := w.writeChunk(ctx, p.table.Rows(chunk)); err != nil {
			return err
		}
	}
	return w.flush(ctx)
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
		var err error
		if w.buf, err = w.line.convert(made, start); err != nil {
			return err
		}
		w.rows++
		if len(w.buf) >= bufferSize {
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes what was made, and gives up if nobody wants it any more.
func (w *rowWriter) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := w.out.Write(w.buf); err != nil {
		return err
	}
	w.bytes += int64(len(w.buf))
	w.g.bytes.Add(int64(len(w.buf)))
	w.g.rows.Add(w.rows - w.told)
	w.told = w.rows
	w.buf = w.buf[:0]
	return nil
}
