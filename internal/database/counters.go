package database

import (
	"fmt"
	"strings"
)

// CounterSource has the values of one of the server's views of its own counters, at the moment of a
// reading.
type CounterSource struct {
	Name   string // "pg_stat_wal"
	Values []CounterValue
	Err    error // why the server did not show them; Values is nil then
}

// CounterValue is the value of a counter.
type CounterValue struct {
	Of    string // the object that it counts, such as a table; "" if the source counts one thing only
	Name  string // as the server calls it: "wal_bytes"
	Value string // a number; of an epoch, any text
}

// CounterRate is a counter that a run reads once a second.
type CounterRate struct {
	Series, Of, Unit string // "server's WAL", "", "MB/s"
	Value            float64
}

// CounterKind says how two readings of a counter are compared.
type CounterKind string

// The kinds of counters.
const (
	Growing CounterKind = "count" // it only grows, unless it is reset: its growth is the result
	Level   CounterKind = "level" // it goes up and down: both readings are the result
	Epoch   CounterKind = "epoch" // a text that changes if the counters of its source are reset
	Clock   CounterKind = "clock" // the seconds since the counters of its source were reset
)

// Counter describes a counter of a server.
type Counter struct {
	Kind    CounterKind
	Unit    string // "bytes"; "" for a number
	Means   string // in a few words
	Summary bool   // summaries of a run show it
}

// Counters describe the counters of a server, by source and name.
type Counters map[string]map[string]Counter

// MustParseCounters parses descriptions of counters: a line such as [pg_stat_wal] names the source of the
// lines below it, which have the kind, the unit or -, the name, and the meaning of a counter. A * after the
// kind marks counters that summaries show. A line that begins with # is a comment. It panics if a line
// is wrong, because the text is part of the program.
func MustParseCounters(text string) Counters {
	all := Counters{}
	source := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, is := strings.CutPrefix(line, "["); is {
			source = strings.TrimSuffix(name, "]")
			all[source] = map[string]Counter{}
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 || source == "" {
			panic(fmt.Sprintf("the line %q does not describe a counter", line))
		}
		kind, summary := strings.CutSuffix(fields[0], "*")
		c := Counter{Kind: CounterKind(kind), Means: strings.Join(fields[3:], " "), Summary: summary}
		if fields[1] != "-" {
			c.Unit = fields[1]
		}
		switch c.Kind {
		case Growing, Level, Epoch, Clock:
		default:
			panic(fmt.Sprintf("the line %q has no kind of counter", line))
		}
		all[source][strings.ToLower(fields[2])] = c
	}
	return all
}

// Of returns the description of a counter, and whether there is one. Names are compared without regard
// to case.
func (c Counters) Of(source, name string) (Counter, bool) {
	found, known := c[source][strings.ToLower(name)]
	return found, known
}
