package tproch

import (
	"fmt"
	"time"

	"sledge/internal/workload"
	"sledge/internal/workload/tproch/dbgen"
)

// The stages of a run with refresh functions.
const (
	restOfSet      = "rest of a refresh set"
	powerTest      = "power test"
	throughputTest = "throughput test"
)

// refreshUser is the number of the virtual user that runs the refresh functions.
const refreshUser = 0

// stages is Users.Stages. The rest of an interrupted refresh set comes first, so that the tests
// begin with complete sets.
func stages(options any, users int, survey any) ([]string, error) {
	o, s := options.(*Options), survey.(surveyed)
	tests, err := o.tests(users)
	if err != nil || len(tests) == 0 {
		return nil, err
	}
	each := setSize(s.size)
	first, last := s.done.free(each), s.size.LastSet()
	var sets int64
	for _, t := range tests {
		sets += o.sets(t, users)
	}
	if first+sets-1 > last {
		return nil, fmt.Errorf("the run needs %d refresh sets, and of %d the schema has %d left, because each set replaces initial orders. Build it again",
			sets, last, last-first+1)
	}
	if s.done.begun(each) != 0 {
		tests = append([]string{restOfSet}, tests...)
	}
	return tests, nil
}

// tests returns the names of the tests that a run has; none without refresh functions.
func (o *Options) tests(users int) ([]string, error) {
	switch {
	case o.Test == testPower && users != 1:
		return nil, fmt.Errorf("the power test needs one virtual user: set users to 1, not %d, or choose the test both", users)
	case (o.Test == testThroughput || o.Test == testBoth) && users < 2:
		return nil, fmt.Errorf("the test %s needs at least two virtual users, because the first runs the refresh functions and each other one a stream of queries: set users to 3, or test to power", o.Test)
	case o.Test == testBoth:
		return []string{powerTest, throughputTest}, nil
	case !o.refreshes():
		return nil, nil
	case users == 1:
		return []string{powerTest}, nil
	}
	return []string{throughputTest}, nil
}

// sets returns the number of refresh sets of a test.
func (o *Options) sets(test string, users int) int64 {
	switch {
	case test == powerTest:
		return 1
	case o.RefreshSets == 0:
		return int64(users - 1) // as many as streams (TPC-H 5.3.4)
	}
	return int64(o.RefreshSets)
}

// newTerminal is Workload.NewTerminal. A single user runs the queries in the order of the power
// test, which is stream 0. Of several, the first runs stream 1, unless it refreshes.
func newTerminal(slot workload.Slot) workload.Terminal {
	o, s := slot.Options.(*Options), slot.Survey.(surveyed)
	refreshing := slot.Number == refreshUser
	switch {
	case slot.Stage == "" && o.Cloud:
		return &cloudStream{sql: slot.SQL, number: streamOf(slot), sets: o.QuerySets}
	case slot.Stage == "":
		return newStream(slot, streamOf(slot))
	}
	each := setSize(s.size)
	set := s.done.free(each)
	switch {
	case slot.Stage == throughputTest && !refreshing:
		return newStream(slot, slot.Number)
	case !refreshing:
		return &sequence{}
	case slot.Stage == restOfSet:
		begun := s.done.begun(each)
		left := &refreshes{size: s.size, first: begun, last: begun, functions: pair}
		if s.done[newSales] == begun*each {
			left.functions = []function{oldSales}
		}
		return left
	case slot.Stage == powerTest: // the power test has no delay
		return &sequence{
			&refreshes{size: s.size, first: set, last: set, functions: []function{newSales}},
			newStream(slot, 0),
			&refreshes{size: s.size, first: set, last: set, functions: []function{oldSales}},
		}
	}
	if o.Test == testBoth {
		set++ // the power test used the first set
	}
	return &refreshes{
		size: s.size, first: set, last: set + o.sets(throughputTest, slot.Users) - 1, functions: pair,
		delay: time.Duration(o.Trickle) * time.Millisecond,
	}
}

// streamOf returns the stream number of a user in a run without refreshes.
func streamOf(slot workload.Slot) int {
	if slot.Users == 1 {
		return 0
	}
	return slot.Number + 1
}

// sequence is a terminal that picks from several terminals, one after another.
type sequence []workload.Terminal

// Pick implements workload.Terminal.
func (s *sequence) Pick() (workload.Transaction, bool) {
	for len(*s) > 0 {
		if t, more := (*s)[0].Pick(); more {
			return t, true
		}
		*s = (*s)[1:]
	}
	return workload.Transaction{}, false
}

// surveyed is the result of Survey.
type surveyed struct {
	factor float64
	size   dbgen.Scale
	done   progress
}
