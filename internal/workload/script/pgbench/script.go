package pgbench

import (
	"fmt"
	"slices"
	"strings"

	"sledge/internal/option"
	"sledge/internal/sqlfile"
)

// Script is a script that was parsed. It may be used by several clients.
type Script struct {
	commands []command
}

// verb is what a command does.
type verb int

// The verbs. All but statement are meta commands.
const (
	statement     verb = iota
	set                // \set variable expression
	sleep              // \sleep duration [us|ms|s]
	ifTrue             // \if expression, and \elif
	otherwise          // \else, and \elif after a branch that was taken
	endif              // \endif
	shell              // \shell program argument...
	setShell           // \setshell variable program argument...
	startPipeline      // \startpipeline
	syncPipeline       // \syncpipeline
	endPipeline        // \endpipeline
)

// command is a command of a script.
type command struct {
	verb verb
	line int    // where it begins, from 1
	text string // as the script has it, without comments before it

	pieces []piece // of a statement
	keep   keep    // what happens to the rows of a statement
	prefix string  // of the variables that keep the columns of a row

	variable   string     // that set and setShell write
	expression Expression // of set and ifTrue
	words      []string   // arguments of sleep, shell and setShell

	number int // in messages, from 0; -1 of a command that only ends the branch before an \elif

	// next is the index of the command that follows ifTrue if its expression is not true, and otherwise if
	// a branch before was taken.
	next int
}

// keep says what happens to the rows of a statement.
type keep int

const (
	keepNone keep = iota
	keepOne       // \gset: the statement must return one row
	keepLast      // \aset: the last row, if there is one
)

// piece is a part of a statement: text, and the variable after it.
type piece struct {
	text     string
	variable string // "" at the end
	quoted   bool   // the variable is within quoted text or a comment
}

// Mistake is a mistake in a script.
type Mistake struct {
	Line int // from 1
	Text string
}

// Error names the line.
func (m *Mistake) Error() string { return fmt.Sprintf("line %d: %s", m.Line, m.Text) }

// ParseScript parses a script of pgbench (PostgreSQL's manual, pgbench, "Custom Scripts"). Its error is a
// *Mistake.
func ParseScript(text string) (*Script, error) {
	r := &reader{text: strings.ReplaceAll(text, "\r\n", "\n")}
	for r.skip(); r.at < len(r.text); r.skip() {
		if err := r.command(); err != nil {
			return nil, err
		}
	}
	if n := len(r.open); n > 0 {
		return nil, &Mistake{r.commands[r.open[n-1].last].line, `\if without matching \endif`}
	}
	if r.pipeline {
		return nil, &Mistake{r.line(len(r.text)), `\startpipeline without matching \endpipeline`}
	}
	if len(r.commands) == 0 {
		return nil, &Mistake{1, "it has no command"}
	}
	return &Script{r.commands}, nil
}

// reader reads the commands of a script.
type reader struct {
	text     string
	at       int
	commands []command
	count    int        // of those with a number
	open     []branches // the innermost last
	pipeline bool       // between \startpipeline and \endpipeline
}

// branches are the branches of an \if that is open.
type branches struct {
	last  int   // the command that begins the last branch
	taken []int // the commands that a taken branch ends with
	final bool  // \else was read
}

// line returns the line of a position.
func (r *reader) line(at int) int { return 1 + strings.Count(r.text[:at], "\n") }

// wrong returns a mistake at a position.
func (r *reader) wrong(at int, format string, args ...any) error {
	return &Mistake{r.line(at), fmt.Sprintf(format, args...)}
}

// skip skips spaces, comments and empty statements between commands.
func (r *reader) skip() {
	for r.at < len(r.text) {
		switch rest := r.text[r.at:]; {
		case strings.ContainsRune(" \t\n\r\f\v;", rune(rest[0])):
			r.at++
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "/*"):
			end := sqlfile.Skip(r.text, r.at)
			if end == r.at { // an unterminated comment
				end = len(r.text)
			}
			r.at = end
		default:
			return
		}
	}
}

// command reads a command.
func (r *reader) command() error {
	if r.text[r.at] == '\\' {
		return r.meta()
	}
	start, depth := r.at, 0
	for r.at < len(r.text) {
		if end := sqlfile.Skip(r.text, r.at); end > r.at {
			r.at = end
			continue
		}
		switch r.text[r.at] {
		case '(':
			depth++
		case ')':
			depth--
		case ';':
			if depth <= 0 {
				r.at++
				r.add(command{line: r.line(start), text: r.text[start:r.at], pieces: split(r.text[start : r.at-1])})
				return nil
			}
		case '\\':
			if strings.HasPrefix(r.text[r.at:], `\;`) {
				r.at += len(`\;`)
				continue
			}
			text := strings.TrimSpace(r.text[start:r.at])
			r.add(command{line: r.line(start), text: text, pieces: split(text)})
			return r.meta()
		}
		r.at++
	}
	text := strings.TrimSpace(r.text[start:])
	r.add(command{line: r.line(start), text: text, pieces: split(text)})
	return nil
}

// add adds a command, and numbers it as pgbench does.
func (r *reader) add(c command) {
	if c.number = -1; c.verb != otherwise || !strings.HasPrefix(strings.ToLower(c.text), `\elif`) {
		c.number = r.count
		r.count++
	}
	r.commands = append(r.commands, c)
}

// split divides a statement at its variables. A semicolon of \; stays.
func split(text string) (pieces []piece) {
	text = strings.ReplaceAll(strings.TrimSpace(text), `\;`, ";")
	from, quotedUntil := 0, 0
	for i := 0; i < len(text); {
		if i >= quotedUntil {
			quotedUntil = sqlfile.Skip(text, i)
		}
		switch rest := text[i:]; {
		case rest[0] != ':':
			i++
		case strings.HasPrefix(rest, "::"):
			i += len("::")
		case len(rest) > 1 && ofName(rest[1:]):
			n := 1 + nameLength(rest[1:])
			pieces = append(pieces, piece{text: text[from:i], variable: rest[1:n], quoted: i < quotedUntil})
			i += n
			from = i
		default:
			i++
		}
	}
	return append(pieces, piece{text: text[from:]})
}

// metaCommands are the names of all meta commands.
var metaCommands = []string{"set", "setshell", "shell", "sleep", "gset", "aset", "if", "elif", "else", "endif", "startpipeline", "syncpipeline", "endpipeline"}

// meta reads a meta command, which takes the rest of its line. A line that ends in a backslash goes on in the
// next one.
func (r *reader) meta() error {
	start := r.at
	var line strings.Builder
	for r.at < len(r.text) {
		rest, _, more := strings.Cut(r.text[r.at:], "\n")
		r.at += len(rest)
		if more {
			r.at++
		}
		before, continues := strings.CutSuffix(strings.TrimRight(rest, " \t\r"), `\`)
		if !continues || !more {
			line.WriteString(rest)
			break
		}
		line.WriteString(before + " ")
	}
	text := strings.TrimSpace(line.String())
	name, rest, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
	name, rest = strings.ToLower(strings.TrimPrefix(name, `\`)), strings.TrimSpace(rest)
	c := command{line: r.line(start), text: text, words: strings.Fields(rest)}
	wrong := func(format string, args ...any) error { return r.wrong(start, `\`+name+": "+format, args...) }
	none := func() error {
		if len(c.words) > 0 {
			return wrong("unexpected argument %q", c.words[0])
		}
		return nil
	}
	switch name {
	case "gset", "aset":
		return r.keepRows(name, c.words, wrong)
	case "set":
		return r.set(c, rest, wrong)
	case "sleep":
		c.verb = sleep
		if err := checkSleep(c.words); err != nil {
			return wrong("%v", err)
		}
	case "shell":
		if c.verb = shell; len(c.words) == 0 {
			return wrong("missing command")
		}
	case "setshell":
		if c.verb = setShell; len(c.words) < 2 {
			return wrong("missing argument: write a variable and a program")
		}
		if c.variable, c.words = c.words[0], c.words[1:]; !isName(c.variable) {
			return wrong("invalid variable name %q", c.variable)
		}
	case "if", "elif", "else", "endif":
		return r.branch(name, c, rest, wrong)
	case "startpipeline":
		if c.verb = startPipeline; r.pipeline {
			return wrong("already in a pipeline")
		}
		r.pipeline = true
		if err := none(); err != nil {
			return err
		}
	case "syncpipeline", "endpipeline":
		if c.verb = syncPipeline; !r.pipeline {
			return wrong("not in a pipeline")
		}
		if name == "endpipeline" {
			c.verb, r.pipeline = endPipeline, false
		}
		if err := none(); err != nil {
			return err
		}
	default:
		return r.wrong(start, `there is no command \%s%s`, name, option.Suggest(name, metaCommands))
	}
	r.add(c)
	return nil
}

// keepRows reads \gset or \aset.
func (r *reader) keepRows(name string, words []string, wrong func(string, ...any) error) error {
	last := len(r.commands) - 1
	switch {
	case last < 0 || r.commands[last].verb != statement || r.commands[last].keep != keepNone:
		return wrong("it must follow a statement")
	case r.pipeline:
		return wrong("not allowed in a pipeline")
	case len(words) > 1:
		return wrong("unexpected argument %q", words[1])
	}
	c := &r.commands[last]
	if c.keep = keepOne; name == "aset" {
		c.keep = keepLast
	}
	if len(words) == 1 {
		c.prefix = words[0]
	}
	return nil
}

// set reads \set.
func (r *reader) set(c command, rest string, wrong func(string, ...any) error) (err error) {
	name, expression, _ := strings.Cut(rest, " ")
	c.verb, c.variable = set, name
	switch {
	case name == "":
		return wrong("missing argument: write a variable and an expression")
	case !isName(name):
		return wrong("invalid variable name %q", name)
	}
	if c.expression, _, err = Parse(expression); err != nil {
		return wrong("%v", err)
	}
	r.add(c)
	return nil
}

// branch reads \if, \elif, \else or \endif.
func (r *reader) branch(name string, c command, rest string, wrong func(string, ...any) error) error {
	n := len(r.open)
	if name != "if" && n == 0 {
		return wrong(`no matching \if`)
	}
	if name == "if" || name == "elif" {
		var err error
		if c.expression, _, err = Parse(rest); err != nil {
			return wrong("%v", err)
		}
	} else if rest != "" {
		return wrong("unexpected argument %q", rest)
	}
	if name == "if" {
		c.verb = ifTrue
		r.open = append(r.open, branches{last: len(r.commands)})
		r.add(c)
		return nil
	}
	open := &r.open[n-1]
	if open.final && name != "endif" {
		return wrong(`not allowed after \else`)
	}
	if name != "endif" { // a branch that was taken goes on after \endif
		open.taken = append(open.taken, len(r.commands))
		r.add(command{verb: otherwise, line: c.line, text: c.text})
	}
	if last := &r.commands[open.last]; last.verb == ifTrue {
		last.next = len(r.commands)
	}
	switch name {
	case "elif":
		c.verb, open.last = ifTrue, len(r.commands)
		r.add(c)
	case "else":
		open.final, open.last = true, len(r.commands)-1
	case "endif":
		c.verb = endif
		for _, at := range open.taken {
			r.commands[at].next = len(r.commands)
		}
		r.open = r.open[:n-1]
		r.add(c)
	}
	return nil
}

// isName reports whether a text is the name of a variable: letters, digits and underscores, not a digit first.
func isName(text string) bool {
	return text != "" && ofName(text) && nameLength(text) == len(text)
}

// unitsOfSleep are the units of \sleep, in microseconds.
var unitsOfSleep = map[string]int64{"us": 1, "ms": 1000, "s": 1_000_000}

func checkSleep(words []string) error {
	switch {
	case len(words) == 0:
		return fmt.Errorf("missing argument: write a duration")
	case len(words) > 2:
		return fmt.Errorf("unexpected argument %q", words[2])
	case words[0][0] == ':' && !isName(words[0][1:]):
		return fmt.Errorf("invalid variable name %q", words[0])
	}
	if words[0][0] != ':' {
		number, unit := words[0], ""
		if digits := strings.TrimRight(number, "usm"); len(words) == 1 && digits != number { // "\sleep 10ms"
			number, unit = digits, number[len(digits):]
		}
		if v := valueOf(number); v.kind != integer {
			return fmt.Errorf("invalid duration %q", words[0])
		}
		if unit != "" && unitsOfSleep[unit] == 0 {
			return fmt.Errorf("unrecognized time unit %q, must be us, ms or s", unit)
		}
	}
	if len(words) == 2 && unitsOfSleep[words[1]] == 0 {
		return fmt.Errorf("unrecognized time unit %q, must be us, ms or s", words[1])
	}
	return nil
}

// RunsPrograms reports whether the script has \shell or \setshell.
func (s *Script) RunsPrograms() bool { return s.has(shell, setShell) }

// Pauses reports whether a transaction of the script waits for something other than the database.
func (s *Script) Pauses() bool { return s.has(shell, setShell, sleep) }

// Statements returns the number of statements of the script.
func (s *Script) Statements() (n int) {
	for _, c := range s.commands {
		if c.verb == statement {
			n++
		}
	}
	return n
}

// HasPipeline reports whether the script sends statements in a pipeline.
func (s *Script) HasPipeline() bool { return s.has(startPipeline) }

func (s *Script) has(verbs ...verb) bool {
	return slices.ContainsFunc(s.commands, func(c command) bool { return slices.Contains(verbs, c.verb) })
}
