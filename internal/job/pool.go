package job

import (
	"slices"
	"time"

	"sledge/internal/meter"
)

// Pool holds the transactions over each connection of a pool in the measured time, by the virtual
// users' own count.
type Pool struct {
	Connections []PoolConnection `json:"connections"`

	// Users holds the number of transactions of each virtual user that were done, or rolled back by
	// the workload, by kind. It begins with user number 0, whose position is 2.
	Users [][]int64 `json:"users"`
}

// PoolConnection is one connection of a pool. Each virtual user has its own.
type PoolConnection struct {
	Name      string         `json:"name"`
	Target    string         `json:"target"`
	Server    string         `json:"server"` // its version
	PerMinute float64        `json:"per_minute"`
	Failed    int64          `json:"failed"`
	Response  *meter.Latency `json:"response,omitempty"` // response times of the done transactions; missing if there are none
	Shares    []PoolShare    `json:"shares"`             // by kind of transaction
	Lost      *PoolLoss      `json:"lost,omitempty"`

	// Monitored means that the monitor is connected to this server, so the server's counts and the
	// figures computed from them are of this server.
	Monitored bool `json:"monitored"`
}

// PoolShare counts the transactions of one kind over a connection. PerMinute counts transactions
// that were done or rolled back by the workload.
type PoolShare struct {
	Kind       string  `json:"kind"`
	Done       int64   `json:"done"`
	RolledBack int64   `json:"rolled_back"`
	Failed     int64   `json:"failed"`
	PerMinute  float64 `json:"per_minute"`
}

// PoolLoss describes the loss of a connection.
type PoolLoss struct {
	At   time.Time `json:"at"`           // when the first virtual user lost it
	From float64   `json:"from_seconds"` // seconds since the measurement began; less than 0 if it was lost before
	Why  string    `json:"why"`          // the error of the first session

	Sessions int     `json:"sessions"`                  // number of virtual users that lost this connection
	Back     int     `json:"back"`                      // number of virtual users that reconnected
	BackBy   float64 `json:"back_by_seconds,omitempty"` // time of the last reconnection
}

// Elsewhere reports whether the pool has connections to another server than the monitor's.
func (p *Pool) Elsewhere() bool {
	return p != nil && slices.ContainsFunc(p.Connections, func(c PoolConnection) bool { return !c.Monitored })
}
