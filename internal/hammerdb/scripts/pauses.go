package scripts

import (
	"fmt"
	"regexp"
	"strings"
)

// Users of a HammerDB script pause with two procedures: keytime waits for a number of seconds, and
// thinktime for an exponentially distributed time with that mean, rounded to whole seconds. Only in
// these forms do their arguments correspond to Sledge's keying and thinking times. Blanks do not
// matter.
var (
	reKeying   = regexp.MustCompile(`^after\[expr\{?\$(\w+)\*1000\}?\]$`)
	reDrawn    = regexp.MustCompile(`^set(\w+)\[expr\{?abs\(round\(log\(rand\(\)\)\*\$(\w+)\)\)\}?\]$`)
	reThinking = regexp.MustCompile(`^after\[expr\{?abs\(round\(log\(rand\(\)\)\*\$(\w+)\)\)\*1000\}?\]$`)
)

var (
	reProcedure = regexp.MustCompile(`(?:^|[\n;{])[ \t]*proc\s+([\w:]+)\s`)
	reWord      = regexp.MustCompile(`\w+`)
	reString    = regexp.MustCompile(`"(?:[^"\\\n\[]|\\.)*"`) // strings with a command do not match
	reComment   = regexp.MustCompile(`(?m)(?:^|;)[ \t]*#.*$`)
	reWait      = regexp.MustCompile(`\bafter\s+["{]?[\d$\[(][^\s;}\]]*|\bexec\s+sleep\b`)

	// The monitor of a run waits in loops that compare a time with rampup or duration, and reads
	// the clock every six seconds. Its other work, such as watching a server purge, uses short
	// waits.
	reTiming = regexp.MustCompile(`\bwhile\s*\{[^{}]*\$(rampup|duration)\b[^{}]*\}\s*\{`)
	reStep   = regexp.MustCompile(`\bafter\s+6000[ \t]*(?:[\n;}\]]|$)`)
	reShort  = regexp.MustCompile(`\bafter\s+(?:\d{1,4}|10000)[ \t]*(?:[\n;}\]]|$)`)
)

// checkPauses refuses a script whose users wait by other means than keytime and thinktime, or whose
// keytime or thinktime is not HammerDB's. It ignores the loops of transactions, which readLoops has
// checked.
func checkPauses(text string, loops []piece) error {
	all, err := procedures(text)
	if err != nil {
		return err
	}
	bodies := map[string]string{}
	rest := []byte(text) // without keytime and thinktime
	for _, p := range all {
		if p.name != "keytime" && p.name != "thinktime" {
			bodies[p.name] += "\n" + p.body
			continue
		}
		if !p.pauses() {
			return fmt.Errorf("proc %s was changed, so the meaning of its argument is not certain", p.name)
		}
		for i := p.start; i < p.end; i++ {
			if rest[i] != '\n' {
				rest[i] = ' '
			}
		}
	}
	if wait := reWait.FindString(plain(ofUsers(string(rest), loops, bodies))); wait != "" {
		return fmt.Errorf("its users wait by %q, not only by keytime and thinktime", wait)
	}
	others := plain(string(rest))
	for _, loop := range reTiming.FindAllStringIndex(others, -1) {
		body, _, err := word(others[loop[1]-1:])
		if err != nil {
			return fmt.Errorf("a loop that times the run: %w", err)
		}
		if wait := reWait.FindString(reStep.ReplaceAllString(body, "")); wait != "" {
			return fmt.Errorf("it times the run by %q, which HammerDB's does not", wait)
		}
	}
	if wait := reWait.FindString(reShort.ReplaceAllString(others, "")); wait != "" {
		return fmt.Errorf("it waits by %q, which HammerDB's does not", wait)
	}
	return nil
}

// procedure is a procedure that a script defines.
type procedure struct {
	name, parameters, body string
	start, end             int // position of the definition in the script, from the name on
}

// procedures lists all definitions of procedures in a script, including nested and repeated ones.
func procedures(text string) ([]procedure, error) {
	var list []procedure
	for _, m := range reProcedure.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		parameters, rest, err := word(text[m[3]:])
		if err != nil {
			return nil, fmt.Errorf("proc %s: %w", name, err)
		}
		body, rest, err := word(rest)
		if err != nil {
			return nil, fmt.Errorf("proc %s: %w", name, err)
		}
		name = name[strings.LastIndex(name, ":")+1:]
		list = append(list, procedure{name, parameters, body, m[2], len(text) - len(rest)})
	}
	return list, nil
}

// pauses reports whether a keytime or thinktime is HammerDB's.
func (p procedure) pauses() bool {
	var list []string
	for _, s := range statements(piece{text: p.body}) {
		list = append(list, s.compact())
	}
	if last := len(list) - 1; last >= 0 && list[last] == "return" {
		list = list[:last]
	}
	parameter := strings.TrimSpace(p.parameters)
	in := func(form *regexp.Regexp, s string) bool {
		m := form.FindStringSubmatch(s)
		return m != nil && m[len(m)-1] == parameter
	}
	switch {
	case p.name == "keytime":
		return len(list) == 1 && in(reKeying, list[0])
	case len(list) == 1:
		return in(reThinking, list[0])
	case len(list) == 2 && in(reDrawn, list[0]):
		drawn, waited := reDrawn.FindStringSubmatch(list[0]), reKeying.FindStringSubmatch(list[1])
		return waited != nil && waited[1] == drawn[1]
	}
	return false
}

// ofUsers returns the part of a script that users execute until the end of their transactions: the
// blocks around the loops, up to the end of the loops, and all procedures that these blocks name
// directly or indirectly. The monitor executes the rest.
func ofUsers(text string, loops []piece, bodies map[string]string) string {
	var parts []string
	for _, loop := range loops {
		start, _, ok := blockAround(text, loop.at-1)
		if !ok {
			start = 0
		}
		parts = append(parts, text[start:loop.at+len(loop.text)])
	}
	var all strings.Builder
	for next := parts; len(next) > 0; next = next[1:] {
		all.WriteString(next[0] + "\n")
		for _, name := range reWord.FindAllString(next[0], -1) {
			if body, known := bodies[name]; known {
				next = append(next, body)
				delete(bodies, name)
			}
		}
	}
	return all.String()
}

// plain returns a text without comments and strings, because these may mention waits.
func plain(text string) string {
	return reComment.ReplaceAllString(reString.ReplaceAllString(text, `""`), "")
}
