package tprocc

import "encoding/binary"

// This file holds the parts that rows of several tables share. A row consists of constant pieces,
// made once for a chunk or a district, and of random values. Rows are built with plain appends;
// growing the buffer beforehand is not faster.

// originalText marks a tenth of items and stocks (TPC-C 4.3.3.1).
const originalText = "ORIGINAL"

// appendData appends an I_DATA or S_DATA: an a-string of 26 to 50 characters, with originalText
// at a random place if original is set.
func appendData(buf []byte, g *generator, original bool) []byte {
	start := len(buf)
	buf = g.appendLetters(buf, 26, 50)
	if original {
		copy(buf[start+g.within(0, len(buf)-start-len(originalText)):], originalText)
	}
	return buf
}

// appendAddress appends street_1, street_2, city, state and zip, separated by tabs. A zip code is
// four random digits and 11111 (TPC-C 4.3.2.7).
func appendAddress(buf []byte, g *generator) []byte {
	for range 3 {
		buf = append(g.appendLetters(buf, 10, 20), '\t')
	}
	buf = append(g.appendLetters(buf, 2, 2), '\t')
	return append(g.appendDigits(buf, 4), "11111"...)
}

// appendInt appends a number that is not negative.
func appendInt(buf []byte, n int) []byte {
	if n < 10 {
		return append(buf, '0'+byte(n))
	}
	if n >= 100 {
		buf = appendInt(buf, n/100)
		n %= 100
	}
	return appendTwoDigits(buf, n)
}

// appendCents appends an amount of cents with its decimal point.
func appendCents(buf []byte, cents int) []byte {
	buf = append(appendInt(buf, cents/100), '.')
	return appendTwoDigits(buf, cents%100)
}

// appendRate appends a rate below one, given in ten-thousandths.
func appendRate(buf []byte, n int) []byte {
	buf = append(buf, "0."...)
	return appendTwoDigits(appendTwoDigits(buf, n/100), n%100)
}

func appendTwoDigits(buf []byte, n int) []byte {
	return binary.LittleEndian.AppendUint16(buf, digitPairs[n])
}

// warehouseRange returns the warehouses of a chunk, for tables with few rows in each warehouse.
func warehouseRange(chunk, warehouses int) (first, last int) {
	first = chunk*warehousesPerChunk + 1
	return first, min(first+warehousesPerChunk-1, warehouses)
}

// walk iterates over the rows of a warehouse's districts, which all have the same number of rows.
type walk struct {
	warehouse, district, row int
	first, last              int // number of rows in a district
}

// newWalk returns a walk of one warehouse, before its first row.
func newWalk(chunk, first, last int) walk {
	return walk{warehouse: chunk + 1, row: last, first: first, last: last}
}

// step goes to the next row. It reports whether there is one, and whether it is the first row of a
// district.
func (w *walk) step() (more, newDistrict bool) {
	if w.row < w.last {
		w.row++
		return true, false
	}
	if w.district == DistrictsPerWarehouse {
		return false, false
	}
	w.district++
	w.row = w.first
	return true, true
}
