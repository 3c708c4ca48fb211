package redis

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strconv"
)

// keySet holds the keys of a table's rows.
type keySet struct {
	parts int // number of parts of a key's name; each part is a column

	// whole means that all parts are whole numbers. The keys are then in numbers, one key after
	// another; otherwise in names.
	whole   bool
	numbers []int64
	names   []string
}

func newKeySet(l layout) *keySet {
	k := &keySet{parts: len(l.Key), whole: true}
	for _, c := range l.Columns {
		k.whole = k.whole && (c.isWhole() || !slices.Contains(l.Key, c.Name))
	}
	return k
}

// add adds a key; rest is the part of its name after the table's name. It ignores a key with more
// or fewer parts, because it is not the key of a row.
func (k *keySet) add(key, rest []byte) error {
	if bytes.Count(rest, []byte(":"))+1 != k.parts {
		return nil
	}
	if !k.whole {
		k.names = append(k.names, string(key))
		return nil
	}
	for len(rest) > 0 {
		var part []byte
		part, rest, _ = bytes.Cut(rest, []byte(":"))
		n, err := strconv.ParseInt(lent(part), 10, 64)
		if err != nil || len(part) > 1 && part[0] == '0' {
			return fmt.Errorf("the key %s is named like the key of a row, but %q is not a whole number: remove the key if it is not needed", key, part)
		}
		k.numbers = append(k.numbers, n)
	}
	return nil
}

// sort sorts the keys and removes duplicates.
func (k *keySet) sort() {
	if !k.whole {
		slices.Sort(k.names)
		k.names = slices.Compact(k.names)
		return
	}
	sort.Sort(k)
	kept := 0
	for i := range k.Len() {
		if i > 0 && slices.Equal(k.at(i), k.at(kept-1)) {
			continue
		}
		copy(k.numbers[kept*k.parts:], k.at(i))
		kept++
	}
	k.numbers = k.numbers[:kept*k.parts]
}

// at returns the numbers of the key with index n.
func (k *keySet) at(n int) []int64 { return k.numbers[n*k.parts : (n+1)*k.parts] }

// Len implements sort.Interface.
func (k *keySet) Len() int {
	if !k.whole {
		return len(k.names)
	}
	return len(k.numbers) / k.parts
}

// Less implements sort.Interface.
func (k *keySet) Less(i, j int) bool { return slices.Compare(k.at(i), k.at(j)) < 0 }

// Swap implements sort.Interface.
func (k *keySet) Swap(i, j int) {
	a, b := k.at(i), k.at(j)
	for n := range a {
		a[n], b[n] = b[n], a[n]
	}
}
