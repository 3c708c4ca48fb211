package dbgen

// fixedRows generates the rows of region and nation, which are the same at every scale factor.
type fixedRows struct {
	format   Format
	names    []word
	regions  []int64 // n_regionkey of each row; none for region
	comments comments
	next     int // row
	first    int // of the drawn rows
}

func newRegionRows(f Format, first int64) *fixedRows {
	return &fixedRows{
		format: f, names: regions, next: int(first - 1),
		comments: newComments(atOnce, 72, 1500869201, 2, first-1),
	}
}

func newNationRows(f Format, first int64) *fixedRows {
	return &fixedRows{
		format: f, names: nations, regions: nationRegions[:], next: int(first - 1),
		comments: newComments(atOnce, 72, 606179079, 2, first-1),
	}
}

func (r *fixedRows) draw(n int) int {
	r.first = r.next
	r.next += n
	for i := range n {
		r.comments.draw(i)
	}
	r.comments.locate(n)
	return n
}

func (r *fixedRows) put(b *line, row int) int {
	d, key := byte(r.format), r.first+row
	n := putInt(b, 0, int64(key), d)
	n = putWord(b, n, &r.names[key], d)
	if r.regions != nil {
		n = putInt(b, n, r.regions[key], d)
	}
	return r.format.end(b, r.comments.put(b, n, row, d))
}

func (r *fixedRows) add(b *Batch, row int) {
	c, key := b.Columns, r.first+row
	c[0].number(int64(key))
	c[1].word(&r.names[key])
	if r.regions != nil {
		c[2].number(r.regions[key])
	}
	c[len(c)-1].comment(&r.comments, row)
}
