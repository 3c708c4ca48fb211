package tprocc

// itemRows generates the rows of item (TPC-C 4.3.3.1).
type itemRows struct {
	random     generator
	original   sample
	next, last int // I_ID
}

func newItemRows(seed uint64, chunk int) *itemRows {
	return &itemRows{
		random:   newGenerator(seed, itemStream, chunk),
		original: oneInTen(itemsPerChunk),
		next:     chunk*itemsPerChunk + 1,
		last:     (chunk + 1) * itemsPerChunk,
	}
}

// AppendRow implements schema.RowSource.
func (s *itemRows) AppendRow(buf []byte) ([]byte, bool) {
	if s.next > s.last {
		return buf, false
	}
	buf = append(appendInt(buf, s.next), '\t')
	buf = append(appendInt(buf, s.random.within(1, 10_000)), '\t')
	buf = append(s.random.appendLetters(buf, 14, 24), '\t')
	buf = append(appendCents(buf, s.random.within(1_00, 100_00)), '\t')
	buf = append(appendData(buf, &s.random, s.original.pick(&s.random)), '\n')
	s.next++
	return buf, true
}

// stockRows generates the rows of stock for one warehouse (TPC-C 4.3.3.1).
type stockRows struct {
	random    generator
	original  sample
	next      int    // S_I_ID
	warehouse []byte // S_W_ID between tabs
}

func newStockRows(seed uint64, chunk int) *stockRows {
	return &stockRows{
		random:    newGenerator(seed, stockStream, chunk),
		original:  oneInTen(StockPerWarehouse),
		next:      1,
		warehouse: append(appendInt([]byte{'\t'}, chunk+1), '\t'),
	}
}

// AppendRow implements schema.RowSource.
func (s *stockRows) AppendRow(buf []byte) ([]byte, bool) {
	if s.next > StockPerWarehouse {
		return buf, false
	}
	buf = appendInt(buf, s.next)
	buf = append(buf, s.warehouse...)
	buf = append(appendInt(buf, s.random.within(10, 100)), '\t')
	for range DistrictsPerWarehouse {
		buf = append(s.random.appendLetters(buf, 24, 24), '\t')
	}
	buf = append(buf, "0\t0\t0\t"...)
	buf = append(appendData(buf, &s.random, s.original.pick(&s.random)), '\n')
	s.next++
	return buf, true
}
