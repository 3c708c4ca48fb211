package pgbench

import (
	"fmt"
	"io"
	"strings"

	"sledge/internal/job"
)

// Tables is what a run has found out about pgbench's tables.
type Tables struct {
	Scale           int
	PartitionMethod string // "" if pgbench_accounts has no partitions
	Partitions      int
}

// Report prints the result of a run, as pgbench does. version is that of this program, and connecting the seconds in
// which the clients connected.
func (s *Statistics) Report(to io.Writer, version string, found Tables, connecting float64, commands []job.Command) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, total := s.arguments, &s.total
	line := func(format string, args ...any) { fmt.Fprintf(to, format+"\n", args...) }
	line("pgbench (%s)", version)
	kind := "multiple scripts"
	if len(a.Scripts) == 1 {
		kind = a.Scripts[0].Title
	}
	line("transaction type: %s", kind)
	line("scaling factor: %d", found.Scale)
	if found.PartitionMethod != "" {
		line("partition method: %s\npartitions: %d", found.PartitionMethod, found.Partitions)
	}
	line("query mode: %s", a.Protocol)
	line("number of clients: %d", a.Clients)
	line("number of threads: %d", a.Jobs)
	if a.MaxTries > 0 {
		line("maximum number of tries: %d", a.MaxTries)
	}
	if a.Duration > 0 {
		line("duration: %d s", a.Duration)
		line("number of transactions actually processed: %d", total.done)
	} else {
		line("number of transactions per client: %d", a.Transactions)
		line("number of transactions actually processed: %d/%d", total.done, a.Transactions*a.Clients)
	}
	s.failures(to, "", total)
	if total.done+total.skipped == 0 {
		return
	}
	if a.Rate > 0 && a.LatencyLimit > 0 {
		line("number of transactions skipped: %d (%.3f%%)", total.skipped, percent(total.skipped, total.all()))
	}
	if a.LatencyLimit > 0 {
		line("number of transactions above the %.1f ms latency limit: %d/%d (%.3f%%)", a.LatencyLimit, total.late, total.done, percent(total.late, total.done))
	}
	if a.Rate > 0 || a.Progress > 0 || a.LatencyLimit > 0 {
		latency(to, "", total)
	} else {
		including := ""
		if total.failed() > 0 {
			including = " (including failures)"
		}
		line("latency average = %.3f ms%s", s.last.Seconds()*1000*float64(a.Clients)/float64(total.all()), including)
	}
	if a.Rate > 0 {
		line("rate limit schedule lag: avg %.3f (max %.3f) ms", total.lag.sum/float64(total.done)/1000, total.lag.max/1000)
	}
	line("initial connection time = %.3f ms", connecting*1000)
	tps := func(n int64) float64 { return float64(n) / s.last.Seconds() }
	line("tps = %f (without initial connection time)", tps(total.done))
	if len(a.Scripts) == 1 {
		s.commands(to, "", commands)
		return
	}
	sum := 0
	for _, one := range a.Scripts {
		sum += one.Weight
	}
	for i, one := range a.Scripts {
		c := &s.scripts[i]
		line("SQL script %d: %s", i+1, one.Title)
		line(" - weight: %d (targets %.1f%% of total)", one.Weight, 100*float64(one.Weight)/float64(sum))
		line(" - %d transactions (%.1f%% of total, tps = %f)", c.done, percent(c.done, total.done), tps(c.done))
		s.failures(to, " - ", c)
		if a.Rate > 0 && a.LatencyLimit > 0 {
			line(" - number of transactions skipped: %d (%.3f%%)", c.skipped, percent(c.skipped, c.all()))
		}
		if a.LatencyLimit > 0 {
			line(" - number of transactions above the %.1f ms latency limit: %d/%d (%.3f%%)", a.LatencyLimit, c.late, c.done, percent(c.late, c.done))
		}
		latency(to, " - ", c)
		own := 0 // the number of commands of this script
		for own < len(commands) && commands[own].Kind == commands[0].Kind {
			own++
		}
		s.commands(to, " - ", commands[:own])
		commands = commands[own:]
	}
}

// commands prints the mean times of the commands of a script, if they were asked for.
func (s *Statistics) commands(to io.Writer, before string, list []job.Command) {
	if !s.arguments.PerCommand {
		return
	}
	also := " and failures"
	if s.arguments.MaxTries != 1 {
		also = ", failures and retries"
	}
	fmt.Fprintf(to, "%sstatement latencies in milliseconds%s:\n", before, also)
	for _, c := range list {
		mean := 0.0
		if c.Done > 0 {
			mean = c.Seconds * 1000 / float64(c.Done)
		}
		fmt.Fprintf(to, "   %11.3f  %10d", mean, c.Failed)
		if s.arguments.MaxTries != 1 {
			fmt.Fprintf(to, "  %10d", c.Retried)
		}
		text, _, _ := strings.Cut(c.Text, "\n")
		fmt.Fprintf(to, "  %s\n", text)
	}
}

// percent returns a share in percent; NaN of nothing.
func percent(n, of int64) float64 { return 100 * float64(n) / float64(of) }

// latency prints the mean and the standard deviation.
func latency(to io.Writer, before string, c *counts) {
	if c.latency.count == 0 {
		return
	}
	fmt.Fprintf(to, "%slatency average = %.3f ms\n%slatency stddev = %.3f ms\n", before, c.latency.mean(), before, c.latency.deviation())
}

// failures prints the failed and the repeated transactions.
func (s *Statistics) failures(to io.Writer, before string, c *counts) {
	line := func(what string, n int64) {
		fmt.Fprintf(to, "%snumber of %s: %d (%.3f%%)\n", before, what, n, percent(n, c.all()))
	}
	line("failed transactions", c.failed())
	if s.arguments.FailuresDetailed {
		line("serialization failures", c.serialization)
		line("deadlock failures", c.deadlock)
		if s.arguments.ContinueOnError {
			line("other failures", c.other)
		}
	}
	if s.arguments.MaxTries != 1 {
		line("transactions retried", c.retried)
		fmt.Fprintf(to, "%stotal number of retries: %d\n", before, c.retries)
	}
}
