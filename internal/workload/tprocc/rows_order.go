package tprocc

// lineCounts draws O_OL_CNT (TPC-C 4.3.3.1), order after order of a warehouse. It has its own
// stream of random numbers, which orders and order_line both use, so they agree without further
// communication.
type lineCounts struct{ random generator }

func newLineCounts(seed uint64, chunk int) lineCounts {
	return lineCounts{newGenerator(seed, lineCountStream, chunk)}
}

func (c *lineCounts) next() int { return c.random.within(fewestLines, mostLines) }

// orderRows generates the rows of orders for one warehouse (TPC-C 4.3.3.1).
type orderRows struct {
	walk      walk
	random    generator
	lines     lineCounts
	customers [OrdersPerDistrict]uint16 // O_C_ID of the district's orders
	key       []byte                    // O_W_ID and O_D_ID between tabs
	end       []byte                    // O_ALL_LOCAL and O_ENTRY_D, the tab before and the newline after
}

func newOrderRows(seed uint64, chunk int, now string) *orderRows {
	s := &orderRows{
		walk:   newWalk(chunk, 1, OrdersPerDistrict),
		random: newGenerator(seed, ordersStream, chunk),
		lines:  newLineCounts(seed, chunk),
		key:    make([]byte, 0, 32),
		end:    []byte("\t1\t" + now + "\n"),
	}
	for i := range s.customers {
		s.customers[i] = uint16(i + 1)
	}
	return s
}

// AppendRow implements schema.RowSource.
func (s *orderRows) AppendRow(buf []byte) ([]byte, bool) {
	more, newDistrict := s.walk.step()
	if !more {
		return buf, false
	}
	if newDistrict {
		s.shuffleCustomers()
		s.key = append(appendInt(append(s.key[:0], '\t'), s.walk.warehouse), '\t')
		s.key = append(appendInt(s.key, s.walk.district), '\t')
	}
	buf = appendInt(buf, s.walk.row)
	buf = append(buf, s.key...)
	buf = append(appendInt(buf, int(s.customers[s.walk.row-1])), '\t')
	if s.walk.row < FirstNewOrder {
		buf = append(appendInt(buf, s.random.within(1, 10)), '\t')
	} else {
		buf = append(buf, "\\N\t"...)
	}
	buf = appendInt(buf, s.lines.next())
	return append(buf, s.end...), true
}

// shuffleCustomers makes a random permutation of the customers (TPC-C 4.3.2.6): it swaps each
// place, from the last one down, with a random place that is not after it. The result is uniform
// whatever the initial order, such as that of the last district.
func (s *orderRows) shuffleCustomers() {
	for i := len(s.customers) - 1; i > 0; i-- {
		j := s.random.within(0, i)
		s.customers[i], s.customers[j] = s.customers[j], s.customers[i]
	}
}

// undeliveredRows generates the rows of new_order for one warehouse: one for each order that is not
// delivered (TPC-C 4.3.3.1). They contain nothing random.
type undeliveredRows struct {
	walk walk
	key  []byte // NO_W_ID and NO_D_ID, a tab after each
}

func newUndeliveredRows(chunk int) *undeliveredRows {
	return &undeliveredRows{walk: newWalk(chunk, FirstNewOrder, OrdersPerDistrict), key: make([]byte, 0, 32)}
}

// AppendRow implements schema.RowSource.
func (s *undeliveredRows) AppendRow(buf []byte) ([]byte, bool) {
	more, newDistrict := s.walk.step()
	if !more {
		return buf, false
	}
	if newDistrict {
		s.key = append(appendInt(s.key[:0], s.walk.warehouse), '\t')
		s.key = append(appendInt(s.key, s.walk.district), '\t')
	}
	buf = append(buf, s.key...)
	return append(appendInt(buf, s.walk.row), '\n'), true
}

// orderLineRows generates the rows of order_line for one warehouse (TPC-C 4.3.3.1).
type orderLineRows struct {
	walk         walk // of the orders
	random       generator
	lines        lineCounts
	number, last int    // OL_NUMBER of the row before, and of the last row of its order
	key          []byte // OL_O_ID, OL_D_ID and OL_W_ID, a tab after each
	delivered    []byte // OL_DELIVERY_D to OL_QUANTITY of a delivered order, tabs around
	supply       []byte // OL_SUPPLY_W_ID and OL_QUANTITY, tabs around
}

func newOrderLineRows(seed uint64, chunk int, now string) *orderLineRows {
	supply := append(appendInt([]byte{'\t'}, chunk+1), "\t5\t"...)
	return &orderLineRows{
		walk:      newWalk(chunk, 1, OrdersPerDistrict),
		random:    newGenerator(seed, orderLineStream, chunk),
		lines:     newLineCounts(seed, chunk),
		key:       make([]byte, 0, 48),
		delivered: append([]byte("\t"+now+"\t0.00"), supply...),
		supply:    supply,
	}
}

// AppendRow implements schema.RowSource.
func (s *orderLineRows) AppendRow(buf []byte) ([]byte, bool) {
	if s.number == s.last && !s.nextOrder() {
		return buf, false
	}
	s.number++
	buf = append(buf, s.key...)
	buf = append(appendInt(buf, s.number), '\t')
	buf = appendInt(buf, s.random.within(1, Items))
	if s.walk.row < FirstNewOrder {
		buf = append(buf, s.delivered...)
	} else {
		buf = append(buf, "\t\\N\t"...)
		buf = appendCents(buf, s.random.within(1, 9999_99))
		buf = append(buf, s.supply...)
	}
	return append(s.random.appendLetters(buf, 24, 24), '\n'), true
}

// nextOrder goes to the next order, and reports whether there is one.
func (s *orderLineRows) nextOrder() bool {
	more, _ := s.walk.step()
	if !more {
		return false
	}
	s.number, s.last = 0, s.lines.next()
	s.key = append(appendInt(s.key[:0], s.walk.row), '\t')
	s.key = append(appendInt(s.key, s.walk.district), '\t')
	s.key = append(appendInt(s.key, s.walk.warehouse), '\t')
	return true
}
