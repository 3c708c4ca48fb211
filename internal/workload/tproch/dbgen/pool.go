package dbgen

import (
	"encoding/binary"
	"slices"
	"sync"
)

// poolSize is the length in bytes of the text that all comments are cut from (TPC-H 4.2.2.10).
const poolSize = 300 << 20

// textSeed is the start of the stream that the text is drawn from.
const textSeed = 933588178

// textPool is the text that comments are cut from, stored as one byte per word, which has seven
// characters on average. A word includes the blank before it, so that the end of a sentence is a
// word as well. The text therefore begins one byte earlier than dbgen's, with a blank.
type textPool struct {
	tokens []byte // the words, by their numbers

	// starts says, for each block of the text, which token contains its first byte, shifted by four
	// bits, and how far into the token it is: as little-endian numbers of 32 bits.
	starts []byte

	slots [256*slotSize + slotSize]byte // each word, with as much padding for reading past the last one's end
	sizes [256]uint8                    // of the words
}

const (
	slotSize  = 16 // no word is longer
	blockSize = 64 // bytes of the text

	poolTokens = 47_013_504 // the size of the text with its last sentence complete
)

// sharedPool makes the pool at the first use. It is the same for all scale factors.
var sharedPool = sync.OnceValue(newTextPool)

// text is a piece of the pool. It is drawn as an offset and a size, and must be located before it
// can be written.
type text struct {
	offset uint32
	token  uint32 // the first token of its block
	skip   uint8  // bytes of the text from the start of that token
	first  uint8  // that token itself
	size   uint8
}

// comments are the comments of some rows of a table, which are drawn, then located, then written.
type comments struct {
	pool        *textPool
	least, most uint64 // bytes of a comment
	random      stream
	texts       []text
}

// newComments returns the comments of a column, for a number of rows at a time, beginning at the
// current row of the stream. A comment has 40 % to 160 % of the average length (TPC-H 4.2.2.10).
func newComments(atOnce int, average uint64, seed stream, quota, skipped int64) comments {
	return comments{
		pool: sharedPool(), least: average * 4 / 10, most: average * 16 / 10,
		random: seed.at(quota, skipped), texts: make([]text, atOnce),
	}
}

// draw draws the comment of a row: its place in the text and its length.
func (c *comments) draw(row int) {
	offset := c.random.drawWide(int64(poolSize-c.most)+1) + 1 // behind the blank
	c.texts[row] = text{offset: uint32(offset), size: uint8(c.least + c.random.draw(c.most-c.least+1))}
}

// locate locates the comments of the first n rows.
func (c *comments) locate(n int) { c.pool.locate(c.texts[:n]) }

// put writes the comment of a row at place n of a line, and the delimiter after it. It returns the
// place after both.
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

// locate finds texts in the pool. Nearly every access to the pool waits for memory, so these loops
// do nothing else, and the processor waits for many accesses at once.
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

// write writes a text to b, which must have slotSize bytes of room after it.
func (p *textPool) write(b []byte, t text) {
	tokens := p.tokens[t.token:]
	token, skip, i := int(t.first), int(t.skip), 0
	for skip >= int(p.sizes[token]) {
		skip -= int(p.sizes[token])
		i++
		token = int(tokens[i])
	}
	// The next word overwrites the excess bytes of a slot, or they are not used.
	*(*[slotSize]byte)(b) = *(*[slotSize]byte)(p.slots[token*slotSize+skip:])
	for n := int(p.sizes[token]) - skip; n < int(t.size); {
		i++
		token = int(tokens[i])
		*(*[slotSize]byte)(b[n:]) = *(*[slotSize]byte)(p.slots[token*slotSize:])
		n += int(p.sizes[token])
	}
}

// wordList is a list to draw words from, as tokens, each as often as its weight says.
type wordList []byte

// phrase is a list of forms to draw from, each as often as its weight says. A form lists the word
// lists to draw from.
type phrase [][]wordList

func newTextPool() *textPool {
	const blocks = poolSize/blockSize + 2
	memory := hugePages(4*blocks + poolTokens)
	p := &textPool{starts: memory[:4*blocks], tokens: memory[4*blocks:]}
	p.fill(p.newGrammar())
	return p
}

// newGrammar numbers the words and returns the forms of sentences.
func (p *textPool) newGrammar() (forms [][]phrase) {
	numbered := 0
	number := func(before string, entries ...string) (tokens wordList) {
		for i, entry := range entries {
			if i == 0 || entry != entries[i-1] {
				slot := p.slots[numbered*slotSize:][:slotSize]
				p.sizes[numbered] = uint8(copy(slot, before+entry))
				numbered++
			}
			tokens = append(tokens, byte(numbered-1))
		}
		return tokens
	}
	lists := map[rune]wordList{
		'N': number(" ", weighted(nouns)...),
		'V': number(" ", weighted(verbs)...),
		'J': number(" ", weighted(adjectives)...),
		'D': number(" ", weighted(adverbs)...),
		'X': number(" ", weighted(auxiliaries)...),
		'P': number(" ", weighted(prepositions)...),
		'A': number(" ", "the"),
		'C': number("", ","),
		'T': number("", weighted(terminators)...),
	}

	phrases := map[rune]phrase{}
	for letter, list := range map[rune]string{'N': nounPhrases, 'V': verbPhrases, 'P': prepositionPhrases, 'T': endPhrases} {
		for _, form := range weighted(list) {
			var words []wordList
			for _, letter := range form {
				words = append(words, lists[letter])
			}
			phrases[letter] = append(phrases[letter], words)
		}
	}
	for _, form := range weighted(sentences) {
		var sentence []phrase
		for _, letter := range form {
			sentence = append(sentence, phrases[letter])
		}
		forms = append(forms, sentence)
	}
	return forms
}

// fill draws sentences until the text is long enough. A list of one entry is not drawn from.
func (p *textPool) fill(sentences [][]phrase) {
	random := stream(textSeed)
	count, size := 0, 0 // tokens, and bytes of the text
	for size <= poolSize {
		for _, forms := range sentences[random.draw(uint64(len(sentences)))] {
			form := forms[0]
			if len(forms) > 1 {
				form = forms[random.draw(uint64(len(forms)))]
			}
			for _, list := range form {
				token := list[0]
				if len(list) > 1 {
					token = list[random.draw(uint64(len(list)))]
				}
				p.tokens[count] = token
				// The last token recorded as the start of a block is the one that contains its
				// first byte.
				block := uint(size+blockSize-1) / blockSize
				binary.LittleEndian.PutUint32(p.starts[4*block:], uint32(count)<<4+uint32(-size&(blockSize-1)))
				count++
				size += int(p.sizes[token])
			}
		}
	}
}
