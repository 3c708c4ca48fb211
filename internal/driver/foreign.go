package driver

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// wayOut ends each refusal of a script of HammerDB's.
const wayOut = "make Sledge's own script by loadscript and savescript, make the change there, and load that"

// library says for which database a script of HammerDB's is, by the Tcl library
// that it loads. There are no others: HammerDB has these six.
var library = map[string]string{
	"Pgtcl": "PostgreSQL", "mariatcl": "MariaDB", "mysqltcl": "MySQL",
	"Oratcl": "Oracle", "db2tcl": "Db2", "tdbc::odbc": "SQL Server",
}

var (
	reLibrary  = regexp.MustCompile(`(?m)^\s*set\s+library\s+"?([\w:]+)"?`)
	reChoice   = regexp.MustCompile(`set\s+choice\s+\[\s*RandomNumber\s+1\s+(\d+)\s*\]`)
	reUpTo     = regexp.MustCompile(`^\s*\$choice\s*<=\s*(\d+)\s*$`)
	rePause    = regexp.MustCompile(`^(?:if\s*\{\s*\$KEYANDTHINK\s*\}\s*\{\s*)?(keytime|thinktime)\s+([\d.]+)\s*\}?$`)
	reCall     = regexp.MustCompile(`^(neword|payment|delivery|slev|ostat)\b[^\[;]*$`)
	rePuts     = regexp.MustCompile(`^puts\s+("[^"\[$]*"|\{[^}]*\})$`)
	reAbort    = regexp.MustCompile(`^if\s*\{[^{}]*tsv::get\s+application\s+abort[^{}]*\}\s*\{\s*break\s*\}$`)
	reNumber   = regexp.MustCompile(`\b\d+(\.\d+)?\b`)
	reTopLevel = regexp.MustCompile(`(?m)^set\s+(\w+)\s+("[^"\n]*"|\{[^}\n]*\}|[^\s;]+)`)
)

// foreignOptions are the options at the top of a script of HammerDB's that say
// what users do, and their names in the dictionary.
var foreignOptions = map[string]string{
	"total_iterations": "total_iterations", "RAISEERROR": "raiseerror", "KEYANDTHINK": "keyandthink",
	"rampup": "rampup", "duration": "duration",
}

// isForeign reports whether a text is a driver script of HammerDB's.
func isForeign(text string) bool {
	return reLibrary.MatchString(text) && strings.Contains(text, "total_iterations") && strings.Contains(text, "RandomNumber")
}

// parseForeign takes over what a script of HammerDB's says of options, mix and
// times. The script is never run. Whatever in the users' loop is not known to it
// is refused, because what it does could not be taken over.
func parseForeign(text string, d *database.Database, w *workload.Workload) (Script, error) {
	if of := library[reLibrary.FindStringSubmatch(text)[1]]; of != d.Title {
		return Script{}, fmt.Errorf("the script is HammerDB's for %s, and %s is chosen: choose the other by dbset db", of, d.Title)
	}
	values := option.Values{}
	for _, m := range reTopLevel.FindAllStringSubmatch(text, -1) {
		if name, ok := foreignOptions[m[1]]; ok {
			values[d.Names.Full(name)] = strings.Trim(m[2], `"{}`)
		}
	}
	if err := checkPauses(text); err != nil {
		return Script{}, fmt.Errorf("%w: %s", err, wayOut)
	}
	branches, err := readLoop(text)
	if err != nil {
		return Script{}, fmt.Errorf("%w: %s", err, wayOut)
	}
	mix, keying, thinking := make([]string, len(w.Kinds)), make([]string, len(w.Kinds)), make([]string, len(w.Kinds))
	for i, k := range w.Kinds {
		mix[i], keying[i], thinking[i] = "0", "0", "0"
		for procedure, b := range branches {
			if strings.EqualFold(procedure, k.Label) {
				mix[i], keying[i], thinking[i] = strconv.Itoa(b.weight), b.keying, b.thinking
			}
		}
	}
	values[d.Names.Full("mix")] = strings.Join(mix, ",")
	if on, err := strconv.ParseBool(values[d.Names.Full("keyandthink")]); err == nil && on {
		values[d.Names.Full("keying_time")] = strings.Join(keying, ",")
		values[d.Names.Full("think_time")] = strings.Join(thinking, ",")
	}
	if err := check(d, w, values); err != nil {
		return Script{}, fmt.Errorf("%w: %s", err, wayOut)
	}
	_, timed := values[d.Names.Full("rampup")]
	values[d.Names.Full(w.HammerDB.Driver)] = map[bool]string{true: "timed", false: "test"}[timed]
	return Script{
		Values: values, Timed: timed,
		Notes: []string{"HammerDB's script was read, not run: taken over are its mix, keying and thinking times, iterations, rampup and duration; server, user and password are the dictionary's"},
	}, nil
}

// checkPauses refuses procedures that wait in another way than their argument in
// seconds says.
func checkPauses(text string) error {
	for _, name := range []string{"keytime", "thinktime"} {
		at := strings.Index(text, "proc "+name+" ")
		if at < 0 {
			continue
		}
		words, err := words(text[at:], 4)
		if err != nil {
			return fmt.Errorf("proc %s: %w", name, err)
		}
		for _, number := range reNumber.FindAllString(words[3], -1) {
			if !slices.Contains([]string{"0", "1", "1000"}, number) {
				return fmt.Errorf("proc %s was changed, there is %s in it", name, number)
			}
		}
	}
	return nil
}

// branch is what users do in one part of the mix.
type branch struct {
	weight           int
	keying, thinking string // seconds
}

// readLoop reads the loop of transactions, by procedure.
func readLoop(text string) (map[string]branch, error) {
	choices := reChoice.FindAllStringSubmatchIndex(text, -1)
	if len(choices) != 1 {
		return nil, fmt.Errorf("the mix is drawn in %d places, not in one", len(choices))
	}
	total, err := strconv.Atoi(text[choices[0][2]:choices[0][3]])
	if err != nil {
		return nil, errors.New("the mix is drawn from a number that is too large")
	}
	body, err := blockAround(text, choices[0][0])
	if err != nil {
		return nil, err
	}
	var branches map[string]branch
	for _, s := range statements(body) {
		switch {
		case reChoice.MatchString(s) || reAbort.MatchString(s):
		case strings.HasPrefix(s, "if") && strings.Contains(s, "$choice") && branches == nil:
			if branches, err = readBranches(s, total); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("the loop of transactions holds something else: %q", firstLine(s))
		}
	}
	if branches == nil {
		return nil, errors.New("after the choice there is no \"if {$choice <= ...}\"")
	}
	return branches, nil
}

// readBranches reads "if {$choice <= 10} {...} elseif {$choice <= 20} {...} ...".
func readBranches(chain string, total int) (map[string]branch, error) {
	all, err := words(chain, 1<<10)
	if err != nil {
		return nil, err
	}
	branches := map[string]branch{}
	last := 0
	for len(all) >= 3 && (all[0] == "if" || all[0] == "elseif") {
		m := reUpTo.FindStringSubmatch(all[1])
		if m == nil {
			return nil, fmt.Errorf("the condition {%s} is not of the form {$choice <= NUMBER}", all[1])
		}
		upTo, err := strconv.Atoi(m[1])
		if err != nil || upTo <= last {
			return nil, fmt.Errorf("the condition {%s} comes after one up to %d", all[1], last)
		}
		procedure, b, err := readBranch(all[2])
		if err != nil {
			return nil, err
		}
		if _, twice := branches[procedure]; twice {
			return nil, fmt.Errorf("%s is called in two branches", procedure)
		}
		b.weight = upTo - last
		branches[procedure] = b
		last, all = upTo, all[3:]
	}
	if len(all) > 0 {
		return nil, fmt.Errorf("the choices end in %q", firstLine(strings.Join(all, " ")))
	}
	if last != total {
		return nil, fmt.Errorf("the choices go up to %d, and the number is drawn from 1 to %d", last, total)
	}
	return branches, nil
}

// readBranch reads the keying time, the call and the thinking time of a branch.
func readBranch(body string) (procedure string, b branch, err error) {
	pauses := map[string]string{"keytime": "0", "thinktime": "0"}
	for _, s := range statements(body) {
		if m := rePause.FindStringSubmatch(s); m != nil {
			if pauses[m[1]] != "0" {
				return "", b, fmt.Errorf("a transaction has a second %s", m[1])
			}
			pauses[m[1]] = m[2]
			continue
		}
		m := reCall.FindStringSubmatch(s)
		switch {
		case m != nil && procedure == "":
			procedure = m[1]
		case !rePuts.MatchString(s):
			return "", b, fmt.Errorf("a transaction does something else: %q", firstLine(s))
		}
	}
	if procedure == "" {
		return "", b, errors.New("a branch of the mix calls none of the five transactions")
	}
	return procedure, branch{keying: pauses["keytime"], thinking: pauses["thinktime"]}, nil
}

// blockAround returns the inside of the innermost braces around a position.
func blockAround(text string, at int) (string, error) {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch text[i] {
		case '}':
			depth++
		case '{':
			if depth == 0 {
				inside, _, ok := braced(text[i:])
				if !ok {
					return "", errors.New("the braces around the loop of transactions do not match")
				}
				return inside, nil
			}
			depth--
		}
	}
	return "", errors.New("the loop of transactions is not in braces")
}

// braced returns the inside of the braces that text begins with, and what
// follows them.
func braced(text string) (inside, rest string, ok bool) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '\\':
			return "", "", false // would have to be read as Tcl reads it
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				return text[1:i], text[i+1:], true
			}
		}
	}
	return "", "", false
}

// words splits the first words of a statement, of which those in braces lose
// them.
func words(text string, most int) ([]string, error) {
	var list []string
	for text = strings.TrimSpace(text); text != "" && len(list) < most; text = strings.TrimSpace(text) {
		if text[0] == '{' {
			inside, rest, ok := braced(text)
			if !ok {
				return nil, errors.New("its braces do not match")
			}
			list, text = append(list, inside), rest
			continue
		}
		end := strings.IndexAny(text, " \t\r\n{")
		if end < 0 {
			end = len(text)
		}
		list, text = append(list, text[:end]), text[end:]
	}
	if most < 10 && len(list) < most {
		return nil, errors.New("it is cut short")
	}
	return list, nil
}

// statements divides a block into its statements, without comments.
func statements(block string) []string {
	var list []string
	depth, start := 0, 0
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && !strings.HasPrefix(s, "#") {
			list = append(list, s)
		}
	}
	for i := range len(block) {
		switch c := block[i]; {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case depth == 0 && (c == '\n' || c == ';'):
			add(block[start:i])
			start = i + 1
		}
	}
	add(block[start:])
	return list
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
