package manual

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/workload"
)

// ModesName is the file name of the page about options and modes.
const ModesName = "modes.md"

const defaultUsers = 4

// modesOfWorkload returns the modes of a workload: the common ones, and its own.
func modesOfWorkload(w *workload.Workload) []workload.Mode {
	if w.Users.Finite {
		return append(slices.Clone(w.Modes), workload.Mode{Name: "first failure ends", Set: "stop_on_failure=true"})
	}
	return append([]workload.Mode{
		{Name: "closed loop"},
		{Name: "rate", Set: "rate=500/s"},
		{Name: "steps", Set: "steps=2,4"},
		{Name: "shared connections", Set: "connections=2"},
		{Name: "reconnect", Set: "reconnect=true"},
		{Name: "first failure ends", Set: "stop_on_failure=true"},
		{Name: "ledger", Set: "ledger=true"},
		{Name: "test", Set: "driver=test"},
	}, w.Modes...)
}

// samples has values that differ from the defaults, for options whose declarations provide none.
var samples = map[string]string{
	"rampup": "1", "duration": "3", "user_delay": "1ms", "rate": "100/s", "skip_late": "1ms", "steps": "1,4", "reconnect_limit": "1m", "reconnect_delay": "1s", "connections": "2",
	"fail_if": "failed>1%", "agents": "db1", "loops": "0", "keying_time": "1,1,1,1,1", "think_time": "1,1,1,1,1", "mix": "5,5,1,1,1", "time_limit": "9", "query_limit": "3",
	"prefix": "other", "bulk_folder": "/rows", "bulk_folder_on_server": "/there", "iterations": "500", "parallel_workers": "4",
}

// untried lists the options of runs that are not in the tables, because they need a file.
var untried = []string{"pool_file", "connect_pool"}

// Sample returns a value of an option that differs from its default.
func Sample(o option.Description) (value string, known bool) {
	if value, known = samples[o.Name]; known {
		return value, true
	}
	switch {
	case len(o.Choices) > 0:
		for _, choice := range o.Choices {
			if choice != o.Default {
				return choice, true
			}
		}
	case o.Kind == "bool":
		return strconv.FormatBool(o.Default == "false"), true
	case o.Kind == "int" || o.Kind == "float64":
		n, err := strconv.Atoi(o.Default)
		return strconv.Itoa(n + 1), err == nil
	}
	return "", false
}

// ModesPage returns the page that lists, for each option of runs, the modes in which it has an
// effect and the modes in which it is refused. It tries each combination.
func ModesPage(b settings.Resolver) ([]byte, error) {
	var page bytes.Buffer
	page.WriteString("# Options and modes\n\n<!-- Written by go generate ./internal/cli from the declarations; do not edit. -->\n\n")
	page.WriteString(modesIntroduction)
	for _, w := range b.Workloads {
		if err := modesOf(&page, b, w); err != nil {
			return nil, err
		}
	}
	return page.Bytes(), nil
}

const modesIntroduction = `An option of a run has an effect, or Sledge refuses the run before it changes anything. The tables below show
what happens to each option of a run, with a value other than its default, in each mode.

- **effect**: the option changes what the run does.
- **refused**: the option would have no effect, or contradicts the mode. The message names the option, its value
  and the way out, and the exit code is 2.

An option is refused if it was set for this run only: by a flag, by ` + "`--set`" + `, by ` + "`--url`" + `, or in a request to the web
API. Files, the environment and saved connections contain settings for many runs. If one of these sets an option that has
no effect in a run, the run continues, and a warning names the option. The console gives no warning, because its
dictionary always contains a value for each option. The default value of an option is always accepted.
On the command line, an option of another action is refused too: ` + "`--set warehouses=10`" + ` of a run.

Two values are accepted although they change nothing: ` + "`client_sql=true`" + ` on SQLite, which has no stored
routines, and ` + "`loops=0`" + ` on embedded databases, whose virtual users are always goroutines. The options ` + "`pool_file`" + ` and
` + "`connect_pool`" + ` need a file, and have an effect in every mode. They are refused with ` + "`connections`" + ` and ` + "`ledger`" + `, and on
embedded databases.

Several numbers of virtual users (` + "`--users 4,8`" + `) start a run for each. They go with every option except ` + "`steps`" + ` that sets the
number of users itself. An option must have an effect with the greatest number.

Flags of ` + "`sledge run`" + ` that are not options are refused in the same way if they would have no effect: ` + "`--profile`" + ` with ` + "`--no-repo`" + `,
` + "`--repo`" + ` with ` + "`--no-repo`" + ` (unless ` + "`--connection`" + ` names a connection in it), ` + "`--details`" + ` with ` + "`--json`" + `, ` + "`--json`" + ` and
` + "`--dry-run`" + ` with ` + "`--as`" + `, ` + "`--interval`" + ` and ` + "`--profile`" + ` in a test, and ` + "`--details`" + ` and lines for scripts with several runs unless
` + "`--verbose`" + ` shows each run. A test gives each pair of these flags. With ` + "`--dry-run`" + ` and ` + "`--as`" + `, other flags are accepted,
because the run that follows from the same command will use them.
`

// subject is a pair on which options are tried.
type subject struct {
	catalog.Pair
	options []option.Description
	has     []workload.Mode // the modes that the pair can run
}

// find returns an option of the pair.
func (s subject) find(name string) (option.Description, bool) {
	i := slices.IndexFunc(s.options, func(d option.Description) bool { return d.Name == name })
	if i < 0 {
		return option.Description{}, false
	}
	return s.options[i], true
}

// subjects returns the pairs to try for a workload: the first pair with an embedded database, the
// first with a server, and those with options of their own for runs.
func subjects(b settings.Resolver, w *workload.Workload) (list []subject) {
	tried := map[bool]bool{} // embedded databases and servers
	for pair := range b.Pairs() {
		if pair.Workload != w {
			continue
		}
		s := subject{Pair: pair}
		kind := pair.Database.Embedded()
		for _, o := range pair.Options() {
			if o.Needs == "" || !slices.Contains(o.Actions, string(job.Run)) || o.Soon || slices.Contains(untried, o.Name) {
				continue
			}
			s.options = append(s.options, o)
		}
		if tried[kind] { // the common options have been tried
			own := option.Texts(pair.Fresh().Connection)
			s.options = slices.DeleteFunc(s.options, func(o option.Description) bool { _, is := own[o.Name]; return !is })
		}
		tried[kind] = true
		for _, m := range modesOfWorkload(w) {
			if len(s.options) > 0 && Try(b, pair, valuesOf(m), m.Users) == nil { // Redis, for example, cannot be audited
				s.has = append(s.has, m)
			}
		}
		list = append(list, s)
	}
	return list
}

func modesOf(page *bytes.Buffer, b settings.Resolver, w *workload.Workload) error {
	all := subjects(b, w)
	var options []option.Description
	for _, s := range all {
		for _, o := range s.options {
			if !slices.ContainsFunc(options, func(other option.Description) bool { return other.Name == o.Name }) {
				options = append(options, o)
			}
		}
	}
	fmt.Fprintf(page, "\n## %s\n\n| Mode | Given |\n|---|---|\n", w.Title)
	head, line := "| Option | Has an effect with |", "|---|---|"
	for _, m := range modesOfWorkload(w) {
		fmt.Fprintf(page, "| %s | %s |\n", m.Name, code(given(m)))
		head, line = head+" "+m.Name+" |", line+"---|"
	}
	fmt.Fprintf(page, "\n%s\n%s\n", head, line)
	for _, o := range options {
		fmt.Fprintf(page, "| `%s` | %s |", o.Name, needsInWords(o))
		for _, m := range modesOfWorkload(w) {
			cell, err := modeCell(b, all, o.Name, m)
			if err != nil {
				return err
			}
			fmt.Fprintf(page, " %s |", cell)
		}
		page.WriteString("\n")
	}
	return nil
}

// given returns the arguments of sledge run for a mode.
func given(m workload.Mode) string {
	words := []string{}
	for _, set := range strings.Fields(m.Set) {
		words = append(words, "--set "+set)
	}
	return strings.Join(append(words, fmt.Sprintf("--users %d", cmp.Or(m.Users, defaultUsers))), " ")
}

// needsInWords describes the settings with which an option has an effect.
func needsInWords(o option.Description) string {
	if o.Needs == option.Nothing {
		return "any"
	}
	return code(strings.NewReplacer(",", " and ", "|", " or ").Replace(o.Needs))
}

// modeCell returns the effect of an option in a mode. If databases differ, it names the ones that
// refuse the option.
func modeCell(b settings.Resolver, all []subject, name string, m workload.Mode) (string, error) {
	if _, is := valuesOf(m)[name]; is {
		return "the mode", nil
	}
	var refusing []string
	tried := 0
	for _, s := range all {
		o, has := s.find(name)
		if !has || !slices.ContainsFunc(s.has, func(other workload.Mode) bool { return other.Name == m.Name }) {
			continue
		}
		value, known := Sample(o)
		if !known {
			return "", fmt.Errorf("option %s: give it a sample", name)
		}
		tried++
		with := valuesOf(m)
		with[name] = value
		if Try(b, s.Pair, with, m.Users) != nil {
			refusing = append(refusing, s.Database.Title)
		}
	}
	switch {
	case tried == 0:
		return "no such mode", nil
	case len(refusing) == 0:
		return "effect", nil
	case len(refusing) == tried:
		return "refused", nil
	}
	return "effect; refused on " + strings.Join(refusing, ", "), nil
}

// valuesOf returns the options that a mode sets.
func valuesOf(m workload.Mode) option.Values {
	values := option.Values{}
	for _, set := range strings.Fields(m.Set) {
		name, value, _ := strings.Cut(set, "=")
		values[name] = value
	}
	return values
}

// Try returns the error with which a run with these values is refused, or nil.
func Try(b settings.Resolver, pair catalog.Pair, values option.Values, users int) error {
	order, err := b.Order(job.Spec{
		Action: job.Run, Database: pair.Database.Name, Workload: pair.Workload.Name, Options: values, Users: cmp.Or(users, defaultUsers),
	})
	if err != nil {
		return err
	}
	if idle := order.Plan.Idle(); len(idle) > 0 {
		return idle[0].Refusal(nil)
	}
	return nil
}
