package job

import "time"

// Count is a rate of transactions per minute at one time of a job, from the server's own count if
// there is one.
type Count struct {
	At   time.Time `json:"at"`
	Rate float64   `json:"tpm"`
}

// ImportDetails holds the data that another program recorded about a job and for which Job has no
// member. They are shown unchanged.
type ImportDetails struct {
	Settings []Section      `json:"settings,omitempty"`
	Timings  []Timing       `json:"timings,omitempty"`
	System   []Setting      `json:"system,omitempty"` // of the machine under test
	Metrics  []SystemMetric `json:"metrics,omitempty"`
}

// Section is a part of a program's settings: "connection", "tpcc".
type Section struct {
	Name     string    `json:"name"`
	Settings []Setting `json:"settings"`
}

// Setting is a name with its value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Timing holds the times of one kind of transaction, for one virtual user or for all of them, in
// milliseconds.
type Timing struct {
	User    int      `json:"user,omitempty"` // position of the virtual user; 0 for all together
	Name    string   `json:"name"`           // "NEWORD"
	Calls   int64    `json:"calls"`
	Elapsed float64  `json:"elapsed_ms"`
	Min     float64  `json:"min_ms"`
	Avg     float64  `json:"avg_ms"`
	Max     float64  `json:"max_ms"`
	Total   float64  `json:"total_ms"`
	P99     float64  `json:"p99_ms"`
	P95     float64  `json:"p95_ms"`
	P75     *float64 `json:"p75_ms,omitempty"` // nil if it was not recorded
	P50     float64  `json:"p50_ms"`
	P25     *float64 `json:"p25_ms,omitempty"`
	SD      float64  `json:"sd_ms"`
	Ratio   float64  `json:"ratio_pct"` // share of the elapsed time, in percent
}

// SystemMetric is the load of the machine under test at one time. Members that were not recorded
// are nil.
type SystemMetric struct {
	At   time.Time `json:"at"`
	User *float64  `json:"usr_pct,omitempty"`
	Sys  *float64  `json:"sys_pct,omitempty"`
	IRQ  *float64  `json:"irq_pct,omitempty"`
	Idle *float64  `json:"idle_pct,omitempty"`
	IOPS *float64  `json:"iops,omitempty"`
	MBps *float64  `json:"mbps,omitempty"` // megabytes per second
}
