package dbgen

import (
	"encoding/binary"
	"slices"
	"sync"
)

// poolSize is how long the text is, in bytes, that all comments are cut from (TPC-H 4.2.2.10).
const poolSize = 300 << 20

// textSeed is where the stream begins that the text is drawn from.
const textSeed = 933588178

// textPool is the text that comments are cut from, as the words it consists of: a byte for each of them
// instead of seven. A word is kept with the blank before it, so that what ends a sentence is
// a word as well. The text thus begins one byte earlier than dbgen's, with a blank.
type textPool struct {
	tokens []byte // the words, by their numbers

	// starts says, for each block of the text, which token its first byte is in, shifted by four bits, and
	// how far into it: as little-endian numbers of 32 bits.
	starts []byte

	slots [256*slotSize + slotSize]byte // each word, and as much again for reading over the last one's end
	sizes [256]uint8                    // of the words
}

const (
	slotSize  = 16 // no word is longer
	blockSize = 64 // bytes of the text

	poolTokens = 47_013_504 // what the text takes, with its last sentence whole
)

// sharedPool makes the pool when it is first asked for. It is the same for all scale factors.
var sharedPool = sync.OnceValue(newTextPool)

// text is a piece of the pool. It is drawn as an offset and a size, and must be located before it can be written.
type text struct {
	offset uint32
	token  uint32 // the first one of its block
	skip   uint8  // bytes of the text from that token's first one
	first  uint8  // that token itself
	size   uint8
}

// comments are those of some rows of a table, which are drawn, then located, then written.
type comments struct {
	pool        *textPool
	least, most uint64 // bytes of a comment
	random      stream
	texts       []text
}

// newComments returns the comments of a column: of so many rows at once, and from the row on that comes after those
// that the stream has made. A comment has 40 % to 160 % of the average length (TPC-H 4.2.2.10).
func newComments(atOnce int, average uint64, seed stream, quota, skipped int64) comments {
	return comments{
		pool: sharedPool(), least: average * 4 / 10, most: average * 16 / 10,
		random: seed.at(quota, skipped), texts: make([]text, atOnce),
	}
}

// draw draws the comment of a row: where it begins in the text, and how long it is.
func (c *comments) draw(row int) {
	offset := c.random.drawWide(int64(poolSize-c.most)+1) + 1 // behind the blank
	c.texts[row] = text{offset: uint32(offset), size: uint8(c.least + c.random.draw(c.most-c.least+1))}
}

// locate locates the comments of the first n rows.
func (c *comments) locate(n int) { c.pool.locate(c.texts[:n]) }

// put writes the comment of a row at place n of a line, and the delimiter behind it. It returns the place after both.
func (c *comments) put(b *line, n, row int, delimiter byte) int {
	t := c.texts[row]
	c.pool.write(b[n:], t)
	n += int(t.size)
	b[n] = delimiter
	return n + 1
}

// append appends the comment of a row to buf.
func (c *comments) append(buf []byte, row int) []byte {
	t := c.texts[row]
	begin, end := len(buf), len(buf)+int(t.size)
	buf = slices.Grow(buf, int(t.size)+slotSize)
	c.pool.write(buf[begin:end+slotSize], t)
	return buf[:end]
}

// locate finds texts in the pool. Nearly every look into it waits for memory: these loops are all looks, so that
// the processor waits for many of them at once.
func (p *textPool) locate(texts []text) {
	for i := range texts {
		t := &texts[i]
		start := binary.LittleEndian.Uint32(p.starts[t.offset/blockSize*4:])
		t.token, t.skip = start>>4, uint8(start&(slotSize-1)+t.offset%blockSize)
	}
	for i := range texts {
		t := &texts[i]
		t.first = p.tokens[t.token]
	}
}

// write writes a text to b, which must have slotSize bytes of room behind it.
func (p *textPool) write(b []byte, t text) {
	tokens := p.tokens[t.token:]
	token, skip, i := int(t.first), int(t.skip), 0
	for skip >= int(p.sizes[token]) {
		skip -= int(p.sizes[token])
		i++
		token = int(tokens[i])
	}
	// What a slot has too much is written over by the next word, or not used.
	*(*[slotSize]byte)(b) = *(*[slotSize]byte)(p.slots[token*slotSize+skip:])
	for n := int(p.sizes[token]) - skip; n < int(t.size); {
		i++
		token = int(tokens[i])
		*(*[slotSize]byte)(b[n:]) = *(*[slotSize]byte)(p.slots[token*slotSize:])
		n += int(p.sizes[token])
	}
}

// poolWriter writes the tokens of the pool.
type poolWriter struct {
	*textPool
	random stream
	count  int // tokens
	size   int // bytes of the text
	words  int // how many there are

	sentences, nounPhrases, verbPhrases                                       []string
	terminators, nouns, verbs, adverbs, adjectives, prepositions, auxiliaries []byte
	comma, the                                                                byte
}

func newTextPool() *textPool {
	const blocks = poolSize/blockSize + 2
	memory := hugePages(4*blocks + poolTokens)
	p := &textPool{starts: memory[:4*blocks], tokens: memory[4*blocks:]}
	w := poolWriter{
		textPool:    p,
		random:      textSeed,
		sentences:   weighted(sentencePatterns),
		nounPhrases: weighted(nounPhrasePatterns),
		verbPhrases: weighted(verbPhrasePatterns),
	}
	w.terminators = w.number("", weighted(terminators))
	w.nouns = w.number(" ", weighted(nouns))
	w.verbs = w.number(" ", weighted(verbs))
	w.adverbs = w.number(" ", weighted(adverbs))
	w.adjectives = w.number(" ", weighted(adjectives))
	w.prepositions = w.number(" ", weighted(prepositions))
	w.auxiliaries = w.number(" ", weighted(auxiliaries))
	w.comma = w.number("", []string{","})[0]
	w.the = w.number(" ", []string{"the"})[0]
	for w.size <= poolSize {
		w.sentence()
	}
	return p
}

// number gives the entries of a list numbers as tokens, equal ones that follow each other the same.
func (w *poolWriter) number(before string, list []string) []byte {
	tokens := make([]byte, len(list))
	for i, entry := range list {
		if i == 0 || entry != list[i-1] {
			slot := w.slots[w.words*slotSize:][:slotSize]
			w.sizes[w.words] = uint8(copy(slot, before+entry))
			w.words++
		}
		tokens[i] = byte(w.words - 1)
	}
	return tokens
}

// sentence writes a sentence.
func (w *poolWriter) sentence() {
	for _, part := range []byte(w.sentences[w.random.draw(uint64(len(w.sentences)))]) {
		switch part {
		case 'N':
			w.nounPhrase()
		case 'V':
			w.verbPhrase()
		case 'P':
			w.pick(w.prepositions)
			w.put(w.the)
			w.nounPhrase()
		case 'T':
			w.pick(w.terminators)
		}
	}
}

func (w *poolWriter) nounPhrase() {
	for _, part := range []byte(w.nounPhrases[w.random.draw(uint64(len(w.nounPhrases)))]) {
		switch part {
		case 'N':
			w.pick(w.nouns)
		case 'J':
			w.pick(w.adjectives)
		case 'K':
			w.pick(w.adjectives)
			w.put(w.comma)
		case 'D':
			w.pick(w.adverbs)
		}
	}
}

func (w *poolWriter) verbPhrase() {
	for _, part := range []byte(w.verbPhrases[w.random.draw(uint64(len(w.verbPhrases)))]) {
		switch part {
		case 'V':
			w.pick(w.verbs)
		case 'D':
			w.pick(w.adverbs)
		case 'X':
			w.pick(w.auxiliaries)
		}
	}
}

// pick writes a word drawn from a list.
func (w *poolWriter) pick(list []byte) { w.put(list[w.random.draw(uint64(len(list)))]) }

// put writes a token, and notes it as the start of the block whose first byte is in it or comes after it. The
// last one that is noted for a block is the one.
func (w *poolWriter) put(token byte) {
	w.tokens[w.count] = token
	block := (w.size + blockSize - 1) / blockSize
	binary.LittleEndian.PutUint32(w.starts[4*block:], uint32(w.count)<<4+uint32(-w.size&(blockSize-1)))
	w.count++
	w.size += int(w.sizes[token])
}
