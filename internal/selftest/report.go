package selftest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sledge/internal/job"
)

// Schema is the name of the report's format as a JSON document.
const Schema = "sledge-selftest-1"

// Report is the result of a self-test, for the developers of Sledge: without passwords, and
// with names of machines only if requested.
type Report struct {
	Schema   string `json:"schema"` // always Schema
	Sledge   string `json:"sledge_version"`
	Database string `json:"database"` // the name of the chosen database: "postgresql"
	Title    string `json:"title"`

	// Server is the server's version in its own words, Product the actual product if it is not the
	// chosen one, and Settings its settings. Empty if the log-in failed.
	Server     string            `json:"server,omitempty"`
	Product    string            `json:"product,omitempty"`
	Unproven   string            `json:"unproven,omitempty"` // parts that Sledge's tests have never run on such a server
	Settings   map[string]string `json:"server_settings,omitempty"`
	Durability *job.Durability   `json:"durability,omitempty"`

	Client   job.Host          `json:"client"`           // the machine that Sledge ran on
	Options  map[string]string `json:"options"`          // options that differ from their defaults, without secrets
	Hidden   []string          `json:"hidden,omitempty"` // options whose values are left out
	Measured float64           `json:"measured_seconds"` // of each timed run

	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Stopped bool      `json:"stopped,omitempty"` // early, by the user

	Steps []Step `json:"steps"`

	// LeftBehind lists what the test created, or may have created, and could not remove, and how to
	// remove it.
	LeftBehind []string `json:"left_behind,omitempty"`
}

// Step is one step of a self-test.
type Step struct {
	holds bool // whether it has parts

	Name    string   `json:"name"` // the steps that it is part of, then its own name: "sessions / loads"
	Outcome Outcome  `json:"outcome"`
	Seconds float64  `json:"seconds"`         // without its parts
	Says    []string `json:"says,omitempty"`  // the errors in the server's words, or why the step was skipped
	Notes   []string `json:"notes,omitempty"` // further useful messages
}

// Outcome is the outcome of a step.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped" // it does not apply to this database
	Stopped Outcome = "stopped" // it was running when the test was stopped
	NotRun  Outcome = "not run"
)

// Count returns the number of steps with an outcome.
func (r Report) Count(outcome Outcome) (n int) {
	for _, s := range r.Steps {
		if s.Outcome == outcome {
			n++
		}
	}
	return n
}

// Verdict summarizes the report in a line.
func (r Report) Verdict() string {
	text := fmt.Sprintf("%d of %d steps passed", r.Count(Passed), len(r.Steps))
	for _, o := range []Outcome{Failed, Skipped, Stopped, NotRun} {
		if n := r.Count(o); n > 0 {
			text += fmt.Sprintf(", %d %s", n, map[Outcome]string{Failed: "failed", Skipped: "not applicable to this database", Stopped: "stopped", NotRun: "not run"}[o])
		}
	}
	return text
}

// Mark returns the sign of a step's outcome in a list.
func (s Step) Mark() string { return marks[s.Outcome] }

var marks = map[Outcome]string{Passed: "ok", Failed: "FAILED", Skipped: "skipped", Stopped: "stopped", NotRun: "not run"}

// Markdown returns the report as text to read and to send.
func (r Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Self-test of Sledge %s on %s\n\n**%s.**\n\n", r.Sledge, r.Title, r.Verdict())
	b.WriteString("This report contains no passwords. Please read it before you send it.\n\n")
	list := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", name, inline(value))
		}
	}
	list("Server", r.Server)
	list("What answered", r.Product)
	list("Not tested by Sledge before", r.Unproven)
	if d := r.Durability; d != nil {
		list("Commits survive a power failure", fmt.Sprintf("%t, %s", d.Holds, d.Why))
	}
	list("Client", strings.TrimSpace(fmt.Sprintf("%s %s %s, %s, %d CPUs", r.Client.OS, r.Client.Kernel, r.Client.Arch, r.Client.CPU, r.Client.CPUs)))
	list("Began", r.Began.UTC().Format("2006-01-02 15:04 UTC"))
	list("Took", round(r.Seconds))
	list("Measured in each timed run", round(r.Measured))
	if r.Stopped {
		list("Stopped", "early, by the user")
	}
	for _, what := range r.LeftBehind {
		list("LEFT BEHIND", what)
	}
	b.WriteString("\n## Options that differ from their defaults\n\n")
	if len(r.Options)+len(r.Hidden) == 0 {
		b.WriteString("None.\n")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		list(name, r.Options[name])
	}
	for _, name := range r.Hidden {
		list(name, "(set; left out here)")
	}
	b.WriteString("\n## Steps\n\n| outcome | seconds | step |\n|---|---|---|\n")
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "| %s | %.1f | %s |\n", s.Mark(), s.Seconds, strings.ReplaceAll(inline(s.Name), "|", "\\|"))
	}
	b.WriteString("\n## What they said\n")
	for _, s := range r.Steps {
		if len(s.Says)+len(s.Notes) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s: %s\n\n", s.Mark(), inline(s.Name))
		quote(&b, s.Says)
		if len(s.Says) > 0 && len(s.Notes) > 0 {
			b.WriteString("\nAnd:\n\n")
		}
		quote(&b, s.Notes)
	}
	if len(r.Settings) > 0 {
		b.WriteString("\n## Server settings\n\n")
		for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
			list(name, r.Settings[name])
		}
	}
	return b.String()
}

// quote writes each text unchanged, as a block of lines.
func quote(b *strings.Builder, texts []string) {
	for _, text := range texts {
		b.WriteString("    " + strings.ReplaceAll(printable(text), "\n", "\n    ") + "\n")
	}
}

// inline returns text on one line.
func inline(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// printable removes control characters, which could change what a terminal or a page shows.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return '?'
		}
		return c
	}, text)
}

// round formats a time in a few characters.
func round(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond).String()
}
