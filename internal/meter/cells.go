package meter

import "math/bits"

// PerOctave is the number of cells in each doubling of the latency.
const PerOctave = 4

// cellZero is the exponent of two, in nanoseconds, at which cell 0 begins: 1.024 µs. Cell 0
// also holds shorter latencies.
const cellZero = 10

// Cells reduces the distribution to a fixed scale for small drawings, with four cells for each
// doubling of the latency. It returns the counts of adjacent cells and the number of the first, or
// no counts if there are no latencies. A latency counts in the cell in which its bucket begins.
//
// Cell 0 begins at 1.024 µs. The four cells of a doubling have equal widths, so their bounds are
// whole nanoseconds: those of cell 5 are 2.560 and 3.072 µs.
func (d Distribution) Cells() (first int, counts []int64) {
	for _, b := range d.bars {
		cell := cellOf(b.least)
		if counts == nil {
			first = cell
		}
		for first+len(counts) <= cell {
			counts = append(counts, 0)
		}
		counts[cell-first] += b.count
	}
	return first, counts
}

// cellOf returns the number of the cell of a latency in nanoseconds.
func cellOf(value int64) int {
	if value < 1<<cellZero {
		return 0
	}
	octave := bits.Len64(uint64(value)) - 1
	within := int(value>>(octave-2)) & (PerOctave - 1)
	return (octave-cellZero)*PerOctave + within
}

// CellBegin returns the least latency of a cell in nanoseconds.
func CellBegin(cell int) int64 {
	octave := cellZero + cell/PerOctave
	return int64(PerOctave+cell%PerOctave) << (octave - 2)
}
