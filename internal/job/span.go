package job

import "time"

// Span is one transaction of a finite run: its kind, its time and its outcome. The transactions of
// such a run are few and long, so each has a span, and all views of the run use the spans.
type Span struct {
	User   int    `json:"user"`             // position of the virtual user
	Kind   string `json:"kind"`             // "query 14"
	Stage  string `json:"stage,omitempty"`  // the stage of the run that it belongs to: "power test"
	Stream int    `json:"stream"`           // the stream that it belongs to, by the workload's number; NoStream if there is none
	Set    int    `json:"set,omitempty"`    // number of the repetition of the stream's transactions, from 1
	Number int    `json:"number,omitempty"` // its place in the set, from 1
	Of     int    `json:"of,omitempty"`     // the number of transactions in the set

	From    float64 `json:"from_seconds"` // since users began
	Seconds float64 `json:"seconds"`      // duration of the last try; 0 when the span begins
	Rows    int64   `json:"rows"`         // rows returned; for changes, the workload's unit, such as orders
	Retries int     `json:"retries,omitempty"`

	// Outcome is how it ended; "" when the span begins.
	Outcome SpanOutcome `json:"outcome,omitempty"`
	Class   string      `json:"class,omitempty"` // the class of the failure
	Message string      `json:"message,omitempty"`
}

// NoStream is the stream of a transaction that belongs to none.
const NoStream = -1

// Done reports whether the transaction succeeded.
func (s Span) Done() bool { return s.Outcome == SpanDone }

// Time returns the duration.
func (s Span) Time() time.Duration { return time.Duration(s.Seconds * float64(time.Second)) }

// Answer is a query with its answer, sent before its span ends.
type Answer struct {
	Kind    string     `json:"kind"`              // "query 14"
	Text    string     `json:"text" long:"true"`  // the query
	Columns []string   `json:"columns,omitempty"` // empty if the query failed
	Rows    [][]string `json:"rows,omitempty"`    // the first rows, as text; a NULL is NULL
	More    int64      `json:"more,omitempty"`    // number of rows after these
}

// SpanOutcome is how a span ended.
type SpanOutcome string

// The outcomes of spans.
const (
	SpanDone   SpanOutcome = "done"
	SpanFailed SpanOutcome = "failed"
	SpanCutOff SpanOutcome = "cut off" // aborted by the end of the run
)
