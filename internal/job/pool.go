package job

import (
	"slices"
	"time"

	"sledge/internal/meter"
)

// Pool is what was done over each connection of a pool, by the virtual users' own count and
// in the measured time alone.
type Pool struct {
	Connections []PoolConnection `json:"connections"`

	// Users holds how many transactions of each kind each virtual user has done, or rolled
	// back as the workload asks; user number 0 first, whose position is 2.
	Users [][]int64 `json:"users"`
}

// PoolConnection is a connection of a pool, of which each virtual user had one.
type PoolConnection struct {
	Name      string         `json:"name"`
	Target    string         `json:"target"`
	Server    string         `json:"server"` // its version
	PerMinute float64        `json:"per_minute"`
	Failed    int64          `json:"failed"`
	Response  *meter.Latency `json:"response,omitempty"` // of those done; missing if no transaction was
	Shares    []PoolShare    `json:"shares"`             // by kind of transaction
	Lost      *PoolLoss      `json:"lost,omitempty"`

	// Monitored says that the server's counts, and the figures made of them, are of where
	// it leads.
	Monitored bool `json:"monitored"`
}

// PoolShare is the work of one kind of transaction over a connection. PerMinute counts those
// that were done or rolled back as the workload asks.
type PoolShare struct {
	Kind       string  `json:"kind"`
	Done       int64   `json:"done"`
	RolledBack int64   `json:"rolled_back"`
	Failed     int64   `json:"failed"`
	PerMinute  float64 `json:"per_minute"`
}

// PoolLoss says when and why a connection was lost.
type PoolLoss struct {
	At   time.Time `json:"at"`           // by the first virtual user
	From float64   `json:"from_seconds"` // since the measurement began; less than 0 where it had not
	Why  string    `json:"why"`          // of the first session

	Sessions int     `json:"sessions"`                  // that were lost, one of each virtual user's at a time
	Back     int     `json:"back"`                      // of them that were made again
	BackBy   float64 `json:"back_by_seconds,omitempty"` // when the last of those was there
}

// Elsewhere reports whether the pool leads to more than what the monitor is connected to.
func (p *Pool) Elsewhere() bool {
	return p != nil && slices.ContainsFunc(p.Connections, func(c PoolConnection) bool { return !c.Monitored })
}
