package scripts

import (
	"regexp"
	"slices"
	"strings"
)

// This file decides which statements in a loop of transactions do not change its load, because they
// only compute or print. A script with a connect pool chooses a connection for each transaction and
// counts transactions, partly with procedures of HammerDB's packages.

// computes lists the Tcl commands that only compute or print.
var computes = []string{
	"append", "array", "concat", "dict", "error", "expr", "flush", "foreach", "format", "global", "if", "incr", "info", "join", "lappend", "lassign",
	"lindex", "list", "llength", "lrange", "lreplace", "lreverse", "lsearch", "lset", "lsort", "puts", "RandomNumber", "regexp", "regsub",
	"return", "scan", "set", "split", "string", "subst", "switch", "unset", "upvar", "variable",
}

var (
	reBracket = regexp.MustCompile(`\[\s*`)

	// reWorks matches commands that access a database, wait, or leave the loop, and calls of tdbc
	// objects.
	reWorks = regexp.MustCompile(`(?:^|[\n;{\[])\s*(?:pg_\w+|mysql\w*|maria\w*|ora\w+|db2\w*|tdbc\w*|\$\w+|after|vwait|exec|eval|uplevel|source|break|continue|while|for|time|yield\w*|coroutine|async_\w+|keytime|thinktime|proc|rename)\b`)
	rePicks = regexp.MustCompile(`(?i)pick|choose|select|next|policy|pool|curs|conn|polic`)
)

// isHarmless reports whether a statement only computes or prints, and does not set a variable that
// decides the work of users.
func (f *foreignReader) isHarmless(s piece) bool { return f.harmless(s, nil) }

// harmless is isHarmless within the procedures that are being checked.
func (f *foreignReader) harmless(s piece, within []string) bool {
	list, err := arguments(s.text)
	if err != nil {
		return false
	}
	if f.assigns(list) || !f.isHarmlessCommand(list[0], within) {
		return false
	}
	for i, argument := range list[1:] {
		inside, isBlock := strings.CutPrefix(argument, "{")
		if !isBlock {
			if !f.brackets(argument, within) {
				return false
			}
			continue
		}
		inside = strings.TrimSuffix(inside, "}")
		if !f.brackets(inside, within) {
			return false
		}
		blocks := []string{}
		switch {
		case list[0] == "switch":
			blocks = cases(inside)
		case f.isBlock(list, i+1):
			blocks = []string{inside}
		}
		for _, block := range blocks {
			if slices.ContainsFunc(statements(piece{text: block}), func(s piece) bool { return !f.harmless(s, within) }) {
				return false
			}
		}
	}
	return true
}

// isBlock reports whether an argument in braces is a block of statements.
func (f *foreignReader) isBlock(list []string, i int) bool {
	switch list[0] {
	case "if":
		return i > 1 && list[i-1] != "elseif"
	case "foreach":
		return i == len(list)-1
	}
	return false
}

// cases returns the blocks of a switch, whose cases may be in braces of their own.
func cases(inside string) (blocks []string) {
	list, err := words(piece{text: inside})
	if err != nil || len(list)%2 == 1 {
		return []string{inside}
	}
	for i := 1; i < len(list); i += 2 {
		blocks = append(blocks, list[i].text)
	}
	return blocks
}

// isHarmlessWord reports whether a word only computes.
func (f *foreignReader) isHarmlessWord(word string) bool {
	return strings.HasPrefix(word, "[") && f.brackets(word, nil)
}

// brackets reports whether all commands in brackets only compute.
func (f *foreignReader) brackets(text string, within []string) bool {
	for _, m := range reBracket.FindAllStringIndex(text, -1) {
		depth, end := 1, m[1]
		for ; end < len(text) && depth > 0; end++ {
			switch text[end] {
			case '[':
				depth++
			case ']':
				depth--
			}
		}
		if depth > 0 || !f.harmless(piece{text: text[m[1] : end-1]}, within) {
			return false
		}
	}
	return true
}

// isHarmlessCommand reports whether a command only computes: a command of Tcl, a procedure of the
// script that consists of such commands, or in a script with a connect pool an external procedure
// whose name indicates that it chooses a connection.
func (f *foreignReader) isHarmlessCommand(name string, within []string) bool {
	body, own := f.bodies[name]
	switch {
	case slices.Contains(f.procedures, name):
		return false
	case !own:
		return slices.Contains(computes, name) || f.pooled && rePicks.MatchString(name) && !reWorks.MatchString(name)
	case slices.Contains(within, name):
		return true
	}
	within = append(slices.Clone(within), name)
	return !slices.ContainsFunc(statements(piece{text: body}), func(s piece) bool { return !f.harmless(s, within) })
}

// assigns reports whether a statement sets a variable that decides the work of users.
func (f *foreignReader) assigns(list []string) bool {
	var targets []string
	switch list[0] {
	case "set", "incr", "append", "lappend", "lset", "upvar", "global", "variable", "unset", "lassign", "foreach", "scan", "regexp", "regsub", "array", "dict":
		targets = list[1:]
	}
	if list[0] == "set" && len(targets) > 1 { // a set with one argument only reads
		targets = targets[:1]
	}
	return slices.ContainsFunc(targets, func(t string) bool {
		return slices.ContainsFunc(strings.Fields(strings.Trim(t, "{}")), f.decides)
	})
}

// decides reports whether a variable decides the work of users.
func (f *foreignReader) decides(variable string) bool {
	_, setting := f.options[strings.ToLower(variable)]
	return setting && slices.Contains(f.saved.Users, strings.ToLower(variable)) || slices.Contains(f.saved.Drawn, variable) || variable == "choice" || variable == "it"
}
