package database

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ActiveSession is a session that is not idle, at the moment of a reading.
type ActiveSession struct {
	ID         string // as in the server's own lists
	Background bool   // a process of the server's own
	Program    string // as the client calls itself, or the kind of background process; "" if it is hidden from the user
	Wait       string // what it waits for, by the server's name: "IO/WalSync"; "" if it waits for nothing
	Statement  string // of its client, cut to 200 characters; "" if it is hidden from the user
	Inner      string // the statement that the routine of Statement executes, cut to 200 characters; "" outside a routine, or if it is unknown

	// Blockers are the IDs of the sessions before it in the queue for a lock; nil if it waits for none, or
	// if the server does not tell.
	Blockers []string

	// By the server's clock: Asked is when it received the request for the list, Now is when it looked,
	// and Since is when the session began its statement, or what else it does. Zero if unknown.
	Asked, Now, Since time.Time
}

// Activity is a way to list the sessions of a server that are not idle.
type Activity struct {
	// Lacking returns why the server or the user's privileges do not allow this way, "" if they do.
	// Coarse returns what its lists do not tell, and why, "" if they tell all. Optional.
	Lacking, Coarse func(ctx context.Context, s Session) (string, error)

	// List lists the sessions, without the one that asks.
	List func(ctx context.Context, s Session) ([]ActiveSession, error)

	// Blocked lists sessions that wait for a lock of another session, if List does not. It costs the
	// server more, and may need more privileges. Optional.
	Blocked func(ctx context.Context, s Session) ([]Blocked, error)

	// Every is the shortest time between two lists; 0 is the usual time.
	Every time.Duration

	// Undivided says why the lists do not show what transactions do; "" if they do.
	Undivided string
}

// Blocked is a session that waits for a lock of another session. A session that waits behind several
// others has an element for each of them.
type Blocked struct {
	ID      string
	Blocker string // the ID of the other session; "" if it is unknown
	Program string // of the other session; "" if it is unknown
}

// FirstBlocker returns the one of a session's blockers that waits for none of the others: it holds the
// lock, and the others are queued for it. It returns "" if there are no blockers, and the first blocker
// if they wait for each other. blockers has the blockers of all sessions.
func FirstBlocker(id string, blockers map[string][]string) string {
	for _, one := range blockers[id] {
		if !slices.ContainsFunc(blockers[one], func(other string) bool { return slices.Contains(blockers[id], other) }) {
			return one
		}
	}
	if len(blockers[id]) == 0 {
		return ""
	}
	return blockers[id][0]
}

// LastBlocker returns the session at the end of the chain that a session waits in: a session's first blocker may wait
// for another one. It returns "" if there are no blockers. In a deadlock, the chain ends where it meets itself.
func LastBlocker(id string, blockers map[string][]string) string {
	last, passed := "", map[string]bool{id: true}
	for next := FirstBlocker(id, blockers); next != "" && !passed[next]; next = FirstBlocker(next, blockers) {
		last, passed[next] = next, true
	}
	return last
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
	pattern string // in lower case, with * for any characters, and dots for slashes
	prefix  string // what the pattern begins with; most waits have another beginning
}

// compared returns a wait or a pattern in the form in which they are compared: path.Match stops at a slash.
func compared(wait string) string { return strings.ReplaceAll(strings.ToLower(wait), "/", ".") }

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
			pattern = compared(strings.TrimSpace(pattern))
			prefix := pattern
			if special := strings.IndexAny(pattern, `*?[\`); special >= 0 {
				prefix = pattern[:special]
			}
			rules = append(rules, waitRule{WaitClass(class), pattern, prefix})
		}
	}
	return rules
}

func (c WaitClass) known() bool { return slices.Contains(WaitClasses, c) }

// Class returns the class of a wait, and whether a rule fits. A session without a wait computes. Names
// are compared without regard to case, because releases of one server differ in it.
func (w Waits) Class(wait string) (class WaitClass, known bool) {
	if wait == "" {
		return WaitCPU, true
	}
	wait = compared(wait)
	for _, rule := range w {
		if !strings.HasPrefix(wait, rule.prefix) {
			continue
		}
		if fits, _ := path.Match(rule.pattern, wait); fits {
			return rule.class, true
		}
	}
	return WaitOther, false
}
