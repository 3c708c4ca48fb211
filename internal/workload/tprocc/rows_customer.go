package tprocc

// namesInOrder is the number of customers of a district with the names 0..999 in order, so that
// every name occurs. Later customers have names by NURand (TPC-C 4.3.3.1).
const namesInOrder = 1000

// customerRows generates the rows of customer for one warehouse (TPC-C 4.3.3.1).
type customerRows struct {
	walk      walk
	random    generator
	badCredit sample
	key       []byte // C_D_ID and C_W_ID between tabs
	since     []byte // C_SINCE between tabs
}

func newCustomerRows(seed uint64, chunk int, now string) *customerRows {
	return &customerRows{
		walk:   newWalk(chunk, 1, CustomersPerDistrict),
		random: newGenerator(seed, customerStream, chunk),
		key:    make([]byte, 0, 32),
		since:  []byte("\t" + now + "\t"),
	}
}

// AppendRow implements schema.RowSource.
func (s *customerRows) AppendRow(buf []byte) ([]byte, bool) {
	more, newDistrict := s.walk.step()
	if !more {
		return buf, false
	}
	if newDistrict {
		s.badCredit = oneInTen(CustomersPerDistrict)
		s.key = append(appendInt(append(s.key[:0], '\t'), s.walk.district), '\t')
		s.key = append(appendInt(s.key, s.walk.warehouse), '\t')
	}
	g := &s.random
	buf = appendInt(buf, s.walk.row)
	buf = append(buf, s.key...)
	buf = append(g.appendLetters(buf, 8, 16), '\t')
	buf = append(buf, s.lastName()...)
	buf = append(buf, "\tOE\t"...)
	buf = append(appendAddress(buf, g), '\t')
	buf = g.appendDigits(buf, 16)
	buf = append(buf, s.since...)
	credit := "GC\t50000.00\t"
	if s.badCredit.pick(g) {
		credit = "BC\t50000.00\t"
	}
	buf = append(buf, credit...)
	buf = appendRate(buf, g.within(0, 5000))
	buf = append(buf, "\t-10.00\t10.00\t1\t0\t"...)
	return append(g.appendLetters(buf, 300, 500), '\n'), true
}

func (s *customerRows) lastName() string {
	if s.walk.row <= namesInOrder {
		return LastName(s.walk.row - 1)
	}
	return LastName(NURand(&s.random, LastNameA, 0, 999, LastNameLoadC))
}

// historyRows generates the rows of history for one warehouse, one for each customer (TPC-C
// 4.3.3.1).
type historyRows struct {
	walk   walk
	random generator
	now    string
	middle []byte // everything between H_C_ID and H_DATA, including the tabs
}

func newHistoryRows(seed uint64, chunk int, now string) *historyRows {
	return &historyRows{
		walk:   newWalk(chunk, 1, CustomersPerDistrict),
		random: newGenerator(seed, historyStream, chunk),
		now:    now,
		middle: make([]byte, 0, 100),
	}
}

// AppendRow implements schema.RowSource.
func (s *historyRows) AppendRow(buf []byte) ([]byte, bool) {
	more, newDistrict := s.walk.step()
	if !more {
		return buf, false
	}
	if newDistrict {
		s.middle = append(s.middle[:0], '\t')
		for range 2 { // the districts of the customer and of the payment
			s.middle = append(appendInt(s.middle, s.walk.district), '\t')
			s.middle = append(appendInt(s.middle, s.walk.warehouse), '\t')
		}
		s.middle = append(s.middle, s.now...)
		s.middle = append(s.middle, "\t10.00\t"...)
	}
	buf = appendInt(buf, s.walk.row)
	buf = append(buf, s.middle...)
	return append(s.random.appendLetters(buf, 12, 24), '\n'), true
}
