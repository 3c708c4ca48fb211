package dbgen

// This file generates the rows of supplier and customer, which are similar (TPC-H 4.2.3).

// partyStreams are the streams of the columns that suppliers and customers share, before the next
// row.
type partyStreams struct{ address, nation, phone, balance stream }

func (s partyStreams) at(rows int64) partyStreams {
	return partyStreams{
		s.address.at(addressQuota, rows), s.nation.at(1, rows), s.phone.at(3, rows), s.balance.at(1, rows),
	}
}

// party holds the values that suppliers and customers share.
type party struct {
	address     [mostAddress + 4]byte // and the excess of the last five characters
	addressSize int
	nation      int64
	phone       [3]int64 // the digits after the country code
	balance     int64
}

// The sizes of addresses, and the number of draws for them: one for the size, and one for each five
// characters.
const (
	leastAddress, mostAddress = 10, 40
	addressQuota              = 9
)

// alphabet is the alphabet of addresses (TPC-H 4.2.2.7).
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ,"

func (s *partyStreams) draw(p *party) {
	address := s.address
	s.address.leap(addressQuota)
	p.addressSize = leastAddress + int(address.draw(mostAddress-leastAddress+1))
	for i := 0; i < p.addressSize; i += 5 {
		bits := address.drawBits()
		for j := range 5 {
			p.address[i+j] = alphabet[bits&63]
			bits >>= 6
		}
	}
	p.nation = int64(s.nation.draw(uint64(len(nations))))
	p.phone = [3]int64{100 + int64(s.phone.draw(900)), 100 + int64(s.phone.draw(900)), 1000 + int64(s.phone.draw(9000))}
	p.balance = -99999 + int64(s.balance.draw(1_099_999))
}

// putParty writes address, nation, phone and balance.
func (p *party) putParty(b *line, n int, d byte) int {
	n = putBytes(b, n, p.address[:p.addressSize], d)
	n = putInt(b, n, p.nation, d)
	n = p.putPhone(b, n, d)
	return putMoney(b, n, p.balance, d)
}

// putPhone writes the phone number, whose country code depends on the nation (TPC-H 4.2.2.9).
func (p *party) putPhone(b *line, n int, d byte) int {
	n = putInt(b, n, 10+p.nation, '-')
	n = putInt(b, n, p.phone[0], '-')
	n = putInt(b, n, p.phone[1], '-')
	return putInt(b, n, p.phone[2], d)
}

// addParty adds address, nation, phone and balance to the four columns from c on.
func (p *party) addParty(c []Values) {
	c[0].bytes(p.address[:p.addressSize])
	c[1].number(p.nation)
	var b line
	n := p.putPhone(&b, 0, 0)
	c[2].bytes(b[:n-1])
	c[3].number(p.balance)
}

// supplierRows makes the rows of supplier.
type supplierRows struct {
	format   Format
	next     int64
	streams  partyStreams
	comments comments

	// Ten suppliers in ten thousand have a comment that contains "Customer Complaints" or "Customer
	// Recommends", with a gap between the two words.
	told, gap, offset, verdict stream

	rows [atOnce]supplier
}

type supplier struct {
	party
	key     int64
	verdict string // the marking of the comment; empty for most suppliers
	offset  int    // of "Customer "
	gap     int    // behind it
}

const customer, complaints, recommends = "Customer ", "Complaints", "Recommends"

func newSupplierRows(f Format, first int64) *supplierRows {
	skipped := first - 1
	return &supplierRows{
		format: f, next: first,
		streams:  partyStreams{706178559, 110356601, 884434366, 962338209}.at(skipped),
		comments: newComments(atOnce, 63, 1341315363, 2, skipped),
		told:     stream(202794285).at(1, skipped),
		gap:      stream(263032577).at(1, skipped),
		offset:   stream(715851524).at(1, skipped),
		verdict:  stream(753643799).at(1, skipped),
	}
}

func (r *supplierRows) draw(n int) int {
	for i := range n {
		row := &r.rows[i]
		row.key = r.next
		r.next++
		r.streams.draw(&row.party)
		r.comments.draw(i)
		told, gap, offset, verdict := r.told.draw(10_000) < 10, r.gap.next(), r.offset.next(), r.verdict.draw(101)
		row.verdict = ""
		if told {
			room := int(r.comments.texts[i].size) - len(customer) - len(complaints)
			row.gap = int(portion(gap, uint64(room+1)))
			row.offset = int(portion(offset, uint64(room-row.gap+1)))
			row.verdict = recommends
			if verdict < 50 {
				row.verdict = complaints
			}
		}
	}
	r.comments.locate(n)
	return n
}

// tell writes the marking into a comment.
func (r *supplier) tell(comment []byte) {
	if r.verdict != "" {
		copy(comment[r.offset:], customer)
		copy(comment[r.offset+len(customer)+r.gap:], r.verdict)
	}
}

func (r *supplierRows) put(b *line, row int) int {
	d, s := byte(r.format), &r.rows[row]
	n := putInt(b, 0, s.key, d)
	n = putNumbered(b, n, "Supplier#", s.key, d)
	n = s.putParty(b, n, d)
	end := r.comments.put(b, n, row, d)
	s.tell(b[n:end])
	return r.format.end(b, end)
}

func (r *supplierRows) add(b *Batch, row int) {
	c, s := b.Columns, &r.rows[row]
	c[0].number(s.key)
	c[1].numbered("Supplier#", s.key)
	s.addParty(c[2:])
	c[6].comment(&r.comments, row)
	s.tell(c[6].Text(b.Rows))
}

// customerRows makes the rows of customer.
type customerRows struct {
	format   Format
	next     int64
	streams  partyStreams
	segment  stream
	comments comments

	rows [atOnce]customerRow
}

type customerRow struct {
	party
	key     int64
	segment *word
}

func newCustomerRows(f Format, first int64) *customerRows {
	skipped := first - 1
	return &customerRows{
		format: f, next: first,
		streams:  partyStreams{881155353, 1489529863, 1521138112, 298370230}.at(skipped),
		comments: newComments(atOnce, 73, 1335826707, 2, skipped),
		segment:  stream(1140279430).at(1, skipped),
	}
}

func (r *customerRows) draw(n int) int {
	for i := range n {
		row := &r.rows[i]
		row.key = r.next
		r.next++
		r.streams.draw(&row.party)
		r.comments.draw(i)
		row.segment = drawWord(&r.segment, segments)
	}
	r.comments.locate(n)
	return n
}

func (r *customerRows) put(b *line, row int) int {
	d, c := byte(r.format), &r.rows[row]
	n := putInt(b, 0, c.key, d)
	n = putNumbered(b, n, "Customer#", c.key, d)
	n = c.putParty(b, n, d)
	n = putWord(b, n, c.segment, d)
	return r.format.end(b, r.comments.put(b, n, row, d))
}

func (r *customerRows) add(b *Batch, row int) {
	c, customer := b.Columns, &r.rows[row]
	c[0].number(customer.key)
	c[1].numbered("Customer#", customer.key)
	customer.addParty(c[2:])
	c[6].word(customer.segment)
	c[7].comment(&r.comments, row)
}
