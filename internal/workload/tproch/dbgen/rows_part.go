package dbgen

// This file generates the rows of part and partsupp (TPC-H 4.2.3).

// suppliersOfPart is how many suppliers each part has.
const suppliersOfPart = 4

// retailPrice returns P_RETAILPRICE in hundredths.
func retailPrice(part int64) int64 {
	p := uint64(part) // unsigned, which divides faster
	return int64(90_000 + p/10%20_001 + p%1000*100)
}

// supplierOf returns supplier i, 0..3, of a part, among all suppliers.
func supplierOf(part int64, i uint64, suppliers divisor) int64 {
	rounds, _ := suppliers.divide(uint64(part - 1))
	_, place := suppliers.divide(uint64(part) + i*(suppliers.n/suppliersOfPart+rounds))
	return int64(place) + 1
}

// partRows makes the rows of part.
type partRows struct {
	format                                           Format
	next                                             int64
	name, manufacturer, brand, kind, size, container stream
	comments                                         comments

	colors [92]uint8 // all of them, in order
	rows   [atOnce]part
}

type part struct {
	key             int64
	colors          [colorsOfName]uint8
	manufacturer    byte
	brand           byte
	kind, container *word
	size            int64
}

const colorsOfName = 5

func newPartRows(f Format, first int64) *partRows {
	skipped := first - 1
	r := &partRows{
		format: f, next: first,
		name:         stream(709314158).at(92, skipped),
		manufacturer: stream(1).at(1, skipped),
		brand:        stream(46831694).at(1, skipped),
		kind:         stream(1841581359).at(1, skipped),
		size:         stream(1193163244).at(1, skipped),
		container:    stream(727633698).at(1, skipped),
		comments:     newComments(atOnce, 14, 804159733, 2, skipped),
	}
	for i := range r.colors {
		r.colors[i] = uint8(i)
	}
	return r
}

func (r *partRows) draw(n int) int {
	for i := range n {
		row := &r.rows[i]
		row.key = r.next
		r.next++
		r.drawColors(row)
		row.manufacturer = '1' + byte(r.manufacturer.draw(5))
		row.brand = '1' + byte(r.brand.draw(5))
		row.kind = drawWord(&r.kind, partTypes)
		row.size = 1 + int64(r.size.draw(50))
		row.container = drawWord(&r.container, containers)
		r.comments.draw(i)
	}
	r.comments.locate(n)
	return n
}

// drawColors draws distinct colours, as the beginning of a shuffle that always starts from the same
// order: it undoes its swaps afterwards.
func (r *partRows) drawColors(row *part) {
	name := r.name
	r.name.leap(len(r.colors))
	var swapped [colorsOfName]int
	for k := range swapped {
		j := k + int(name.draw(uint64(len(r.colors)-k)))
		swapped[k] = j
		r.colors[k], r.colors[j] = r.colors[j], r.colors[k]
	}
	copy(row.colors[:], r.colors[:])
	for k := colorsOfName - 1; k >= 0; k-- {
		j := swapped[k]
		r.colors[k], r.colors[j] = r.colors[j], r.colors[k]
	}
}

// putName writes the colours, with blanks between them.
func (p *part) putName(b *line, n int, d byte) int {
	for _, color := range p.colors[:colorsOfName-1] {
		n = putWord(b, n, &colors[color], ' ')
	}
	return putWord(b, n, &colors[p.colors[colorsOfName-1]], d)
}

func (r *partRows) put(b *line, row int) int {
	d, p := byte(r.format), &r.rows[row]
	n := putInt(b, 0, p.key, d)
	n = p.putName(b, n, d)
	n += copy(b[n:], "Manufacturer#")
	b[n], b[n+1] = p.manufacturer, d
	n += 2
	n += copy(b[n:], "Brand#")
	b[n], b[n+1], b[n+2] = p.manufacturer, p.brand, d
	n += 3
	n = putWord(b, n, p.kind, d)
	n = putInt(b, n, p.size, d)
	n = putWord(b, n, p.container, d)
	n = putMoney(b, n, retailPrice(p.key), d)
	return r.format.end(b, r.comments.put(b, n, row, d))
}

func (r *partRows) add(b *Batch, row int) {
	c, p := b.Columns, &r.rows[row]
	c[0].number(p.key)
	var name line
	c[1].bytes(name[:p.putName(&name, 0, 0)-1])
	c[2].end(append(append(c[2].Bytes, "Manufacturer#"...), p.manufacturer))
	c[3].end(append(append(c[3].Bytes, "Brand#"...), p.manufacturer, p.brand))
	c[4].word(p.kind)
	c[5].number(p.size)
	c[6].word(p.container)
	c[7].number(retailPrice(p.key))
	c[8].comment(&r.comments, row)
}

// partSuppRows generates the rows of partsupp. The rows of a part use all numbers of its quotas in
// equal parts, so each row has quotas of its own.
type partSuppRows struct {
	format         Format
	suppliers      divisor
	next           int64 // row
	quantity, cost stream
	comments       comments

	rows [atOnce]partSupp
}

type partSupp struct {
	part, supplier, quantity, cost int64
}

func newPartSuppRows(s Scale, f Format, first int64) *partSuppRows {
	skipped := first - 1
	return &partSuppRows{
		format: f, suppliers: newDivisor(s.suppliers), next: first,
		quantity: stream(1671059989).at(1, skipped),
		cost:     stream(1051288424).at(1, skipped),
		comments: newComments(atOnce, 124, 1961692154, 2, skipped),
	}
}

func (r *partSuppRows) draw(n int) int {
	for i := range n {
		row := &r.rows[i]
		place := uint64(r.next - 1)
		r.next++
		row.part = int64(place/suppliersOfPart) + 1
		row.supplier = supplierOf(row.part, place%suppliersOfPart, r.suppliers)
		row.quantity = 1 + int64(r.quantity.draw(9999))
		row.cost = 100 + int64(r.cost.draw(99_901))
		r.comments.draw(i)
	}
	r.comments.locate(n)
	return n
}

func (r *partSuppRows) put(b *line, row int) int {
	d, p := byte(r.format), &r.rows[row]
	n := putInt(b, 0, p.part, d)
	n = putInt(b, n, p.supplier, d)
	n = putInt(b, n, p.quantity, d)
	n = putMoney(b, n, p.cost, d)
	return r.format.end(b, r.comments.put(b, n, row, d))
}

func (r *partSuppRows) add(b *Batch, row int) {
	c, p := b.Columns, &r.rows[row]
	c[0].number(p.part)
	c[1].number(p.supplier)
	c[2].number(p.quantity)
	c[3].number(p.cost)
	c[4].comment(&r.comments, row)
}
