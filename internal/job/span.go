package job

import "time"

// Span is one transaction of a run whose transactions are few and long, so that each is
// kept by itself: what it was, when it ran, and what came of it. Any view of such a run is
// made from its spans.
type Span struct {
	User   int    `json:"user"`             // position of the virtual user
	Kind   string `json:"kind"`             // "query 14"
	Stage  string `json:"stage,omitempty"`  // of the run that it is a part of: "power test"
	Stream int    `json:"stream"`           // that it is a part of, as the workload numbers them; NoStream if it is not part of a stream
	Set    int    `json:"set,omitempty"`    // which time the stream does all of its work, from 1
	Number int    `json:"number,omitempty"` // its place in the set, from 1
	Of     int    `json:"of,omitempty"`     // how many the set has

	From    float64 `json:"from_seconds"` // since users began
	Seconds float64 `json:"seconds"`      // how long it took, of the last try; 0 of one that begins
	Rows    int64   `json:"rows"`         // that it returned; of what changes data what the workload counts it in, as orders
	Retries int     `json:"retries,omitempty"`

	// Outcome says how it ended; "" of one that begins.
	Outcome SpanOutcome `json:"outcome,omitempty"`
	Class   string      `json:"class,omitempty"` // of failure
	Message string      `json:"message,omitempty"`
}

// NoStream is the stream of a transaction that is not part of one.
const NoStream = -1

// Done reports whether the transaction did what it was to do.
func (s Span) Done() bool { return s.Outcome == SpanDone }

// Time returns how long it took.
func (s Span) Time() time.Duration { return time.Duration(s.Seconds * float64(time.Second)) }

// Answer is what a query asked and what it got, before its span ends.
type Answer struct {
	Kind    string     `json:"kind"`              // "query 14"
	Text    string     `json:"text" long:"true"`  // what was asked
	Columns []string   `json:"columns,omitempty"` // none for a query that failed
	Rows    [][]string `json:"rows,omitempty"`    // the first of them, as text; a NULL is NULL
	More    int64      `json:"more,omitempty"`    // rows that there were behind these
}

// SpanOutcome says how a span ended.
type SpanOutcome string

// The outcomes of spans.
const (
	SpanDone   SpanOutcome = "done"
	SpanFailed SpanOutcome = "failed"
	SpanCutOff SpanOutcome = "cut off" // by the end of the run
)
