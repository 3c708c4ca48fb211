package scripts

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/hammerdb/names"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// wayOut ends each refusal of a script of HammerDB's.
const wayOut = "create Sledge's own script with loadscript and savescript, make the change there, and load that"

var (
	reLibrary = regexp.MustCompile(`(?m)^\s*set\s+library\s+"?([\w:]+)"?`)
	reReport  = regexp.MustCompile(`(?:^|[\n;{\[])\s*xtreport\b`)
	reSet     = regexp.MustCompile(`(?:^|[\n;{\[])[ \t]*(set|append|lappend|incr|unset)[ \t]+(\w+)[ \t]+("[^"\n]*"|\{[^}\n]*\}|\[[^;\n]*|[^\s;\]]+)`)
	reMinutes = regexp.MustCompile(`^\[expr\{?\$(\w+)\*60000\}?\]\}?$`)
	reBoolean = regexp.MustCompile(`(?i)^["{]?(?:true|false|yes|no|on|off|0|1)["}]?$`)
	reNumbers = regexp.MustCompile(`^["{\s]*[1-9][\d\s]*["}]?$`)
)

// isForeign reports whether a text is a driver script of HammerDB's.
func isForeign(text string) bool {
	return reLibrary.MatchString(text) && strings.Contains(text, "RandomNumber")
}

// foreignReader reads a script of HammerDB's.
type foreignReader struct {
	text       string // without comments
	saved      *names.SavedScript
	procedures []string          // that do the transactions, in the order of their kinds
	settings   map[string]string // the variables at its top

	// What its loop was found to do.
	keyandthink  bool // whether users keep to the pauses that depend on KEYANDTHINK
	guarded      bool // whether there are such pauses
	paused       bool // whether users pause at all
	fixedThink   bool // whether they wait for a fixed time behind a transaction
	spread       bool // whether they take a warehouse of their share for each transaction
	asynchronous bool // whether they work for several clients each
}

// parseForeign takes over what a script of HammerDB's says of options, mix and
// times. The script is never run. Whatever in the users' loop is not known to it
// is refused, because what it does could not be taken over.
func parseForeign(text string, d *database.Database, w *workload.Workload) (Script, error) {
	of := names.Loading(reLibrary.FindStringSubmatch(text)[1])
	if of.Prefix != names.Of(d.Name).Prefix {
		return Script{}, fmt.Errorf("the script is HammerDB's for %s, but %s is chosen: choose the other with dbset db", cmp.Or(of.Name, "another database"), d.Title)
	}
	b := names.BenchmarkOf(w)
	if b.Saved == nil {
		return Script{}, fmt.Errorf("driver scripts of HammerDB's for %s cannot be taken over: %s", w.Title, wayOut)
	}
	f := foreignReader{
		text:     withoutComments(strings.ReplaceAll(text, "\r\n", "\n")),
		saved:    b.Saved,
		settings: map[string]string{},
	}
	for _, label := range b.Labels {
		f.procedures = append(f.procedures, strings.ToLower(label))
	}
	read, err := f.read(d, w)
	if err != nil {
		return Script{}, fmt.Errorf("%w: %s", err, wayOut)
	}
	return read, nil
}

func (f *foreignReader) read(d *database.Database, w *workload.Workload) (Script, error) {
	saved := savedOptions(d, w)
	if err := f.readSettings(saved); err != nil {
		return Script{}, err
	}
	_, f.asynchronous = f.settings["async_client"]
	values := option.Values{}
	for variable, text := range f.settings {
		values[saved[variable]] = text
	}
	if err := check(d, w, values); err != nil {
		return Script{}, err
	}
	canonical, err := checkValue(d, w, f.saved.Pauses, values[f.saved.Pauses])
	f.keyandthink = err == nil && canonical == "true"
	loop, err := f.findLoop()
	if err != nil {
		return Script{}, err
	}
	branches, err := f.readLoop(loop)
	if err != nil {
		return Script{}, err
	}
	if err := f.checkRest(loop); err != nil {
		return Script{}, err
	}
	script := Script{Values: values, Notes: f.notes()}
	_, script.Timed = f.settings[f.saved.Timed]
	if err := f.decide(func(name, text string) { values[name] = text }, branches); err != nil {
		return Script{}, err
	}
	values[names.BenchmarkOf(w).Driver] = map[bool]string{true: "timed", false: "test"}[script.Timed]
	return script, check(d, w, values)
}

// savedOptions maps the variables at the top of HammerDB's scripts to options, those of
// the workload and those of the database.
func savedOptions(d *database.Database, w *workload.Workload) map[string]string {
	saved := map[string]string{}
	known := options(d, w)
	for variable, key := range names.SavedVariables(d.Name, w.Name) {
		for _, o := range known {
			if names.Short(d.Name, w.Name, o.Name) == key {
				saved[variable] = o.Name
			}
		}
	}
	return saved
}

// readSettings reads the variables that saved has. Each is set once, and not to
// something computed: else what it is when it counts is not certain.
func (f *foreignReader) readSettings(saved map[string]string) error {
	for _, m := range reSet.FindAllStringSubmatchIndex(f.text, -1) {
		verb, variable, value := f.text[m[2]:m[3]], f.text[m[4]:m[5]], f.text[m[6]:m[7]]
		if _, known := saved[variable]; !known {
			continue
		}
		_, before := f.settings[variable]
		minutes := reMinutes.FindStringSubmatch(piece{text: value}.compact())
		switch {
		case verb == "set" && !before:
			f.settings[variable] = strings.Trim(value, `"{}`)
		case verb == "set" && minutes != nil && minutes[1] == variable:
			// Who times the run makes milliseconds of minutes.
		case f.saved.Variables[variable] == "" && !reBoolean.MatchString(value):
			// A procedure of the database's may have a variable of the same name.
		default:
			return f.errorf(m[4], "%s is changed after it was set", variable)
		}
	}
	return nil
}

// decide sets the options that the loop decides, and those it needs to know for that.
func (f *foreignReader) decide(set func(name, text string), branches map[string]branch) error {
	var mix, keying, thinking []string
	for _, procedure := range f.procedures {
		b := branches[procedure]
		mix, keying, thinking = append(mix, strconv.Itoa(b.weight)), append(keying, b.seconds()), append(thinking, cmp.Or(b.thinking, "0"))
	}
	set(f.saved.Mix, strings.Join(mix, ","))
	if _, said := f.settings["KEYANDTHINK"]; f.guarded && !said {
		return errors.New("its users pause, but no line at its top sets KEYANDTHINK")
	}
	if f.paused || f.keyandthink {
		set(f.saved.Pauses, "true")
		set(f.saved.Keying, strings.Join(keying, ","))
		set(f.saved.Thinking, strings.Join(thinking, ","))
	}
	all, err := f.literal("allwarehouses")
	switch {
	case err != nil:
		return err
	case f.spread && all == "":
		return errors.New("the loop asks for allwarehouses, but no line at its top sets it")
	case !f.spread && all == "true":
		return errors.New("allwarehouses is true, but the loop does not choose among them")
	}
	set(f.saved.Spread, strconv.FormatBool(all == "true"))
	profile, err := f.literal("timeprofile")
	if err != nil {
		return err
	}
	set(f.saved.TimeProfile, strconv.FormatBool(reReport.MatchString(plain(f.text)) && profile != "false"))
	set(f.saved.Asynchronous, strconv.FormatBool(f.asynchronous))
	return nil
}

// literal returns true, false, or "" where the script does not set the variable.
// HammerDB compares it with the word "true", so that other booleans would be wrong.
func (f *foreignReader) literal(variable string) (string, error) {
	value := f.settings[variable]
	if value != "" && value != "true" && value != "false" {
		return "", fmt.Errorf("%s is %q, which is neither true nor false", variable, value)
	}
	return value, nil
}

// notes are what whoever loads the script should know.
func (f *foreignReader) notes() []string {
	notes := []string{
		"HammerDB's script was read, not run: print script shows what was taken over",
		"Server, user and password are the dictionary's",
	}
	if f.fixedThink {
		notes = append(notes, "Fixed pauses behind a transaction count as keying time, since thinking times are drawn")
	}
	if f.paused && !f.keyandthink {
		notes = append(notes, "Its users pause whatever KEYANDTHINK says, so keyandthink is true")
	}
	return notes
}

// checkRest looks at what stands around the loop, as far as it would change what users
// do in it.
func (f *foreignReader) checkRest(loop piece) error {
	around := f.text[:loop.at] + strings.Repeat(" ", len(loop.text)) + f.text[loop.at+len(loop.text):]
	again := regexp.MustCompile(`(?:^|[\n;{\[])[ \t]*(` + strings.Join(f.procedures, "|") + `)[ \t]+\$`)
	if m := again.FindStringSubmatchIndex(around); m != nil {
		return f.errorf(m[2], "%s is called outside the loop of transactions, too", f.text[m[2]:m[3]])
	}
	for _, m := range reSet.FindAllStringSubmatchIndex(around, -1) {
		variable, value := f.text[m[4]:m[5]], f.text[m[6]:m[7]]
		if slices.Contains(f.saved.Drawn, variable) && reNumbers.MatchString(value) {
			return f.errorf(m[4], "%s is set to %s instead of being found out", variable, strings.Trim(value, `"{} `))
		}
	}
	if err := f.checkTransactions(); err != nil {
		return err
	}
	if f.asynchronous {
		return nil // clients wait for their turn to log in
	}
	// What the loop holds was read, so that each wait in it is a pause that is known.
	waits := reAfter.ReplaceAllStringFunc(loop.text, func(s string) string { return strings.Repeat(" ", len(s)) })
	return checkPauses(f.text[:loop.at] + waits + f.text[loop.at+len(loop.text):])
}

// reChanges finds SQL that changes rows.
var reChanges = regexp.MustCompile(`(?i)\b(?:insert\s+into|delete\s+from|update\s+\w+\s+set)\b`)

// checkTransactions refuses transactions that are made of SQL, and not of calls of stored
// routines: what it says could not be taken over.
func (f *foreignReader) checkTransactions() error {
	all, err := procedures(f.text)
	if err != nil {
		return err
	}
	for _, p := range all {
		if slices.Contains(f.procedures, p.name) && reChanges.MatchString(p.body) {
			return f.errorf(p.start, "proc %s sends SQL of its own, and does not call a stored routine (the option no_stored_procs has Sledge send its SQL)", p.name)
		}
	}
	return nil
}

// errorf names the line of the script that a position is in.
func (f *foreignReader) errorf(at int, format string, arguments ...any) error {
	line := 1 + strings.Count(f.text[:at], "\n")
	return fmt.Errorf("line %d: %w", line, fmt.Errorf(format, arguments...))
}
