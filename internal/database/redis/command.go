package redis

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// A text of Redis commands has one command in each line. A line that begins with a blank continues
// the line before. In addition to the server's own commands and syntax, there are
//
//	district(:w_id, :d_id)        the key NAME:district:1:1; now() is the time, as timestamps are kept
//	s_dist_:d_id%02               a parameter within a word, with two digits
//	HMGET key a b AS c            one row with the columns a and c; no row if the key does not exist
//	EXISTS key                    no row if the key does not exist
//	ZSCORE key member             no result; if the member does not exist any more, the transaction has a conflict
//	ZRANGE key 0 -1 AS a/b        a row for each member, whose parts are separated by a slash
//	HGETALL key EACH a b          a row for each number n of the fields a/n and b/n
//	HGETALL key SUM a AS b        one row with the sum of them
//	HSET key EACH a value         sets each of them
//	FCALL name, SCRIPT name       call the schema's function or script of that name; its result
//	                              is a table, whose first row has the names of the columns
//	ROUTINES name ...             lists those that exist
//
// All reads run before the writes. The rows of several reads are joined: all reads but the last
// return one row.

// command is a parsed line.
type command struct {
	verb    string
	args    []argument
	shape   shape
	columns []string // columns of its rows, or the fields of EACH
}

// shape is the form of a command's result.
type shape int

const (
	nothing shape = iota // it writes, or its result is discarded
	fields
	existence
	presence
	members
	lines
	sum
	table
	routineList
	setEach
)

// writers are the commands that wait in the queue of a transaction.
var writers = []string{"HSET", "HDEL", "HINCRBY", "ZADD", "ZREM", "XADD", "XDEL", "SADD", "SREM", "SET", "DEL", "UNLINK", "RENAME"}

// writes reports whether the command changes something.
func (c *command) writes() bool { return slices.Contains(writers, c.verb) }

// argument is a word of a command, split into parts if it contains parameters.
type argument struct {
	literal string
	parts   []part
}

// part is a part of an argument.
type part struct {
	literal string
	pointer any // pointer to the field of a parameter
	width   int // minimum width of a number, which is padded with zeros
	now     bool
}

// parse parses a text of commands with the given parameters.
func (s *session) parse(q sqlfile.Query, params []database.Param) ([]command, error) {
	var list []command
	for _, line := range joined(q.Text) {
		words, err := split(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.Name, err)
		}
		c, err := s.parseLine(words, params)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", q.Name, line, err)
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: there is no command", q.Name)
	}
	return list, nil
}

// joined returns the lines of a text, each joined with its continuation lines.
func joined(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
		case len(all) > 0 && (line[0] == ' ' || line[0] == '\t'):
			all[len(all)-1] += " " + trimmed
		default:
			all = append(all, trimmed)
		}
	}
	return all
}

// split divides a line into words. Blanks in parentheses or in double quotes do not divide words.
// The quotes are removed.
func split(line string) (words []string, err error) {
	var word strings.Builder
	depth, quoted, begun := 0, false, false
	for _, c := range []byte(line) {
		switch {
		case c == '"':
			quoted, begun = !quoted, true
			continue
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ' ' && depth == 0 || c == '\t' && depth == 0:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
			continue
		}
		begun = true
		word.WriteByte(c)
	}
	if quoted || depth != 0 {
		return nil, errors.New("a quote or a parenthesis has no end")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// parseLine parses the words of a command.
func (s *session) parseLine(words []string, params []database.Param) (c command, err error) {
	c.verb, words = words[0], words[1:]
	switch {
	case c.verb == "HMGET" && len(words) > 0:
		c.shape = fields
		words, c.columns = named(words, 1)
	case c.verb == "EXISTS":
		c.shape = existence
	case c.verb == "ZSCORE":
		c.shape = presence
	case c.verb == "ZRANGE" && slices.Contains(words, "AS"):
		c.shape = members
		at := slices.Index(words, "AS")
		c.columns, words = strings.Split(strings.Join(words[at+1:], ""), "/"), words[:at]
	case c.verb == "HGETALL" && len(words) > 2 && words[1] == "EACH":
		c.shape, c.columns, words = lines, words[2:], words[:1]
	case c.verb == "HGETALL" && len(words) == 5 && words[1] == "SUM":
		c.shape, c.columns, words = sum, []string{words[4], words[2]}, words[:1]
	case c.verb == "HSET" && len(words) == 4 && words[1] == "EACH":
		c.shape, c.columns, words = setEach, words[2:3], []string{words[0], words[3]}
	case c.verb == "FCALL" && len(words) > 0:
		c.shape = table
		words = append([]string{s.options.function(words[0]), "0"}, words[1:]...)
	case c.verb == "SCRIPT" && len(words) > 0 && strings.ToUpper(words[0]) != words[0]:
		c.shape, c.verb = table, "EVALSHA"
		words = append([]string{words[0], "0"}, words[1:]...)
	case c.verb == "ROUTINES":
		c.shape = routineList
	}
	for _, word := range words {
		a, err := s.parseArgument(word, params)
		if err != nil {
			return c, err
		}
		c.args = append(c.args, a)
	}
	return c, nil
}

// named removes each "AS name" from words[from:], and returns the words' names: the name after AS,
// or the word itself.
func named(words []string, from int) (rest, names []string) {
	rest = slices.Clone(words[:from])
	for i := from; i < len(words); i++ {
		if words[i] == "AS" && i+1 < len(words) && len(names) > 0 {
			i++
			names[len(names)-1] = words[i]
			continue
		}
		rest, names = append(rest, words[i]), append(names, words[i])
	}
	return rest, names
}

var (
	keyWord   = regexp.MustCompile(`^([a-z_0-9]+)\((.*)\)$`)
	parameter = regexp.MustCompile(`ARGV\[(\d+)\](%02)?`)
)

// parseArgument parses a word.
func (s *session) parseArgument(word string, params []database.Param) (a argument, err error) {
	m := keyWord.FindStringSubmatch(word)
	if m == nil {
		a.parts, err = parseParts(nil, word, params)
		return a.simple(), err
	}
	if m[1] == "now" && m[2] == "" {
		return argument{parts: []part{{now: true}}}, nil
	}
	a.parts = []part{{literal: s.options.Key(m[1])}}
	if m[2] == "" {
		return a.simple(), nil
	}
	for piece := range strings.SplitSeq(m[2], ",") {
		a.parts = append(a.parts, part{literal: ":"})
		if a.parts, err = parseParts(a.parts, strings.TrimSpace(piece), params); err != nil {
			return a, err
		}
	}
	return a.simple(), nil
}

// parseParts appends the parts of a word.
func parseParts(parts []part, word string, params []database.Param) ([]part, error) {
	at := 0
	for _, m := range parameter.FindAllStringSubmatchIndex(word, -1) {
		if m[0] > at {
			parts = append(parts, part{literal: word[at:m[0]]})
		}
		n, err := strconv.Atoi(word[m[2]:m[3]])
		if err != nil || n < 1 || n > len(params) {
			return parts, fmt.Errorf("there is no parameter %s", word[m[0]:m[1]])
		}
		p := part{pointer: params[n-1].Pointer}
		if m[4] >= 0 {
			p.width = 2
		}
		parts = append(parts, p)
		at = m[1]
	}
	if at < len(word) || len(parts) == 0 {
		parts = append(parts, part{literal: word[at:]})
	}
	return parts, nil
}

// simple joins the parts of an argument if all of them are literals.
func (a argument) simple() argument {
	var text strings.Builder
	for _, p := range a.parts {
		if p.pointer != nil || p.now {
			return a
		}
		text.WriteString(p.literal)
	}
	return argument{literal: text.String()}
}

// begins returns the part of the argument before its first parameter.
func (a *argument) begins() string {
	if len(a.parts) > 0 {
		return a.parts[0].literal
	}
	return a.literal
}

// isNull reports whether the argument is a parameter whose value is NULL.
func (a *argument) isNull() bool {
	return len(a.parts) == 1 && a.parts[0].pointer != nil && database.NotNull(a.parts[0].pointer) == nil
}

// append appends the argument with the values of its parameters.
func (a *argument) append(buf []byte) []byte {
	if a.parts == nil {
		return append(buf, a.literal...)
	}
	for i := range a.parts {
		p := &a.parts[i]
		switch {
		case p.now:
			buf = appendMoment(buf, time.Now())
		case p.pointer == nil:
			buf = append(buf, p.literal...)
		default:
			buf = appendValue(buf, p)
		}
	}
	return buf
}

// appendMoment appends a time in its stored form: microseconds since 1970, in UTC.
func appendMoment(buf []byte, t time.Time) []byte { return strconv.AppendInt(buf, t.UnixMicro(), 10) }

func appendValue(buf []byte, p *part) []byte {
	switch v := database.NotNull(p.pointer).(type) {
	case *int64:
		if p.width == 2 && *v >= 0 && *v < 10 {
			buf = append(buf, '0')
		}
		return strconv.AppendInt(buf, *v, 10)
	case *float64:
		return strconv.AppendFloat(buf, *v, 'f', -1, 64)
	case *string:
		return append(buf, *v...)
	case *[]byte:
		return append(buf, *v...)
	case *time.Time:
		return appendMoment(buf, *v)
	}
	return buf
}

// enqueue appends the command with the values of its parameters. A field that is set to NULL is
// removed, because a missing field means NULL in a hash.
func (c *command) enqueue(q *queue) {
	if c.verb == "HSET" {
		c.enqueueSet(q)
		return
	}
	q.begin()
	q.put(c.verb)
	for i := range c.args {
		q.bytes = c.args[i].append(q.bytes)
		q.end()
	}
}

func (c *command) enqueueSet(q *queue) {
	for _, null := range [...]bool{false, true} {
		begun := false
		for i := 1; i+1 < len(c.args); i += 2 {
			if c.args[i+1].isNull() != null {
				continue
			}
			if !begun {
				begun = true
				q.begin()
				q.put([...]string{"HSET", "HDEL"}[boolean(null)])
				q.bytes = c.args[0].append(q.bytes)
				q.end()
			}
			q.bytes = c.args[i].append(q.bytes)
			q.end()
			if !null {
				q.bytes = c.args[i+1].append(q.bytes)
				q.end()
			}
		}
	}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// plain returns the command as arguments for the driver. It allocates, so it is for commands that
// are sent once.
func (c *command) plain() []any {
	list := []any{c.verb}
	for i := range c.args {
		list = append(list, string(c.args[i].append(nil)))
	}
	return list
}
