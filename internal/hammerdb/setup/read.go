package setup

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/hammerdb/names"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// Is reports whether a text looks like a script of the console, which has a line that begins with
// dbset, diset, vuset or giset.
func Is(text string) bool { return reScript.MatchString(text) }

var reScript = regexp.MustCompile(`(?m)^\s*(dbset|diset|vuset|giset)[\s(]`)

// idle are commands without information about a set-up: they run jobs, print, or concern the
// console itself.
var idle = strings.Fields("buildschema checkschema deleteschema loadscript vucreate vurun vudestroy vustatus vucomplete " +
	"tcset tcstart tcstop tcstatus puts print librarycheck quit exit jobs job giset metset metstart metstop import from global after " +
	"runtimer waittocomplete wsport wsstart wsstop } else else:")

var (
	reWord      = regexp.MustCompile(`^\s*([\w:]+|})`)
	reForeach   = regexp.MustCompile(`^\s*foreach\s+(\w+)\s+(?:\{([^{}]*)\}|\[list\s+([^\]]*)\])\s*\{?`)
	reFor       = regexp.MustCompile(`^\s*for\s+(\w+)\s+in\s+[\[(]([^\])]*)[\])]\s*:`)
	reSet       = regexp.MustCompile(`^\s*set\s+(\w+)\s+(\S.*)$`)
	reAssign    = regexp.MustCompile(`^\s*(\w+)\s*=\s*([^=].*)$`)
	reCall      = regexp.MustCompile(`^\s*(\w+)\s*\((.*)\)\s*;?\s*(?:#.*)?$`)
	reVariable  = regexp.MustCompile(`^\$\{?(?:::)?(\w+)\}?$`)
	reEscaped   = regexp.MustCompile(`\\(.)`)
	reNumber    = regexp.MustCompile(`^-?[\d.]+$`)
	reOpenCall  = regexp.MustCompile(`^\s*(?:dbset|diset|vuset|giset)\s*\(`)
	reArguments = regexp.MustCompile(`\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"]+)\s*(?:,|$)`)
)

// reader reads a script line by line.
type reader struct {
	resolver  settings.Resolver
	found     settings.TakenIn
	line      int
	variables map[string]string
	set       []setting
	database  string // its prefix
	benchmark string // its title
}

// setting is a diset command.
type setting struct {
	line             int
	dict, key, value string
	literal          bool // whether the value is known
}

// Read reads the settings of a script without running it. It understands only plain commands whose
// values are constants or variables that were set to constants, and lists the lines of all other
// statements.
func Read(resolver settings.Resolver, text string) settings.TakenIn {
	r := reader{resolver: resolver, variables: map[string]string{}, found: settings.TakenIn{Settings: map[string]string{}}}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for n := 0; n < len(lines); n++ {
		r.line = n + 1
		line := lines[n]
		for ; n+1 < len(lines); n++ {
			before, goesOn := unfinished(line)
			if !goesOn {
				break
			}
			line = before + " " + strings.TrimSpace(lines[n+1])
		}
		for _, statement := range statements(line) {
			if trimmed := strings.TrimSpace(statement); trimmed != "" && !strings.HasPrefix(trimmed, "#") {
				r.read(trimmed)
			}
		}
	}
	r.end()
	return r.found
}

// unfinished reports whether a statement continues on the next line, because of a backslash at the
// end or an open parenthesis of a Python call. It returns the line without the backslash.
func unfinished(line string) (before string, goesOn bool) {
	const longest = 4096 // bytes; in a longer call the closing parenthesis is missing
	bare := strings.TrimRight(line, "\\")
	switch {
	case len(line) > longest:
		return line, false
	case (len(line)-len(bare))%2 == 1:
		return line[:len(line)-1], true
	case !reOpenCall.MatchString(line):
		return line, false
	}
	depth, quote := 0, rune(0)
	for i, c := range line {
		switch {
		case i > 0 && line[i-1] == '\\':
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
	}
	return line, depth > 0
}

// statements splits a line at the semicolons outside of quotes and braces.
func statements(line string) (list []string) {
	begin, depth, quote := 0, 0, rune(0)
	for i, c := range line {
		switch {
		case i > 0 && line[i-1] == '\\':
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ';' && depth <= 0:
			list = append(list, line[begin:i])
			begin = i + 1
		}
	}
	return append(list, line[begin:])
}

// read reads one statement.
func (r *reader) read(text string) {
	if m := reForeach.FindStringSubmatch(text); m != nil {
		r.variables[m[1]] = strings.Join(strings.Fields(m[2]+m[3]), ",")
		return
	}
	if m := reFor.FindStringSubmatch(text); m != nil {
		r.variables[m[1]] = strings.Join(strings.FieldsFunc(m[2], func(c rune) bool { return c == ',' || c == ' ' }), ",")
		return
	}
	if m := reSet.FindStringSubmatch(text); m != nil {
		r.assign(m[1], strings.Trim(strings.TrimSpace(m[2]), `"{}`), !strings.ContainsAny(m[2], "$["))
		return
	}
	name, args, known := r.command(text)
	if !known {
		if m := reAssign.FindStringSubmatch(text); m != nil {
			value, plain := r.value(strings.TrimSpace(m[2]))
			r.assign(m[1], value, plain)
			return
		}
		r.found.Pass(r.line, "%s is not understood: only plain commands are read", first(text))
		return
	}
	switch {
	case name == "dbset" && len(args) == 2 && args[0].value == "db":
		r.database = args[1].value
	case name == "dbset" && len(args) == 2 && args[0].value == "bm":
		r.benchmark = args[1].value
	case name == "vuset" && len(args) == 2 && args[0].value == "vu" && args[1].literal:
		r.found.Settings["users"] = args[1].value
	case name == "vuset":
		r.found.Pass(r.line, "vuset %.40q is about the console, and not part of a set-up", argument(args, 0))
	case name == "diset" && len(args) == 3:
		r.set = append(r.set, setting{r.line, args[0].value, strings.ToLower(args[1].value), args[2].value, args[2].literal})
	case slices.Contains(idle, name):
	default:
		r.found.Pass(r.line, "%s is not understood: only plain commands are read", first(text))
	}
}

func (r *reader) assign(name, value string, plain bool) {
	if plain {
		r.variables[name] = value
		return
	}
	delete(r.variables, name)
}

// word is an argument of a command. literal means that its value is known.
type word struct {
	value   string
	literal bool
}

func argument(args []word, n int) string {
	if n < len(args) {
		return args[n].value
	}
	return ""
}

// command splits a statement of either language into a command and its arguments.
func (r *reader) command(text string) (name string, args []word, known bool) {
	if m := reCall.FindStringSubmatch(text); m != nil {
		for _, a := range reArguments.FindAllStringSubmatch(m[2], -1) {
			value, literal := r.value(strings.TrimSpace(a[1]))
			args = append(args, word{value, literal})
		}
		return m[1], args, true
	}
	m := reWord.FindStringSubmatch(text)
	if m == nil || reAssign.MatchString(text) && !strings.HasPrefix(text, "puts") {
		return "", nil, false
	}
	for rest := strings.TrimSpace(text[len(m[0]):]); rest != ""; {
		var one word
		one, rest = r.tclWord(rest)
		args = append(args, one)
	}
	return m[1], args, true
}

// value evaluates a plain Python expression.
func (r *reader) value(text string) (value string, literal bool) {
	if len(text) >= 2 && (text[0] == '\'' || text[0] == '"') && text[len(text)-1] == text[0] {
		return reEscaped.ReplaceAllString(text[1:len(text)-1], "$1"), true
	}
	if value, is := r.variables[text]; is {
		return value, true
	}
	switch text {
	case "True", "False":
		return strings.ToLower(text), true
	}
	return text, reNumber.MatchString(text)
}

// tclWord returns the first word of a Tcl statement and the rest.
func (r *reader) tclWord(text string) (word, string) {
	end := -1
	switch text[0] {
	case '[':
		if end = strings.LastIndexByte(text, ']'); end > 0 {
			return word{"", false}, strings.TrimSpace(text[end+1:])
		}
	case '{':
		end = strings.IndexByte(text, '}')
	case '"':
		if next := strings.IndexByte(text[1:], '"'); next >= 0 {
			end = next + 1
		}
	}
	if end > 0 {
		value := text[1:end]
		return word{value, text[0] == '{' || !strings.ContainsAny(value, "$[")}, strings.TrimSpace(text[end+1:])
	}
	var b strings.Builder
	i, quoted, literal := 0, false, true
scan:
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case !quoted && c == '\\':
			quoted = true
			continue
		case !quoted && (c == ' ' || c == '\t'):
			break scan
		case !quoted && (c == '$' || c == '['):
			literal = false
			fallthrough
		default:
			b.WriteByte(c)
			quoted = false
		}
	}
	rest := strings.TrimSpace(text[i:])
	if m := reVariable.FindStringSubmatch(text[:i]); m != nil {
		value, is := r.variables[m[1]]
		return word{value, is}, rest
	}
	return word{b.String(), literal}, rest
}

// first returns the first word of a statement, for messages. It returns a placeholder for a single
// word, which may be a password in a text of several lines, like the rest of a statement.
func first(text string) string {
	name := reFirst.FindString(text)
	if name == "" || name == text {
		return "this line"
	}
	return fmt.Sprintf("%.40q", name)
}

var reFirst = regexp.MustCompile(`^[\w:.]*`)

// end maps the keys to options, after the database and the benchmark are known.
func (r *reader) end() {
	if r.database == "" {
		r.database = names.Usual
		r.found.Pass(0, "no line says dbset db: using %s", r.database)
	}
	at := slices.IndexFunc(r.resolver.Databases, func(d *database.Database) bool { return strings.EqualFold(names.Of(d.Name).Prefix, r.database) })
	if at < 0 {
		r.found.Pass(0, "Sledge has no database %.40q", r.database)
		return
	}
	w := r.resolver.DefaultWorkload()
	for _, other := range r.resolver.Workloads {
		if b := names.BenchmarkOf(other); strings.EqualFold(r.benchmark, b.Title) || strings.EqualFold(r.benchmark, b.Name) {
			w = other
		}
	}
	d := r.resolver.Databases[at]
	pair, err := r.resolver.Pair(d.Name, w.Name)
	if err != nil {
		r.found.Pass(0, "%v", err)
		return
	}
	r.found.Settings["db"], r.found.Settings["workload"] = d.Name, w.Name
	own := names.BenchmarkOf(w).Section
	for _, s := range r.set {
		o, known := settings.Find(pair, s.key)
		switch {
		case !known && s.dict != own && s.dict != connection:
			r.found.Pass(s.line, "%.60s is in the dictionary %.40s, and not of %s", s.key, s.dict, pair.Title())
		case !known:
			r.found.Pass(s.line, "%.60s is not an option of %s", s.key, pair.Title())
		case o.Secret:
			if !slices.Contains(r.found.Secrets, o.Name) {
				r.found.Secrets = append(r.found.Secrets, o.Name)
			}
			r.found.Pass(s.line, "%s: passwords are not read: enter it yourself", s.key)
		case !s.literal:
			r.found.Pass(s.line, "the value of %s is computed: set it yourself", s.key)
		default:
			r.found.Settings[o.Name] = s.value
		}
	}
	plain := maps.Clone(r.found.Settings)
	for name, value := range plain {
		o, is := settings.Find(pair, name)
		if is && (value == o.Default || names.Unused(pair.Database.Name, name, value)) {
			delete(r.found.Settings, name) // scripts also set defaults
		}
	}
	for _, o := range option.Built(pair.Options()) {
		other := names.Default(pair.Database.Name, w.Name, o.Name, o.Default)
		if _, said := plain[o.Name]; !said && other != o.Default && !names.Unused(pair.Database.Name, o.Name, other) {
			r.found.Settings[o.Name] = other // HammerDB's default, which the script relies on
		}
	}
}

// connection is the section of a dictionary that all benchmarks share.
const connection = "connection"
