package dbgen

// This file generates the rows of orders and lineitem (TPC-H 4.2.3), for the initial population and
// for refresh sets. Both tables draw the values that they must agree on from the same streams, and
// share nothing else.

const (
	mostLines  = 7
	orderDates = days - 151 // the number of days on which orders are placed; the lines of the last orders arrive before the last day
)

// orderRange selects the orders of a source.
type orderRange struct {
	first   int64 // number of the first order, which determines its key
	skipped int64 // number of orders that the streams have generated before it
	set     int64 // which eight of each 32 keys the orders use; 0 is the set of the initial population
}

// orderKey returns the key of the order with a number. The initial population uses eight of each 32
// keys (TPC-H 4.2.3). Refresh sets use the other three groups of eight in turn.
func orderKey(number, set int64) int64 { return (number>>3<<2+set)<<3 | number&7 }

// lineStreams are the streams of both tables before the next order. In the streams after count, the
// quota of an order is mostLines times that of a line.
type lineStreams struct {
	date, count                         stream
	quantity, discount, tax, part, ship stream
}

func newLineStreams(orders int64) lineStreams {
	return lineStreams{
		date:     stream(1066728069).at(1, orders),
		count:    stream(1434868289).at(1, orders),
		quantity: stream(209208115).at(mostLines, orders),
		discount: stream(554590007).at(mostLines, orders),
		tax:      stream(721958466).at(mostLines, orders),
		part:     stream(1808217256).at(mostLines, orders),
		ship:     stream(1769349045).at(mostLines, orders),
	}
}

// pass goes to the next order. The caller's use of the current order's quotas does not matter.
func (s *lineStreams) pass() {
	s.quantity.leap(mostLines)
	s.discount.leap(mostLines)
	s.tax.leap(mostLines)
	s.part.leap(mostLines)
	s.ship.leap(mostLines)
}

// lineBasics holds the values of a line that both tables need.
type lineBasics struct {
	part                    int64
	quantity, discount, tax int64
	ship                    uint16
}

// draw draws a line of an order.
func (s *lineStreams) draw(date uint16, parts int64) lineBasics {
	return lineBasics{
		part:     1 + s.part.drawWide(parts),
		quantity: 1 + int64(s.quantity.draw(50)),
		discount: int64(s.discount.draw(11)),
		tax:      int64(s.tax.draw(9)),
		ship:     date + 1 + uint16(s.ship.draw(121)),
	}
}

// price returns L_EXTENDEDPRICE in hundredths.
func (l *lineBasics) price() int64 { return retailPrice(l.part) * l.quantity }

// shipped reports whether the line's status is F and not O.
func (l *lineBasics) shipped() bool { return l.ship <= currentDay }

// orderRows makes the rows of orders.
type orderRows struct {
	calendar                  *calendar
	format                    Format
	scale                     Scale
	next, set                 int64
	lines                     lineStreams
	customer, priority, clerk stream
	comments                  comments

	rows [atOnce]order
}

type order struct {
	key, customer, total, clerk int64
	date                        uint16
	status                      byte
	priority                    *word
}

func newOrderRows(s Scale, f Format, o orderRange) *orderRows {
	return &orderRows{
		calendar: sharedCalendar(), format: f, scale: s, next: o.first, set: o.set,
		lines:    newLineStreams(o.skipped),
		customer: stream(851767375).at(1, o.skipped),
		priority: stream(591449447).at(1, o.skipped),
		clerk:    stream(1171034773).at(1, o.skipped),
		comments: newComments(atOnce, 49, 276090261, 2, o.skipped),
	}
}

func (r *orderRows) draw(n int) int {
	for i := range n {
		row := &r.rows[i]
		row.key = orderKey(r.next, r.set)
		r.next++
		row.customer = r.drawCustomer()
		row.date = uint16(r.lines.date.draw(orderDates))
		row.priority = drawWord(&r.priority, priorities)
		row.clerk = 1 + r.clerk.drawWide(r.scale.clerks)
		r.comments.draw(i)
		r.drawLines(row)
	}
	r.comments.locate(n)
	return n
}

// drawCustomer draws a customer. Customers whose key is divisible by three have no orders; for
// these it returns the next customer, or the previous one if there is no next.
func (r *orderRows) drawCustomer() int64 {
	customer := 1 + r.customer.drawWide(r.scale.customers)
	if uint64(customer)%3 != 0 {
		return customer
	}
	if customer < r.scale.customers {
		return customer + 1
	}
	return customer - 1
}

// drawLines draws the values of an order that depend on its lines: its total and its status.
func (r *orderRows) drawLines(row *order) {
	count := 1 + int(r.lines.count.draw(mostLines))
	lines := r.lines
	r.lines.pass()
	row.total = 0
	shipped := 0
	for range count {
		l := lines.draw(row.date, r.scale.parts)
		// dbgen truncates to cents twice.
		discounted := uint64(l.price()) * uint64(100-l.discount) / 100
		row.total += int64(discounted * uint64(100+l.tax) / 100)
		if l.shipped() {
			shipped++
		}
	}
	switch shipped {
	case count:
		row.status = 'F'
	case 0:
		row.status = 'O'
	default:
		row.status = 'P'
	}
}

func (r *orderRows) put(b *line, row int) int {
	d, o := byte(r.format), &r.rows[row]
	n := putInt(b, 0, o.key, d)
	n = putInt(b, n, o.customer, d)
	b[n], b[n+1] = o.status, d
	n = putMoney(b, n+2, o.total, d)
	n = r.calendar.put(b, n, o.date, d)
	n = putWord(b, n, o.priority, d)
	n = putNumbered(b, n, "Clerk#", o.clerk, d)
	b[n], b[n+1] = '0', d // O_SHIPPRIORITY
	return r.format.end(b, r.comments.put(b, n+2, row, d))
}

func (r *orderRows) add(b *Batch, row int) {
	c, o := b.Columns, &r.rows[row]
	c[0].number(o.key)
	c[1].number(o.customer)
	c[2].letter(o.status)
	c[3].number(o.total)
	c[4].day(o.date)
	c[5].word(o.priority)
	c[6].numbered("Clerk#", o.clerk)
	c[7].number(0)
	c[8].comment(&r.comments, row)
}

// lineItemRows makes the rows of lineitem.
type lineItemRows struct {
	calendar  *calendar
	format    Format
	parts     int64
	suppliers divisor
	next, set int64 // order

	lines                                              lineStreams
	supplier, commit, receipt, flag, instruction, mode stream
	comments                                           comments

	rows [atOnce * mostLines]lineItem
}

type lineItem struct {
	lineBasics
	order, supplier   int64
	number            int64
	flag              byte
	commit, receipt   uint16
	instruction, mode *word
}

func newLineItemRows(s Scale, f Format, o orderRange) *lineItemRows {
	return &lineItemRows{
		calendar: sharedCalendar(), format: f, parts: s.parts, suppliers: newDivisor(s.suppliers), next: o.first, set: o.set,
		lines:       newLineStreams(o.skipped),
		supplier:    stream(2095021727).at(mostLines, o.skipped),
		commit:      stream(904914315).at(mostLines, o.skipped),
		receipt:     stream(373135028).at(mostLines, o.skipped),
		flag:        stream(717419739).at(mostLines, o.skipped),
		instruction: stream(1371272478).at(mostLines, o.skipped),
		mode:        stream(675466456).at(mostLines, o.skipped),
		comments:    newComments(atOnce*mostLines, 27, 1095462486, 2*mostLines, o.skipped),
	}
}

func (r *lineItemRows) draw(n int) int {
	drawn := 0
	for range n {
		drawn = r.drawOrder(drawn)
	}
	r.comments.locate(drawn)
	return drawn
}

// drawOrder draws the lines of an order into the rows from drawn on, and returns the new number of
// rows.
func (r *lineItemRows) drawOrder(drawn int) int {
	key := orderKey(r.next, r.set)
	r.next++
	date := uint16(r.lines.date.draw(orderDates))
	count := 1 + int(r.lines.count.draw(mostLines))

	lines := r.lines
	supplier, commit, receipt, flag, instruction, mode := r.supplier, r.commit, r.receipt, r.flag, r.instruction, r.mode
	comment := r.comments.random
	for i := range count {
		row := &r.rows[drawn+i]
		row.lineBasics = lines.draw(date, r.parts)
		row.order, row.number = key, int64(i+1)
		row.supplier = supplierOf(row.part, supplier.draw(suppliersOfPart), r.suppliers)
		row.commit = date + 30 + uint16(commit.draw(61))
		row.receipt = row.ship + 1 + uint16(receipt.draw(30))
		row.flag = 'N'
		if row.receipt <= currentDay {
			row.flag = "RA"[flag.draw(2)]
		}
		row.instruction = drawWord(&instruction, instructions)
		row.mode = drawWord(&mode, modes)
		r.comments.draw(drawn + i)
	}
	r.lines.pass()
	r.supplier.leap(mostLines)
	r.commit.leap(mostLines)
	r.receipt.leap(mostLines)
	r.flag.leap(mostLines)
	r.instruction.leap(mostLines)
	r.mode.leap(mostLines)
	r.comments.random = comment
	r.comments.random.leap(2 * mostLines)
	return drawn + count
}

// status returns L_LINESTATUS.
func (l *lineItem) status() byte {
	if l.shipped() {
		return 'F'
	}
	return 'O'
}

func (r *lineItemRows) put(b *line, row int) int {
	d, l := byte(r.format), &r.rows[row]
	n := putInt(b, 0, l.order, d)
	n = putInt(b, n, l.part, d)
	n = putInt(b, n, l.supplier, d)
	b[n], b[n+1] = '0'+byte(l.number), d
	n = putInt(b, n+2, l.quantity, d)
	n = putMoney(b, n, l.price(), d)
	n = putMoney(b, n, l.discount, d)
	n = putMoney(b, n, l.tax, d)
	b[n], b[n+1], b[n+2], b[n+3] = l.flag, d, l.status(), d
	n = r.calendar.put(b, n+4, l.ship, d)
	n = r.calendar.put(b, n, l.commit, d)
	n = r.calendar.put(b, n, l.receipt, d)
	n = putWord(b, n, l.instruction, d)
	n = putWord(b, n, l.mode, d)
	return r.format.end(b, r.comments.put(b, n, row, d))
}

func (r *lineItemRows) add(b *Batch, row int) {
	c, l := b.Columns, &r.rows[row]
	c[0].number(l.order)
	c[1].number(l.part)
	c[2].number(l.supplier)
	c[3].number(l.number)
	c[4].number(l.quantity)
	c[5].number(l.price())
	c[6].number(l.discount)
	c[7].number(l.tax)
	c[8].letter(l.flag)
	c[9].letter(l.status())
	c[10].day(l.ship)
	c[11].day(l.commit)
	c[12].day(l.receipt)
	c[13].word(l.instruction)
	c[14].word(l.mode)
	c[15].comment(&r.comments, row)
}
