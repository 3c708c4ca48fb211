package meter

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Shares keeps apart what was done over each connection of a pool, and how much each
// virtual user has done. Its histograms are as coarse as those of a Profile.
type Shares struct {
	connections []Summary
	users       [][]int64 // by user and kind: done, or rolled back
}

// NewShares returns the shares of connections and users that have done nothing.
func NewShares(connections, users, kinds int) *Shares {
	s := &Shares{connections: make([]Summary, connections), users: make([][]int64, users)}
	for i := range s.connections {
		s.connections[i].Kinds = make([]Tally, kinds)
		for k := range s.connections[i].Kinds {
			s.connections[i].Kinds[k] = Tally{Service: newCoarseHistogram(), Response: newCoarseHistogram()}
		}
	}
	for u := range s.users {
		s.users[u] = make([]int64, kinds)
	}
	return s
}

func newCoarseHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(profileLowest, usualHighest, profileDigits)
}

// record adds one transaction.
func (s *Shares) record(r *Record) {
	s.connections[r.Connection].record(r)
	if r.Outcome != Failed {
		s.users[r.User][r.Kind]++
	}
}

// Connections returns what was done over each connection in a time that took elapsed.
func (s *Shares) Connections(elapsed time.Duration) []Summary {
	for i := range s.connections {
		s.connections[i].Elapsed = elapsed
	}
	return s.connections
}

// Users returns how many transactions of each kind each virtual user has done, or rolled
// back as the workload asks.
func (s *Shares) Users() [][]int64 { return s.users }
