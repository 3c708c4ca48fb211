package scripts

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/hammerdb/names"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// wayOut is the advice at the end of each refusal of a HammerDB script.
const wayOut = "create Sledge's own script with loadscript and savescript, make the change there, and load that"

var (
	reLibrary = regexp.MustCompile(`(?m)^\s*set\s+library\s+"?([\w:]+)"?`)
	reOwn     = regexp.MustCompile(`(?m)^\s*set\s+` + versionName + `\b`)
	reReport  = regexp.MustCompile(`(?:^|[\n;{\[])\s*xtreport\b`)
	reSet     = regexp.MustCompile(`(?:^|[\n;{\[])[ \t]*(set|append|lappend|incr|unset)[ \t]+(\w+)[ \t]+("[^"\n]*"|\{[^}\n]*\}|\[[^;\n]*|[^\s;\]]+)`)
	reTopText = regexp.MustCompile(`(?m)^[ \t]*set[ \t]+\w+[ \t]+"[^"\n]*"`)
	reMarker  = regexp.MustCompile(`(?m)^[ \t]*#EDITABLE OPTIONS#*[ \t]*$`)
	reScaled  = regexp.MustCompile(`^\[expr\{?\$(\w+)\*(\d+)\}?\]\}?$`)
	reNumbers = regexp.MustCompile(`^["{\s]*[1-9][\d\s]*["}]?$`)

	// rePool matches text that occurs only in a script with a connect pool: its lines of output,
	// and the policies for choosing a connection.
	rePool = regexp.MustCompile(`(?i)CLIENT SIDE TPM|processed neworder|\bround_robin\b|policy\b|cpool\b`)

	// reCloud matches the line that announces a cloud analytic query.
	reCloud = regexp.MustCompile(`\bof 13\)`)
)

// isForeign reports whether a text is a driver script of HammerDB.
func isForeign(text string) bool { return reLibrary.MatchString(text) && !reOwn.MatchString(text) }

// foreignReader reads a driver script of HammerDB.
type foreignReader struct {
	text       string // without comments, and without braces in the quoted texts at the top
	saved      *names.SavedScript
	options    map[string]string // options by the variables at the top, in lower case
	procedures []string          // names of the transactions' procedures, in the order of the kinds
	settings   map[string]string // values of the variables at the top, in lower case
	settled    map[string]string // settings that the script changes before its users work
	bodies     map[string]string // bodies of the script's procedures, by name
	top, end   int               // the range of the settings
	firsts     map[string]int    // position of each setting
	assigned   []assignment      // assignments to settings
	defined    []procedure       // procedures of the script
	clientSQL  bool              // whether transactions send SQL instead of calling stored routines
	pooled     bool              // whether the script chooses among several connections

	// Findings about the loop of transactions.
	keyandthink  bool // whether KEYANDTHINK is true, so that guarded pauses take place
	guarded      bool // whether there are pauses that depend on KEYANDTHINK
	paused       bool // whether users pause at all
	fixedThink   bool // whether users wait for a fixed time after a transaction
	spread       bool // whether users draw a warehouse of their share for each transaction
	asynchronous bool // whether each user works for several clients
}

// parseForeign reads the options, the mix and the pauses of a HammerDB script, without running it.
// It refuses the script if the loop of transactions contains unknown statements.
func parseForeign(text string, d *database.Database, w *workload.Workload) (Script, error) {
	of := names.Loading(reLibrary.FindStringSubmatch(text)[1])
	if of.Prefix != names.Of(d.Name).Prefix {
		return Script{}, fmt.Errorf("the script is HammerDB's for %s, but %s is chosen: choose the other with dbset db", cmp.Or(of.Name, "another database"), d.Title)
	}
	b := names.BenchmarkOf(w)
	switch is := names.SavedFor(text); {
	case is.Saved == nil:
		return Script{}, fmt.Errorf("the script loads HammerDB's library for %s, but is not one of its driver scripts, which set total_iterations or total_querysets: %s", d.Title, wayOut)
	case is.Workload != w.Name:
		return Script{}, fmt.Errorf("the script is HammerDB's for %s, but %s is chosen: choose the other with dbset bm %s", is.Title, w.Title, is.Name)
	}
	f := newForeignReader(text, d, w, b)
	read, err := f.read(d, w)
	if err != nil {
		return Script{}, fmt.Errorf("%w: %s", err, wayOut)
	}
	return read, nil
}

func newForeignReader(text string, d *database.Database, w *workload.Workload, b names.Benchmark) *foreignReader {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	f := &foreignReader{
		saved: b.Saved, options: savedOptions(d, w), settings: map[string]string{}, settled: map[string]string{}, end: len(text),
	}
	for _, label := range b.Labels {
		f.procedures = append(f.procedures, strings.ToLower(label))
	}
	if marks := reMarker.FindAllStringIndex(text, 2); len(marks) == 2 {
		f.top, f.end = marks[0][1], marks[1][0]
	}
	// A password in quotes may contain braces, which have no meaning there.
	text = reTopText.ReplaceAllStringFunc(text, func(line string) string { return strings.Map(withoutBraces, line) })
	f.text = withoutComments(text)
	return f
}

// withoutBraces replaces a character that structures a script by a blank.
func withoutBraces(r rune) rune {
	if strings.ContainsRune(`{}[];#\`, r) {
		return ' '
	}
	return r
}

func (f *foreignReader) read(d *database.Database, w *workload.Workload) (Script, error) {
	f.readSettings()
	values := option.Values{}
	script := Script{Values: values}
	if len(f.procedures) == 0 {
		return f.readQueries(d, w)
	}
	_, f.asynchronous = f.settings["async_client"]
	f.pooled = rePool.MatchString(f.text)
	var err error
	if f.defined, err = procedures(f.text); err != nil {
		return Script{}, err
	}
	f.bodies = map[string]string{}
	for _, p := range f.defined {
		f.bodies[p.name] += "\n" + p.body
	}
	if f.clientSQL, err = f.sendsSQL(); err != nil {
		return Script{}, err
	}
	loops, err := f.findLoops()
	if err != nil {
		return Script{}, err
	}
	if err := f.checkChanges(loops); err != nil {
		return Script{}, err
	}
	maps.Copy(f.settings, f.settled)
	f.take(values)
	if err := check(d, w, values); err != nil {
		return Script{}, err
	}
	canonical, err := checkValue(d, w, f.saved.Pauses, values[f.saved.Pauses])
	f.keyandthink = err == nil && canonical == "true"
	branches, err := f.readLoops(loops)
	if err != nil {
		return Script{}, err
	}
	if err := f.checkRest(loops); err != nil {
		return Script{}, err
	}
	script.Notes = f.notes()
	_, script.Timed = f.settings[f.saved.Timed]
	if err := f.decide(func(name, text string) { values[name] = text }, branches); err != nil {
		return Script{}, err
	}
	values[names.BenchmarkOf(w).Driver] = map[bool]string{true: "timed", false: "test"}[script.Timed]
	return script, check(d, w, values)
}

// readQueries reads a script of queries. It reads only the settings, because Sledge runs its own
// texts of the queries.
func (f *foreignReader) readQueries(d *database.Database, w *workload.Workload) (Script, error) {
	for _, c := range f.changes() {
		if _, _, within := blockAround(f.text, c.at); !within && c.isLiteral() && c.value != f.settings[c.variable] {
			return Script{}, f.twice(c)
		}
	}
	values := option.Values{}
	f.take(values)
	if cloud := f.options[f.saved.Cloud]; cloud != "" { // HammerDB has a separate script for these
		values[cloud] = strconv.FormatBool(reCloud.MatchString(f.text))
	}
	return Script{Values: values, Notes: []string{
		"HammerDB's script was read, not run: print script shows what was taken over",
		"Its queries were not read: Sledge runs its own, with parameters as the standard asks, on the scale factor of the schema",
		"Server, user and password are the dictionary's",
	}}, check(d, w, values)
}

// take copies the settings to values.
func (f *foreignReader) take(values option.Values) {
	for variable, text := range f.settings {
		values[f.options[variable]] = text
	}
}

// savedOptions maps the variables at the top of HammerDB's scripts, in lower case, to options of
// the workload and of the database.
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

// assignment is a statement that sets one of the variables at the top of a script.
type assignment struct {
	at              int
	verb            string
	variable, value string // in lower case; without quotes
	raw             string
}

// isLiteral reports whether the value is a constant.
func (a assignment) isLiteral() bool { return a.verb == "set" && !strings.ContainsAny(a.value, "$[") }

// changes lists the assignments that are not settings at the top of the script.
func (f *foreignReader) changes() []assignment {
	var list []assignment
	for _, a := range f.assignments() {
		if !f.isSetting(a) {
			list = append(list, a)
		}
	}
	return list
}

func (f *foreignReader) assignments() []assignment {
	if f.assigned != nil {
		return f.assigned
	}
	list := []assignment{}
	for _, m := range reSet.FindAllStringSubmatchIndex(f.text, -1) {
		a := assignment{at: m[4], verb: f.text[m[2]:m[3]], variable: strings.ToLower(f.text[m[4]:m[5]]), raw: f.text[m[6]:m[7]]}
		a.value = strings.TrimSpace(strings.Trim(a.raw, `"{}`))
		if _, known := f.options[a.variable]; known {
			list = append(list, a)
		}
	}
	f.assigned = list
	return list
}

// isSetting reports whether an assignment is the first one of a variable at the top of the script.
func (f *foreignReader) isSetting(a assignment) bool { return f.first()[a.variable] == a.at }

// first maps variables to the positions of their settings at the top of the script.
func (f *foreignReader) first() map[string]int {
	if f.firsts != nil {
		return f.firsts
	}
	f.firsts = map[string]int{}
	for _, a := range f.assignments() {
		if _, again := f.firsts[a.variable]; again || a.verb != "set" || a.at < f.top || a.at >= f.end {
			continue
		}
		if _, _, within := blockAround(f.text, a.at); !within {
			f.firsts[a.variable] = a.at
		}
	}
	return f.firsts
}

// readSettings reads the settings at the top of the script.
func (f *foreignReader) readSettings() {
	for _, a := range f.assignments() {
		if f.isSetting(a) {
			f.settings[a.variable] = a.value
		}
	}
}

// checkChanges checks later assignments to settings: when a setting is used, it must have its value
// from the top. The monitor and each other virtual user have their own variables.
func (f *foreignReader) checkChanges(loops []piece) error {
	for _, c := range f.changes() {
		earlier, set := f.settings[c.variable]
		switch {
		case !set, c.verb == "set" && c.value == earlier, f.isLocal(c), f.stands(behind, c.at, loops):
		case slices.Contains(f.saved.Minutes, c.variable):
			if err := f.checkMinutes(c); err != nil {
				return err
			}
		case slices.Contains(f.saved.Users, c.variable):
			if f.stands(before, c.at, loops) {
				return f.twice(c)
			}
		case !reSwitch.MatchString(c.value):
			// The database's own part of the script computes with the setting, or has a variable of
			// the same name.
		case f.stands(before, c.at, loops):
			f.settled[c.variable] = c.value // set by the database's own part for its users
		default:
			return f.twice(c)
		}
	}
	return nil
}

// stands reports whether a position has the given order to one of the loops.
func (f *foreignReader) stands(as order, at int, loops []piece) bool {
	return slices.ContainsFunc(loops, func(loop piece) bool { return f.follows(at, loop.at) == as })
}

var reSwitch = regexp.MustCompile(`(?i)^(?:true|false|yes|no|on|off)$`)

// checkMinutes checks how a timed run uses its minutes. The monitor converts them to
// milliseconds. Db2's monitor also allows for the time that its report takes.
func (f *foreignReader) checkMinutes(c assignment) error {
	scaled := reScaled.FindStringSubmatch(piece{text: c.raw}.compact())
	switch {
	case scaled != nil && strings.EqualFold(scaled[1], c.variable) && scaled[2] == "60000":
		return nil
	case scaled == nil && f.isAbout(c.at, reMonreport):
		return nil
	case f.isBehindTiming(c):
		return nil
	}
	return f.twice(c)
}

var reMonreport = regexp.MustCompile(`(?i)monreport`)

// isAbout reports whether the statement at a position, or a statement around it, matches what.
func (f *foreignReader) isAbout(at int, what *regexp.Regexp) bool {
	for range maxDepth {
		start, end, ok := blockAround(f.text, at)
		if !ok {
			return false
		}
		if what.MatchString(f.text[start:end]) {
			return true
		}
		at = start - 1
	}
	return false
}

// isBehindTiming reports whether an assignment comes after the loops that wait for the time in its
// variable.
func (f *foreignReader) isBehindTiming(c assignment) bool {
	behind := false
	for _, loop := range reTiming.FindAllStringSubmatchIndex(f.text, -1) {
		if strings.EqualFold(f.text[loop[2]:loop[3]], c.variable) {
			behind = c.at > loop[1]+closing(f.text[loop[1]-1:])
		}
	}
	return behind
}

// isLocal reports whether an assignment is to a local variable of a procedure.
func (f *foreignReader) isLocal(c assignment) bool {
	shared := regexp.MustCompile(`(?i)\b(?:global|upvar|variable)\b[^\n;]*\b` + c.variable + `\b`)
	return slices.ContainsFunc(f.defined, func(p procedure) bool {
		return p.start <= c.at && c.at < p.end && !shared.MatchString(p.body) && !reChoice.MatchString(p.body)
	})
}

// twice returns the error for a setting with two values.
func (f *foreignReader) twice(c assignment) error {
	return f.errorf(c.at, "%s is set to %s at the top of the script and changed here (%s %s), so the effective value is not certain",
		f.text[c.at:c.at+len(c.variable)], cmp.Or(f.settings[c.variable], "{}"), c.verb, firstLine(c.raw))
}

// decide sets the options that the loop decides, and checks the settings that it depends on.
func (f *foreignReader) decide(set func(name, text string), branches map[string]branch) error {
	var mix, keying, thinking []string
	for _, procedure := range f.procedures {
		b := branches[procedure]
		mix, keying, thinking = append(mix, strconv.Itoa(b.weight)), append(keying, b.seconds()), append(thinking, cmp.Or(b.thinking, "0"))
	}
	set(f.saved.Mix, strings.Join(mix, ","))
	if _, said := f.settings["keyandthink"]; f.guarded && !said {
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
		return errors.New("the loop uses allwarehouses, but no line at its top sets it")
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
	set(f.saved.ClientSQL, strconv.FormatBool(f.clientSQL))
	set(f.saved.Pool, strconv.FormatBool(f.pooled))
	return nil
}

// literal returns "true", "false", or "" if the script does not set the variable. HammerDB compares
// the variable with the word "true", so other booleans would be wrong.
func (f *foreignReader) literal(variable string) (string, error) {
	value := f.settings[variable]
	if value != "" && value != "true" && value != "false" {
		return "", fmt.Errorf("%s is %q, which is neither true nor false", variable, value)
	}
	return value, nil
}

// notes returns remarks for the user who loads the script.
func (f *foreignReader) notes() []string {
	notes := []string{
		"HammerDB's script was read, not run: print script shows what was taken over",
		"Server, user and password are the dictionary's",
	}
	if f.clientSQL {
		notes = append(notes, "Its SQL was not read: no_stored_procs is true, and Sledge's users send Sledge's own SQL")
	}
	if f.pooled {
		notes = append(notes, "Its connections were not read: connect_pool is true, and the file of the connect pool lists them")
	}
	if f.fixedThink {
		notes = append(notes, "Fixed pauses after a transaction count as keying time, because thinking times are drawn")
	}
	if f.paused && !f.keyandthink {
		notes = append(notes, "Its users pause whatever KEYANDTHINK says, so keyandthink is true")
	}
	return notes
}

// checkRest checks that the code around the loops neither calls transactions, nor sets variables
// that the loops draw, nor pauses. The scripts of asynchronous clients may pause, because these
// wait before they log in.
func (f *foreignReader) checkRest(loops []piece) error {
	around, waits := f.text, f.text
	for _, loop := range loops {
		end := loop.at + len(loop.text)
		around = around[:loop.at] + strings.Repeat(" ", len(loop.text)) + around[end:]
		// The waits in the loop were read as pauses.
		known := reAfter.ReplaceAllStringFunc(loop.text, func(s string) string { return strings.Repeat(" ", len(s)) })
		waits = waits[:loop.at] + known + waits[end:]
	}
	again := regexp.MustCompile(`(?:^|[\n;{\[])[ \t]*(` + strings.Join(f.procedures, "|") + `)[ \t]+\$`)
	if m := again.FindStringSubmatchIndex(around); m != nil {
		return f.errorf(m[2], "%s is called outside the loop of transactions, too", f.text[m[2]:m[3]])
	}
	for _, m := range reSet.FindAllStringSubmatchIndex(around, -1) {
		variable, value := f.text[m[4]:m[5]], f.text[m[6]:m[7]]
		if slices.Contains(f.saved.Drawn, variable) && reNumbers.MatchString(value) && f.stands(before, m[4], loops) {
			return f.errorf(m[4], "%s is set to %s instead of being read or drawn", variable, strings.Trim(value, `"{} `))
		}
	}
	if f.asynchronous {
		return nil // asynchronous clients wait before they log in
	}
	return checkPauses(waits, loops)
}

// SQL that changes rows of the benchmark, and calls of its stored routines.
var (
	reChanges = regexp.MustCompile(`(?i)\b(?:insert\s+into|delete\s+from|update)\s+(?:\w+\.)?(?:warehouse|district|customer|history|new_order|orders|order_line|stock)\b`)
	reCalls   = regexp.MustCompile(`(?i)\b(?:call|exec|execute|select(?:\s+\*\s+from)?|begin)\s+(?:\w+\.)?(neword|payment|delivery)\s*\(?`)
)

// sendsSQL reports whether the transactions that change rows send SQL instead of calling stored
// routines. A mixture of both is an error, because no option sets it.
func (f *foreignReader) sendsSQL() (bool, error) {
	var sends, calls *procedure
	for i, p := range f.defined {
		switch {
		case !slices.Contains(f.procedures, p.name):
		case reChanges.MatchString(p.body):
			sends = cmp.Or(sends, &f.defined[i])
		case reCalls.MatchString(p.body):
			calls = cmp.Or(calls, &f.defined[i])
		}
	}
	if sends != nil && calls != nil {
		return false, f.errorf(sends.start, "proc %s sends SQL of its own, and proc %s calls a stored routine: users must do all transactions in the same way, which no_stored_procs chooses", sends.name, calls.name)
	}
	return sends != nil, nil
}

// errorf returns an error with the line of a position in the script.
func (f *foreignReader) errorf(at int, format string, arguments ...any) error {
	return fmt.Errorf("line %d: %w", f.line(at), fmt.Errorf(format, arguments...))
}

func (f *foreignReader) line(at int) int { return 1 + strings.Count(f.text[:at], "\n") }
