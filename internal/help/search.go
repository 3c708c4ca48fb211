package help

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hit is a section of the manual that a search has found.
type Hit struct {
	Page    Head    `json:"page"`
	Heading Heading `json:"heading"`
	Address string  `json:"address" doc:"Where it is shown."`
	Excerpt []Piece `json:"excerpt"`
}

// Piece is a part of an excerpt.
type Piece struct {
	Text  string `json:"text"`
	Found bool   `json:"found,omitempty" doc:"The piece matches a word of the query."`
}

// around is the number of bytes of text before and after a match in an excerpt.
const around = 110

// Search finds the sections that contain all words of a query. Sections with the words in their
// headings come first, then guides, then those with the most matches.
func (b *Book) Search(query string, limit int) []Hit {
	words := strings.Fields(strings.ToLower(query))
	type found struct {
		section
		heads, count int
	}
	var all []found
	for _, s := range b.sections {
		f := found{section: s}
		head, body := strings.ToLower(s.page.Title+" "+s.heading.Text), strings.ToLower(s.text)
		for _, w := range words {
			inHead, inBody := strings.Count(head, w), strings.Count(body, w)
			if inHead+inBody == 0 {
				f.count = -1
				break
			}
			f.heads += min(1, inHead)
			f.count += inBody
		}
		if f.count >= 0 && len(words) > 0 {
			all = append(all, f)
		}
	}
	rank := func(s section) int {
		return slices.IndexFunc(groups, func(g struct{ folder, title string }) bool { return g.title == s.page.Group })
	}
	slices.SortStableFunc(all, func(x, y found) int {
		return cmp.Or(cmp.Compare(y.heads, x.heads), cmp.Compare(rank(x.section), rank(y.section)), cmp.Compare(y.count, x.count))
	})
	hits := []Hit{}
	for _, f := range all[:min(limit, len(all))] {
		hits = append(hits, Hit{f.page.Head, f.heading, Address(f.page.Name, f.heading.ID), excerpt(f.text, words)})
	}
	return hits
}

// excerpt returns the text around the first match, and marks all matches.
func excerpt(text string, words []string) []Piece {
	lower := strings.Map(func(r rune) rune { // keeps the length, so that positions agree
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, text)
	first := len(text)
	for _, w := range words {
		if i := strings.Index(lower, w); i >= 0 {
			first = min(first, i)
		}
	}
	if first == len(text) {
		first = 0 // the match is in the heading
	}
	from, to := edge(text, first-around), edge(text, first+around)
	pieces := []Piece{} // a section may have a heading only
	add := func(text string, is bool) {
		if text != "" {
			pieces = append(pieces, Piece{text, is})
		}
	}
	if from > 0 {
		add("… ", false)
	}
	for from < to {
		at, length := to, 0
		for _, w := range words {
			if i := strings.Index(lower[from:to], w); i >= 0 && from+i < at {
				at, length = from+i, len(w)
			}
		}
		add(text[from:at], false)
		add(text[at:at+length], true)
		from = at + length
	}
	if to < len(text) {
		add(" …", false)
	}
	return pieces
}

// edge returns the beginning of the word at a position.
func edge(text string, at int) int {
	switch {
	case at <= 0:
		return 0
	case at >= len(text):
		return len(text)
	}
	if i := strings.LastIndexByte(text[:at], ' '); i >= 0 {
		return i + 1
	}
	return 0
}
