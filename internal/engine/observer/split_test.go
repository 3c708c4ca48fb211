package observer

import (
	"math"
	"testing"

	"sledge/internal/database"
	"sledge/internal/engine/order"
)

// Each second has 10 transactions, of which 2 to 4 wait for a lock. The standard error is that of the ratio of two
// sums: here the numbers of all are equal, so it is that of the mean of 0.2, 0.3, 0.4, 0.3, 0.2, 0.4.
func TestSplit_StatesTheErrorOfAShare(t *testing.T) {
	var s split
	locks := []int64{2, 3, 4, 3, 2, 4}
	for i, n := range locks {
		s.second.add(database.WaitLock, n)
		s.second.add(database.WaitCPU, 10-n)
		if share, deviation := s.share(&part{}); i > 0 && i < fewestSeconds-1 && (share != 0 || !math.IsNaN(deviation)) {
			t.Errorf("after %d seconds: got an error of %g, want none from few seconds", i, deviation)
		}
		s.fold()
	}
	share, deviation := s.share(s.parts[database.WaitLock])
	const want = 0.0365148 // the standard deviation 0.0894427, divided by the root of 6
	if math.Abs(share-0.3) > 1e-9 || math.Abs(deviation-want) > 1e-6 {
		t.Errorf("got %g ± %g, want 0.3 ± %g", share, deviation, want)
	}
}

// A leader of parallel workers waits for them: its transaction does what the first worker does. Sessions whose
// transaction is not known, and idle ones, are in no transaction.
func TestActivity_DividesEachTransactionOnce(t *testing.T) {
	a := Activity{Waits: database.MustParseWaits("parallel IPC/*\nidle Activity/*\nlock Lock/*")}
	list := []database.ActiveSession{{ID: "1", Wait: "IPC/ExecuteGather"}, {ID: "2", Wait: "Lock/tuple"}, {ID: "1", Wait: "Lock/tuple"}, {ID: "1"}, {ID: "3"}, {ID: "4", Wait: "Activity/x"}}
	leader, other := order.Location{Join: order.Certain, Counted: true}, order.Location{Join: order.Likely}
	seen := located{inFlight: []int64{5, 1}, sessions: []order.Location{leader, other, leader, leader, {Join: order.NoTransaction}, {Join: order.Certain, Kind: 1, Counted: true}}}
	a.divide(list, seen)
	first, second := a.splits[0].second, a.splits[1].second
	if first.all != 6 || first.parts[database.WaitLock] != 2 || first.parts[database.WaitParallel] != 0 || first.parts[database.WaitNetwork] != 4 {
		t.Errorf("got %+v, want six transactions, of which two wait for locks and four are on their way", first)
	}
	if second.all != 1 || second.parts[database.WaitNetwork] != 1 {
		t.Errorf("got %+v, want one that is on its way", second)
	}
}
