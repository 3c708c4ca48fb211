package datagen

import (
	"math"
	"slices"

	"sledge/internal/schema"
)

// part is what one worker writes of one table: a file.
type part struct {
	table  schema.Table
	worker int // from 1; or sharedWorker

	// The chunks to be made, and which of their rows are written, counted over all
	// of them. byUnit says that each chunk is one unit.
	firstChunk, endChunk int
	firstRow, endRow     int64
	byUnit               bool

	file File // what was written
}

// sharedWorker is who writes the shared tables, beside the workers with numbers.
const sharedWorker = 0

// divide gives each worker its range of units, as even as can be.
func divide(tables []schema.Table, shared []string, units, workers int) []part {
	var parts []part
	for _, t := range tables {
		if slices.Contains(shared, t.Name) {
			parts = append(parts, part{table: t, worker: writerOfShared(workers), endChunk: t.Chunks, endRow: math.MaxInt64})
			continue
		}
		for worker := 1; worker <= workers; worker++ {
			first, end := units*(worker-1)/workers, units*worker/workers
			p := part{table: t, worker: worker, firstChunk: first, endChunk: end, endRow: math.MaxInt64, byUnit: true}
			if t.Chunks != units {
				perUnit := t.Size / int64(units)
				p.firstChunk, p.endChunk, p.byUnit = 0, t.Chunks, false
				p.firstRow = perUnit * int64(first)
				if worker < workers {
					p.endRow = perUnit * int64(end)
				}
			}
			parts = append(parts, p)
		}
	}
	return parts
}

// writerOfShared is the one worker there is, or else the one beside them.
func writerOfShared(workers int) int {
	if workers == 1 {
		return 1
	}
	return sharedWorker
}

// workersOf lists the workers that have parts.
func workersOf(parts []part) []int {
	var workers []int
	for _, p := range parts {
		workers = append(workers, p.worker)
	}
	slices.Sort(workers)
	return slices.Compact(workers)
}
