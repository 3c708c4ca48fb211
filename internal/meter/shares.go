package meter

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Shares counts the transactions of each connection of a pool and of each virtual user. Its
// histograms are as coarse as those of a Profile.
type Shares struct {
	connections []Summary
	users       [][]int64 // number of transactions done or rolled back, by user and kind
}

// NewShares returns empty shares.
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

// Connections returns the summary of each connection for a time span of elapsed.
func (s *Shares) Connections(elapsed time.Duration) []Summary {
	for i := range s.connections {
		s.connections[i].Elapsed = elapsed
	}
	return s.connections
}

// Users returns for each virtual user and kind the number of transactions that were done or
// rolled back.
func (s *Shares) Users() [][]int64 { return s.users }
