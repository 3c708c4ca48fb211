package database

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"
)

// ActiveSession is a session that is not idle, at the moment of a reading.
type ActiveSession struct {
	ID         string // as in the server's own lists
	Background bool   // a process of the server's own
	Program    string // as the client calls itself, or the kind of background process; "" if it is hidden from the user
	Wait       string // what it waits for, by the server's name: "IO/WalSync"; "" if it waits for nothing
	Statement  string // at most 200 characters; "" if it is hidden from the user

	// By the server's clock: Asked is when it received the request for the list, Now is when it looked,
	// and Since is when the session began its statement, or what else it does. Zero if unknown.
	Asked, Now, Since time.Time
}

// SessionID returns the ID in lists of sessions, given Server.Name's answer.
func SessionID(name string) string { return name[strings.LastIndexByte(name, ' ')+1:] }

// RowLock is the wait of a session that waits for a row, on servers that tell it only by their list of
// locks.
const RowLock = "row lock"

// WaitClass is what sessions wait for, in the same words for each database.
type WaitClass string

// The classes of waits.
const (
	WaitCPU      WaitClass = "cpu"      // it computes, or could
	WaitLock     WaitClass = "lock"     // rows, tables, metadata, advisory locks
	WaitLog      WaitClass = "log"      // the log is written or flushed
	WaitRead     WaitClass = "read"     // from data files
	WaitWrite    WaitClass = "write"    // to data files and temporary files
	WaitLatch    WaitClass = "latch"    // short locks of the server's own
	WaitCommit   WaitClass = "commit"   // group commit, acknowledgement of replicas
	WaitNetwork  WaitClass = "network"  // the client, or a message to it
	WaitMemory   WaitClass = "memory"   // an allocation
	WaitParallel WaitClass = "parallel" // other workers of the same statement
	WaitThrottle WaitClass = "throttle" // a pause on purpose
	WaitIdle     WaitClass = "idle"     // work
	WaitOther    WaitClass = "other"    // anything else
)

// WaitClasses are the classes in the order in which displays show them.
var WaitClasses = []WaitClass{
	WaitCPU, WaitLock, WaitLog, WaitCommit, WaitRead, WaitWrite, WaitLatch, WaitMemory, WaitNetwork, WaitParallel, WaitThrottle, WaitOther, WaitIdle,
}

// Values in statements: texts and numbers, but no digits in names. A text without its end extends to the end of the
// statement.
const (
	numbers = `\b(?:0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\b|\$[0-9]+`
	escaped = `(?:[^%[1]s\\]|\\[\s\S]|%[1]s%[1]s)*%[1]s?`
)

var (
	valuesOf        = regexp.MustCompile(`\b[eE]'` + fmt.Sprintf(escaped, "'") + `|'(?:[^']|'')*'?|\$[A-Za-z_]*\$[\s\S]*|` + numbers)
	valuesOfEscaped = regexp.MustCompile(`'` + fmt.Sprintf(escaped, "'") + `|"` + fmt.Sprintf(escaped, `"`) + `|` + numbers)
)

// Mask returns a function that replaces the values in a statement of the server by question marks. They
// may be private, and would make equal statements different.
func (r Runs) Mask() func(statement string) string {
	values := valuesOf
	if r.EscapedTexts {
		values = valuesOfEscaped
	}
	return func(statement string) string { return values.ReplaceAllString(statement, "?") }
}

// Waits classify the waits of a server by rules, of which the first that fits decides.
type Waits []waitRule

type waitRule struct {
	class   WaitClass
	pattern string // in lower case, with * for any characters
}

// MustParseWaits parses rules: each line has a class and, separated by commas, patterns of the server's
// names. A line that begins with # is a comment. It panics if a class does not exist, because the text
// is part of the program.
func MustParseWaits(text string) Waits {
	var rules Waits
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		class, patterns, _ := strings.Cut(line, " ")
		if !WaitClass(class).known() {
			panic(fmt.Sprintf("the rule %q has no class of waits", line))
		}
		for pattern := range strings.SplitSeq(patterns, ",") {
			rules = append(rules, waitRule{WaitClass(class), strings.ToLower(strings.TrimSpace(pattern))})
		}
	}
	return rules
}

func (c WaitClass) known() bool {
	for _, one := range WaitClasses {
		if one == c {
			return true
		}
	}
	return false
}

// Class returns the class of a wait, and whether a rule fits. A session without a wait computes. Names
// are compared without regard to case, because releases of one server differ in it.
func (w Waits) Class(wait string) (class WaitClass, known bool) {
	if wait == "" {
		return WaitCPU, true
	}
	wait = strings.ReplaceAll(strings.ToLower(wait), "/", ".") // * of path.Match stops at a slash
	for _, rule := range w {
		if fits, _ := path.Match(strings.ReplaceAll(rule.pattern, "/", "."), wait); fits {
			return rule.class, true
		}
	}
	return WaitOther, false
}
