package scripts

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Patterns of statements in the loop of transactions. Those with Compact in the name match text
// without blanks.
var (
	reChoice   = regexp.MustCompile(`set\s+choice\s+\[\s*RandomNumber\s+1\s+(\d+)\s*\]`)
	reFor      = regexp.MustCompile(`(?:^|[\n;{])[ \t]*(for)\s*\{\s*set\s+it\s+0\s*\}\s*\{\s*\$it\s*<\s*\$total_iterations\s*\}\s*\{\s*incr\s+it\s*\}\s*$`)
	reRepeated = regexp.MustCompile(`^(?:for|foreach|while|time|after)\b`)
	reUpTo     = regexp.MustCompile(`^\s*\$choice\s*<=\s*(\d+)\s*$`)
	rePause    = regexp.MustCompile(`^(async_)?(keytime|thinktime)\s+(\d+(?:\.\d+)?)(\s+\$clientname\s+\w+\s+\$async_verbose)?$`)
	reAfter    = regexp.MustCompile(`\bafter\s+(\d+)\b`)
	reTells    = regexp.MustCompile(`^puts\s+"[^"\[]*"$`) // also with variables
	reVariable = regexp.MustCompile(`^(?:\$\w+|true|false)$`)

	// A shared variable tells users to stop. They check it before each transaction, or since
	// HammerDB 3.3 less often: if a check takes longer than hi_t, they halve the frequency. None of
	// this changes the load.
	reAbortCompact  = regexp.MustCompile(`^if\{` + aborted + `\}\{break\}$`)
	reSeldomCompact = regexp.MustCompile(`^(?:\[expr\{?\$it%\$abchk\}?\]|\$it%\$abchk)(?:==|eq)0$`)
	reLookCompact   = regexp.MustCompile(`^(?:` + timed + `|\[lindex` + timed + `0\])>=?\$hi_t$`)
	reRarerCompact  = regexp.MustCompile(`^set(?:abchk|hi_t)\[expr\{?(?:\$abchk_mx|\$abchk|\$hi_t|min|max|int|round|pow|[-+*/(),.\d])+\}?\]$`)

	reSpreadCompact = regexp.MustCompile(`^if\{\$allwarehouses(?:==|eq)"true"\}\{setw_id\[lindex\$myWarehouses(?:` + index + `|\[expr\{?` + index + `\}?\])\]\}$`)
)

// Parts of these patterns, without blanks.
const (
	aborted = `\[tsv::getapplicationabort\](?:(?:==|eq)1)?`
	timed   = `\[time\{if\{` + aborted + `\}\{break\}\}1?\]`
	index   = `\(?\[RandomNumber1\$myWhCount\]\)?-1`
)

// findLoops returns the bodies of the loops of transactions, in which the mix is drawn. A script
// may have several, such as one for each way to connect. No other loop may contain them.
func (f *foreignReader) findLoops() ([]piece, error) {
	var loops []piece
	var other error
	for _, choice := range reChoice.FindAllStringIndex(f.text, -1) {
		start, end, ok := blockAround(f.text, choice[0])
		if !ok {
			other = cmp.Or(other, f.errorf(choice[0], "the choice of a transaction is not in a loop, or the braces around the loop do not match"))
			continue
		}
		header := reFor.FindStringSubmatchIndex(f.text[:start-1])
		if header == nil {
			other = cmp.Or(other, f.errorf(start, "the choice does not stand in \"for {set it 0} {$it < $total_iterations} {incr it} {...}\""))
			continue
		}
		if len(loops) > 0 && loops[len(loops)-1].at == start {
			return nil, f.errorf(choice[0], "the loop of transactions draws the mix twice")
		}
		if err := f.checkAround(header[2]); err != nil {
			return nil, err
		}
		loops = append(loops, piece{f.text[start:end], start})
	}
	if len(loops) == 0 && other == nil {
		other = errors.New("it has no loop of transactions, which draws each by \"set choice [ RandomNumber 1 N ]\"")
	}
	if len(loops) == 0 {
		return nil, other
	}
	return loops, nil
}

// readLoops reads the loops of transactions, which must be equivalent.
func (f *foreignReader) readLoops(loops []piece) (map[string]branch, error) {
	first, err := f.readLoop(loops[0])
	if err != nil {
		return nil, err
	}
	spread := f.spread
	for _, loop := range loops[1:] {
		f.spread = false
		more, err := f.readLoop(loop)
		if err != nil {
			return nil, err
		}
		if f.spread != spread || !maps.Equal(first, more) {
			return nil, f.errorf(loop.at, "this loop of transactions has another mix, other pauses or other warehouses than that of line %d", f.line(loops[0].at))
		}
	}
	return first, nil
}

// maxDepth limits the nesting of blocks; no script of HammerDB reaches it.
const maxDepth = 50

// checkAround refuses a loop inside another loop.
func (f *foreignReader) checkAround(at int) error {
	for range maxDepth {
		inside, _, ok := blockAround(f.text, at)
		if !ok {
			return nil
		}
		outer := piece{text: f.text}
		if start, end, ok := blockAround(f.text, inside-1); ok {
			outer = piece{f.text[start:end], start}
		}
		for _, s := range statements(outer) {
			if s.at < inside && inside <= s.at+len(s.text) && reRepeated.MatchString(s.text) {
				return f.errorf(s.at, "the loop of transactions stands in another one: %q", firstLine(s.text))
			}
		}
		at = inside - 1
	}
	return errors.New("the loop of transactions stands in too many blocks")
}

// branch is one kind of transaction in the loop.
type branch struct {
	weight           int
	keying, thinking string // seconds
	fixed            int    // milliseconds, besides keying
}

// seconds returns the fixed time for which users wait before a transaction.
func (b branch) seconds() string {
	if b.fixed == 0 && b.keying != "" {
		return b.keying
	}
	keying, _ := strconv.ParseFloat(b.keying, 64) // only digits, or empty
	return strconv.FormatFloat((keying*1000+float64(b.fixed))/1000, 'f', -1, 64)
}

// readLoop reads a loop of transactions. It returns the branches by procedure.
func (f *foreignReader) readLoop(loop piece) (map[string]branch, error) {
	if at := strings.IndexByte(loop.text, '\\'); at >= 0 {
		return nil, f.errorf(loop.at+at, "the loop of transactions contains a backslash, after which anything may follow")
	}
	total := 0 // 0 until the choice was made
	var branches map[string]branch
	for _, s := range statements(loop) {
		choice := reChoice.FindStringSubmatch(s.text)
		var err error
		switch {
		case isAbortCheck(s):
		case choice != nil && choice[0] == s.text && branches == nil:
			if total, err = strconv.Atoi(choice[1]); err != nil || total == 0 {
				return nil, f.errorf(s.at, "the mix is drawn from 1 to %s", choice[1])
			}
		case reSpreadCompact.MatchString(s.compact()) && branches == nil && !f.spread:
			f.spread = true
		case f.tells(s), f.isHarmless(s):
		case strings.HasPrefix(s.text, "if") && strings.Contains(s.text, "$choice") && branches == nil && total > 0:
			if branches, err = f.readBranches(s, total); err != nil {
				return nil, err
			}
		default:
			return nil, f.errorf(s.at, "the loop of transactions holds something else: %q", firstLine(s.text))
		}
	}
	if branches == nil {
		return nil, f.errorf(loop.at, "after the choice there is no \"if {$choice <= ...}\"")
	}
	return branches, nil
}

// isAbortCheck reports whether a statement only checks whether the users must stop.
func isAbortCheck(s piece) bool {
	if reAbortCompact.MatchString(s.compact()) {
		return true
	}
	inside, ok := conditional(s, func(condition piece) bool { return reSeldomCompact.MatchString(condition.compact()) })
	if !ok || len(inside) != 1 {
		return false
	}
	rarer, ok := conditional(inside[0], func(condition piece) bool { return reLookCompact.MatchString(condition.compact()) })
	return ok && !slices.ContainsFunc(rarer, func(s piece) bool { return !reRarerCompact.MatchString(s.compact()) })
}

// conditional returns the statements in "if {condition} {...}" without an else.
func conditional(s piece, condition func(piece) bool) ([]piece, bool) {
	list, err := words(s)
	if err != nil || len(list) != 3 || list[0].text != "if" || !condition(list[1]) {
		return nil, false
	}
	return statements(list[2]), true
}

// on returns a function that matches a condition that is only a variable.
func on(variable string) func(piece) bool {
	return func(condition piece) bool { return condition.compact() == "$"+variable }
}

// tells reports whether a statement only prints the action of an asynchronous client.
func (f *foreignReader) tells(s piece) bool {
	said, ok := conditional(s, on("async_verbose"))
	if !ok || slices.ContainsFunc(said, func(s piece) bool { return !reTells.MatchString(s.text) }) {
		return false
	}
	f.asynchronous = true
	return true
}

// readBranches reads "if {$choice <= 10} {...} elseif {$choice <= 20} {...} ...".
func (f *foreignReader) readBranches(chain piece, total int) (map[string]branch, error) {
	all, err := words(chain)
	if err != nil {
		return nil, f.errorf(chain.at, "%w", err)
	}
	branches := map[string]branch{}
	last := 0
	word := "if"
	for len(all) >= 2 {
		upTo, body := total, all[1]
		rest := all[2:]
		switch m := reUpTo.FindStringSubmatch(all[1].text); {
		case all[0].text == "else" && len(all) == 2 && last > 0 && last < total:
		case all[0].text != word || len(all) < 3:
			return nil, f.errorf(all[0].at, "the choices end in %q", firstLine(all[0].text+" "+all[1].text))
		case m == nil:
			return nil, f.errorf(all[1].at, "the condition {%s} is not of the form {$choice <= NUMBER}", all[1].text)
		default:
			if upTo, err = strconv.Atoi(m[1]); err != nil || upTo <= last {
				return nil, f.errorf(all[1].at, "the condition {%s} comes after one up to %d", all[1].text, last)
			}
			body, rest = all[2], all[3:]
		}
		procedure, b, err := f.readBranch(body)
		if err != nil {
			return nil, err
		}
		if _, twice := branches[procedure]; twice {
			return nil, f.errorf(body.at, "%s is called in two branches", procedure)
		}
		b.weight = upTo - last
		branches[procedure] = b
		last, all, word = upTo, rest, "elseif"
	}
	if len(all) > 0 {
		return nil, f.errorf(all[0].at, "the choices end in %q", firstLine(all[0].text))
	}
	if last != total {
		return nil, f.errorf(chain.at, "the choices go up to %d, and the number is drawn from 1 to %d", last, total)
	}
	return branches, nil
}

// readBranch reads the pauses and the call of a branch.
func (f *foreignReader) readBranch(body piece) (procedure string, b branch, err error) {
	for _, s := range statements(body) {
		if pauses, ok := conditional(s, on("KEYANDTHINK")); ok {
			f.guarded = true
			for _, p := range pauses {
				if err := f.readPause(&b, p, procedure != "", f.keyandthink); err != nil {
					return "", b, err
				}
			}
			continue
		}
		called, err := f.readCall(s)
		switch {
		case err != nil:
			return "", b, err
		case called != "" && procedure == "":
			procedure = called
		case f.tells(s), f.isHarmless(s):
		default:
			if err := f.readPause(&b, s, procedure != "", true); err != nil {
				return "", b, err
			}
		}
	}
	if procedure == "" {
		return "", b, f.errorf(body.at, "a branch of the mix calls none of %s", strings.Join(f.procedures, ", "))
	}
	return procedure, b, nil
}

// readPause reads keytime, thinktime, or a plain wait of Tcl, which counts as a keying time. A wait
// after a transaction counts for the same transaction, because a pause between two transactions may
// belong to either. A pause that does not take place, because KEYANDTHINK is false, does not count.
func (f *foreignReader) readPause(b *branch, s piece, behind, kept bool) error {
	m := rePause.FindStringSubmatch(s.text)
	after := reAfter.FindStringSubmatch(s.text)
	switch {
	case after != nil && after[0] == s.text:
		millis, err := strconv.Atoi(after[1])
		if err != nil || millis > maxPause-b.fixed {
			return f.errorf(s.at, "%q is longer than a day", s.text)
		}
		if kept {
			b.fixed += millis
			f.paused, f.fixedThink = true, f.fixedThink || behind
		}
		return nil
	case m == nil || (m[1] == "") != (m[4] == ""):
		return f.errorf(s.at, "a transaction does something else: %q", firstLine(s.text))
	}
	f.asynchronous = f.asynchronous || m[1] != ""
	if !kept {
		return nil
	}
	f.paused = true
	time := &b.keying
	if m[2] == "thinktime" {
		time = &b.thinking
	}
	if *time != "" {
		return f.errorf(s.at, "a transaction has a second %s", m[2])
	}
	*time = m[3]
	return nil
}

// maxPause is a day, in milliseconds.
const maxPause = 86_400_000

// readCall returns the procedure that a statement calls for a transaction, or "". The first
// argument must be a connection, and the others must include, in order, the arguments that decide
// where the transaction works.
func (f *foreignReader) readCall(s piece) (string, error) {
	list, err := arguments(s.text)
	if err != nil || !slices.Contains(f.procedures, list[0]) {
		return "", nil
	}
	expected := f.saved.Calls[list[0]]
	ok := len(list) > 1
	for i, argument := range list[1:] {
		if i > 0 && len(expected) > 0 && argument == "$"+expected[0] {
			expected = expected[1:]
			continue
		}
		ok = ok && (reVariable.MatchString(argument) && !slices.Contains(f.saved.Drawn, argument[1:]) || i == 0 && f.isHarmlessWord(argument))
	}
	if !ok || len(expected) > 0 {
		return "", f.errorf(s.at, "%s is called with something else: %q", list[0], firstLine(s.text))
	}
	return list[0], nil
}
