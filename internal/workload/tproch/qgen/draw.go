package qgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// draw returns qgen's values for a query, in its order. Every query draws from its own stream, so
// the values do not depend on the other queries. The order of the draws is qgen's.
func (g Generator) draw(query int) []string {
	s := newStream(g.Seed, query)
	switch query {
	case 1:
		return []string{s.number(60, 120)}
	case 2:
		return []string{s.number(1, 50), word(s.pick(types), 2), s.pick(regions)}
	case 3:
		return []string{s.pick(segments), fmt.Sprintf("1995-03-%02d", s.between(0, 30)+1)}
	case 4:
		return []string{month(s.between(1, 58))}
	case 5:
		return []string{s.pick(regions), s.year()}
	case 6:
		return []string{s.year(), fmt.Sprintf("0.%02d", s.between(2, 9)), s.number(24, 25)}
	case 7:
		return s.pickTwo(nations)
	case 8:
		nation := s.pick(nations)
		return []string{nation, regions[regionOf[slices.Index(nations, nation)]], s.pick(types)}
	case 9:
		return []string{s.pick(colours)}
	case 10:
		return []string{month(s.between(1, 24))}
	case 11:
		return []string{s.pick(nations), fraction(g.Scale)}
	case 12:
		return append(s.pickTwo(modes), s.year())
	case 13:
		// All words have the same weight, 20 of 80 and 40 of 160.
		return []string{commentWords[s.between(0, 79)/20], commentNouns[s.between(0, 159)/40]}
	case 14:
		return []string{month(s.between(0, 59))}
	case 15:
		return []string{month(s.between(0, 57))}
	case 16:
		brand, kind := s.brand(), s.pick(types)
		return append([]string{brand, word(kind, 0) + " " + word(kind, 1)}, s.shuffled(1, 50, 8)...)
	case 17:
		return []string{s.brand(), s.pick(containers)}
	case 18:
		return []string{s.number(312, 315)}
	case 19:
		return []string{s.brand(), s.brand(), s.brand(), s.number(1, 10), s.number(10, 20), s.number(20, 30)}
	case 20:
		return []string{s.pick(colours), s.year(), s.pick(nations)}
	case 21:
		return []string{s.pick(nations)}
	case 22:
		if g.RaisedCodes {
			return s.shuffled(20, 44, 7)
		}
		return s.shuffled(10, 34, 7)
	}
	panic(fmt.Sprintf("qgen: there is no query %d", query))
}

// modulus and multiplier are the constants of the standard's linear congruential generator.
const (
	modulus    = 1<<31 - 1
	multiplier = 16807
)

// stream is one of the generator's streams of random numbers, represented by its last number.
type stream int64

// newStream returns the stream of a query, which begins a number of draws after the seed.
func newStream(seed uint64, query int) *stream {
	s := stream(seed % modulus)
	if s == 0 {
		s = 1
	}
	for range query {
		s = s * multiplier % modulus
	}
	return &s
}

// between returns the next number, scaled to low..high, both included. The order of the operations
// decides the rounding.
func (s *stream) between(low, high int) int {
	*s = *s * multiplier % modulus
	return low + int(float64(*s)/modulus*float64(high-low+1))
}

// number is between, as text.
func (s *stream) number(low, high int) string { return strconv.Itoa(s.between(low, high)) }

// year returns the first day of one of the years in which all days have orders.
func (s *stream) year() string { return fmt.Sprintf("19%d-01-01", s.between(93, 97)) }

// brand returns the name of a brand.
func (s *stream) brand() string { return "Brand#" + s.number(1, 5) + s.number(1, 5) }

// pick returns one of the words, with equal probability.
func (s *stream) pick(words []string) string { return words[s.between(0, len(words)-1)] }

// pickTwo returns two different words.
func (s *stream) pickTwo(words []string) []string {
	first := s.pick(words)
	for {
		if second := s.pick(words); second != first {
			return []string{first, second}
		}
	}
}

// shuffled returns the first n of all the numbers between low and high, shuffled. The draws for the
// others would be the last of the stream, so it skips them.
func (s *stream) shuffled(low, high, n int) []string {
	all := make([]string, high-low+1)
	for i := range all {
		all[i] = strconv.Itoa(low + i)
	}
	for i := range n {
		j := s.between(i, len(all)-1)
		all[i], all[j] = all[j], all[i]
	}
	return all[:n]
}

// month returns the first day of a month, counted from January 1993.
func month(n int) string { return fmt.Sprintf("%d-%02d-01", 1993+n/12, n%12+1) }

// word returns the n-th word of a text.
func word(text string, n int) string { return strings.Fields(text)[n] }
