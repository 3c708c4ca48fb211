package tprocc

// warehouseRows generates the rows of warehouse (TPC-C 4.3.3.1).
type warehouseRows struct {
	random     generator
	next, last int // W_ID
}

func newWarehouseRows(seed uint64, chunk, warehouses int) *warehouseRows {
	first, last := warehouseRange(chunk, warehouses)
	return &warehouseRows{random: newGenerator(seed, warehouseStream, chunk), next: first, last: last}
}

// AppendRow implements schema.RowSource.
func (s *warehouseRows) AppendRow(buf []byte) ([]byte, bool) {
	if s.next > s.last {
		return buf, false
	}
	buf = appendInt(buf, s.next)
	buf = append(buf, "\t300000.00\t"...)
	buf = appendPlace(buf, &s.random, "\t")
	s.next++
	return buf, true
}

// districtRows generates the rows of district (TPC-C 4.3.3.1), warehouse by warehouse.
type districtRows struct {
	random          generator
	warehouse, last int
	district        int // the row before
}

func newDistrictRows(seed uint64, chunk, warehouses int) *districtRows {
	first, last := warehouseRange(chunk, warehouses)
	return &districtRows{random: newGenerator(seed, districtStream, chunk), warehouse: first, last: last}
}

// AppendRow implements schema.RowSource.
func (s *districtRows) AppendRow(buf []byte) ([]byte, bool) {
	if s.district == DistrictsPerWarehouse {
		s.district = 0
		s.warehouse++
	}
	if s.warehouse > s.last {
		return buf, false
	}
	s.district++
	buf = append(appendInt(buf, s.district), '\t')
	buf = appendInt(buf, s.warehouse)
	buf = append(buf, "\t30000.00\t"...)
	return appendPlace(buf, &s.random, "\t3001\t"), true
}

// appendPlace appends the columns that warehouse and district share: the tax, between (which only a
// district has), name and address.
func appendPlace(buf []byte, g *generator, between string) []byte {
	buf = appendRate(buf, g.within(0, 2000))
	buf = append(buf, between...)
	buf = append(g.appendLetters(buf, 6, 10), '\t')
	return append(appendAddress(buf, g), '\n')
}
