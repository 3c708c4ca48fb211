package datagen

import (
	"math"
	"slices"
	"sync"

	"sledge/internal/schema"
	"sledge/internal/workload"
)

// part is a range of a table's rows in one file.
type part struct {
	table      schema.Table
	number, of int // from 1
	worker     int // the only worker that may write it; 0 is any worker

	// The chunks to generate, and the range of their rows to write, counted over all of them.
	// byUnit says that each chunk is one unit.
	firstChunk, endChunk int
	firstRow, endRow     int64
	byUnit               bool

	ranges workload.Ranges // instead of chunks, from firstRow to endRow; Rows may be nil

	file File // what was written
}

// sharedWorker writes the shared tables if each worker has all parts of one number.
const sharedWorker = -1

// divide makes the parts of all tables, as equal as possible. If there are as many parts as
// workers, each worker writes the parts of one number.
func (c *Config) divide(tables []schema.Table) []*part {
	files := c.Plan.Workload.Schema.DataFiles
	units, own := files.Units(c.Plan.Settings), c.Parts == c.Workers
	var parts []*part
	for _, t := range tables {
		var ranges workload.Ranges
		if files.Ranges != nil {
			ranges = files.Ranges(c.Plan.Settings, t.Name)
		}
		of, shared := c.Parts, slices.Contains(files.Shared, t.Name)
		if shared {
			of = 1
		}
		for number := 1; number <= of; number++ {
			p := &part{table: t, number: number, of: of, ranges: ranges, endChunk: t.Chunks, endRow: math.MaxInt64}
			if !shared {
				p.take(units)
			}
			switch {
			case !own:
			case of == c.Parts:
				p.worker = number
			default:
				p.worker = sharedWorker
			}
			parts = append(parts, p)
		}
	}
	return parts
}

// take gives the part its share of the units.
func (p *part) take(units int) {
	first, end := units*(p.number-1)/p.of, units*p.number/p.of
	switch {
	case p.ranges.Rows != nil:
		p.firstRow, p.endRow = p.ranges.Count*int64(p.number-1)/int64(p.of), p.ranges.Count*int64(p.number)/int64(p.of)
	case p.table.Chunks == units:
		p.firstChunk, p.endChunk, p.byUnit = first, end, true
	default:
		perUnit := p.table.Size / int64(units)
		p.firstRow = perUnit * int64(first)
		if p.number < p.of {
			p.endRow = perUnit * int64(end)
		}
	}
}

// queue hands out parts.
type queue struct {
	mu    sync.Mutex
	parts []*part
}

// next returns the first unassigned part that a worker may write, or nil.
func (q *queue) next(worker int) *part {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, p := range q.parts {
		switch {
		case p.worker != worker && (p.worker != 0 || worker == sharedWorker):
			continue
		case i == 0: // fast: does not move the other parts, which may be hundreds of thousands
			q.parts = q.parts[1:]
		default:
			q.parts = slices.Delete(q.parts, i, i+1)
		}
		return p
	}
	return nil
}

// workers lists the workers that have something to write.
func (c *Config) workers(parts []*part) []int {
	var workers []int
	if c.Parts == c.Workers {
		for _, p := range parts {
			workers = append(workers, p.worker)
		}
		slices.Sort(workers)
		return slices.Compact(workers)
	}
	for worker := 1; worker <= min(c.Workers, len(parts)); worker++ {
		workers = append(workers, worker)
	}
	return workers
}
