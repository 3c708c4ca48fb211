package driver

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
	"sledge/internal/rdbms"
	"sledge/internal/workload"
)

// wayOut ends each refusal of a script of HammerDB's.
const wayOut = "make Sledge's own script by loadscript and savescript, make the change there, and load that"

var (
	reLibrary  = regexp.MustCompile(`(?m)^\s*set\s+library\s+"?([\w:]+)"?`)
	reChoice   = regexp.MustCompile(`set\s+choice\s+\[\s*RandomNumber\s+1\s+(\d+)\s*\]`)
	reUpTo     = regexp.MustCompile(`^\s*\$choice\s*<=\s*(\d+)\s*$`)
	rePause    = regexp.MustCompile(`^(keytime|thinktime)\s+([\d.]+)$`)
	reGuarded  = regexp.MustCompile(`^if\s*\{\s*\$KEYANDTHINK\s*\}\s*\{\s*([^{}]*?)\s*\}$`)
	reCall     = regexp.MustCompile(`^(\w+)\b[^\[;]*$`)
	rePuts     = regexp.MustCompile(`^puts\s+("[^"\[$]*"|\{[^}]*\})$`)
	reAbort    = regexp.MustCompile(`^if\s*\{[^{}]*tsv::get\s+application\s+abort[^{}]*\}\s*\{\s*break\s*\}$`)
	reTopLevel = regexp.MustCompile(`(?m)^set\s+(\w+)\s+("[^"\n]*"|\{[^}\n]*\}|[^\s;]+)`)
)

// isForeign reports whether a text is a driver script of HammerDB's.
func isForeign(text string) bool {
	return reLibrary.MatchString(text) && strings.Contains(text, "RandomNumber")
}

// foreign reads a script of HammerDB's.
type foreign struct {
	procedures []string // that do the transactions, in the order of their kinds
	pausing    bool     // whether users keep to keying and thinking times
	paused     bool     // whether the loop says when they would
}

// parseForeign takes over what a script of HammerDB's says of options, mix and
// times. The script is never run. Whatever in the users' loop is not known to it
// is refused, because what it does could not be taken over.
func parseForeign(text string, d *database.Database, w *workload.Workload) (Script, error) {
	of := rdbms.Loading(reLibrary.FindStringSubmatch(text)[1])
	if of.Prefix != strings.TrimSuffix(d.Names.Prefix, "_") {
		return Script{}, fmt.Errorf("the script is HammerDB's for %s, and %s is chosen: choose the other by dbset db", cmp.Or(of.Name, "another database"), d.Title)
	}
	saved := w.HammerDB.Saved
	if saved == nil {
		return Script{}, fmt.Errorf("scripts of HammerDB's for %s are not taken over: %s", w.Title, wayOut)
	}
	values := option.Values{}
	for _, m := range reTopLevel.FindAllStringSubmatch(text, -1) {
		if name, ok := saved.Variables[m[1]]; ok {
			values[d.Names.Full(name)] = strings.Trim(m[2], `"{}`)
		}
	}
	if err := check(d, w, values); err != nil {
		return Script{}, fmt.Errorf("%w: %s", err, wayOut)
	}
	pauses, said := values[d.Names.Full(saved.Pauses)]
	f := foreign{pausing: isTrue(pauses, d, w)}
	for _, k := range w.Kinds {
		f.procedures = append(f.procedures, strings.ToLower(k.Label))
	}
	branches, err := f.readLoop(text)
	if err == nil && f.paused && !said {
		err = errors.New("users pause, and no line at its top sets KEYANDTHINK")
	}
	if err == nil {
		err = checkPauses(text)
	}
	if err != nil {
		return Script{}, fmt.Errorf("%w: %s", err, wayOut)
	}
	var mix, keying, thinking []string
	for _, procedure := range f.procedures {
		b := branches[procedure]
		mix, keying, thinking = append(mix, strconv.Itoa(b.weight)), append(keying, cmp.Or(b.keying, "0")), append(thinking, cmp.Or(b.thinking, "0"))
	}
	values[d.Names.Full(saved.Mix)] = strings.Join(mix, ",")
	if f.pausing {
		values[d.Names.Full(saved.Keying)] = strings.Join(keying, ",")
		values[d.Names.Full(saved.Thinking)] = strings.Join(thinking, ",")
	}
	if err := check(d, w, values); err != nil {
		return Script{}, fmt.Errorf("%w: %s", err, wayOut)
	}
	_, timed := values[d.Names.Full(saved.Timed)]
	values[d.Names.Full(w.HammerDB.Driver)] = map[bool]string{true: "timed", false: "test"}[timed]
	return Script{
		Values: values, Timed: timed,
		Notes: []string{"HammerDB's script was read, not run: taken over are its mix, keying and thinking times, iterations, rampup and duration; server, user and password are the dictionary's"},
	}, nil
}

// isTrue reads what the script says about pauses, which may be any boolean of
// Tcl's.
func isTrue(text string, d *database.Database, w *workload.Workload) bool {
	canonical, err := option.Check(d.Names, w.Options(), d.Names.Full(w.HammerDB.Saved.Pauses), text)
	return err == nil && canonical == "true"
}

// branch is what users do in one part of the mix.
type branch struct {
	weight           int
	keying, thinking string // seconds
}

// readLoop reads the loop of transactions, by procedure.
func (f *foreign) readLoop(text string) (map[string]branch, error) {
	choices := reChoice.FindAllStringSubmatchIndex(text, -1)
	if len(choices) != 1 {
		return nil, fmt.Errorf("the mix is drawn in %d places, not in one", len(choices))
	}
	total, err := strconv.Atoi(text[choices[0][2]:choices[0][3]])
	if err != nil {
		return nil, errors.New("the mix is drawn from a number that is too large")
	}
	start, end, ok := blockAround(text, choices[0][0])
	if !ok {
		return nil, errors.New("the braces around the loop of transactions do not match")
	}
	body := text[start:end]
	if strings.Contains(body, `\`) {
		return nil, errors.New("the loop of transactions holds a backslash, behind which anything may stand")
	}
	var branches map[string]branch
	for _, s := range statements(body) {
		switch {
		case reChoice.MatchString(s) || reAbort.MatchString(s):
		case strings.HasPrefix(s, "if") && strings.Contains(s, "$choice") && branches == nil:
			if branches, err = f.readBranches(s, total); err != nil {
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
func (f *foreign) readBranches(chain string, total int) (map[string]branch, error) {
	all, err := words(chain)
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
		procedure, b, err := f.readBranch(all[2])
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
func (f *foreign) readBranch(body string) (procedure string, b branch, err error) {
	pauses := map[string]string{}
	for _, s := range statements(body) {
		guarded := reGuarded.FindStringSubmatch(s)
		if guarded != nil {
			s = guarded[1]
		}
		if m := rePause.FindStringSubmatch(s); m != nil {
			f.paused = true
			if guarded == nil && !f.pausing {
				return "", b, fmt.Errorf("%q pauses although KEYANDTHINK is not true", s)
			}
			if _, twice := pauses[m[1]]; twice {
				return "", b, fmt.Errorf("a transaction has a second %s", m[1])
			}
			pauses[m[1]] = m[2]
			continue
		}
		m := reCall.FindStringSubmatch(s)
		switch {
		case guarded == nil && procedure == "" && m != nil && slices.Contains(f.procedures, m[1]):
			procedure = m[1]
		case guarded != nil || !rePuts.MatchString(s):
			return "", b, fmt.Errorf("a transaction does something else: %q", firstLine(s))
		}
	}
	if procedure == "" {
		return "", b, fmt.Errorf("a branch of the mix calls none of %s", strings.Join(f.procedures, ", "))
	}
	return procedure, branch{keying: pauses["keytime"], thinking: pauses["thinktime"]}, nil
}
