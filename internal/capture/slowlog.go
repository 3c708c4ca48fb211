package capture

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/DataDog/go-sqllexer"
)

// mostKinds limits the different statements of a log, and with longestText the memory.
const mostKinds = 10_000

var (
	ofEntry   = regexp.MustCompile(`^# (?:Time|User@Host): `)
	times     = regexp.MustCompile(`^# Query_time: ([0-9.]+) .*?Rows_sent: ([0-9]+)`)
	affected  = regexp.MustCompile(`Rows_affected: ([0-9]+)`)
	ofSchema  = regexp.MustCompile(`^# Thread_id: .*?Schema: (\S*)`)
	chooses   = regexp.MustCompile("(?i)^use `?([^`;]+)`?;")
	timestamp = regexp.MustCompile(`(?i)^SET timestamp=[0-9.]+;`)
	started   = regexp.MustCompile(`^\S.*, Version: .* started with:`)
	values    = regexp.MustCompile(`\(\s*\?(?:\s*,\s*\?)*\s*\)`)
	lists     = regexp.MustCompile(`\(\?\+\)(?:\s*,\s*\(\?\+\))+`)
)

// ErrNoSlowLog means that a file has no entry of a slow query log.
var ErrNoSlowLog = errors.New("it has no entry of a slow log: set long_query_time = 0 and slow_query_log = ON for a while")

// ReadSlowLog reads the slow query log of MySQL or MariaDB, and counts the statements in a database. The format is that of
// MySQL 8.0, "The Slow Query Log", and of MariaDB 10.11.
func ReadSlowLog(log io.Reader, database string) ([]Statement, error) {
	l := slowLog{database: database, places: map[string]int{}}
	lines := bufio.NewReaderSize(log, 1<<16)
	for {
		line, _, err := lines.ReadLine() // a part of a line that is longer than a statement may be
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		l.line(string(line))
	}
	l.end()
	if l.entries == 0 {
		return nil, ErrNoSlowLog
	}
	return l.list, nil
}

// slowLog is the state of reading.
type slowLog struct {
	database, current string // the database wanted, and that of the entries now
	list              []Statement
	places            map[string]int // in list, by the texts without values
	entries           int

	in                 bool // after the times of an entry
	text               strings.Builder
	rows, milliseconds float64
}

// line reads a line.
func (l *slowLog) line(line string) {
	if ofEntry.MatchString(line) || started.MatchString(line) {
		l.end()
		return
	}
	if m := ofSchema.FindStringSubmatch(line); m != nil && l.text.Len() == 0 {
		l.current = m[1]
		return
	}
	if m := times.FindStringSubmatch(line); m != nil && !l.in {
		seconds, _ := strconv.ParseFloat(m[1], 64) // the expression matches only numbers, as those below
		l.rows, _ = strconv.ParseFloat(m[2], 64)
		l.in, l.milliseconds = true, 1000*seconds
		l.entries++
	}
	switch {
	case !l.in, strings.HasPrefix(line, "# ") && l.text.Len() == 0, timestamp.MatchString(line) && l.text.Len() == 0:
		if m := affected.FindStringSubmatch(line); m != nil && l.in && l.rows == 0 {
			l.rows, _ = strconv.ParseFloat(m[1], 64)
		}
	case l.text.Len() == 0 && chooses.MatchString(line):
		l.current = chooses.FindStringSubmatch(line)[1]
	case l.text.Len() <= longestText:
		l.text.WriteString(line)
		l.text.WriteByte('\n')
	}
}

// end counts the entry that was read.
func (l *slowLog) end() {
	text := strings.TrimSpace(l.text.String())
	l.text.Reset()
	if !l.in || text == "" || l.current != "" && l.current != l.database {
		l.in = false
		return
	}
	l.in = false
	one := Statement{Text: text}
	if len(text) > longestText {
		one = Statement{Why: tooLong}
	}
	one.Calls, one.Rows, one.Milliseconds = 1, l.rows, l.milliseconds
	s := read(one.Text, sqllexer.DBMSMySQL, func(string) int { return 1 })
	key := s.with(func(int) string { return "?" })
	key = lists.ReplaceAllString(values.ReplaceAllString(key, "(?+)"), "(?+)") // lists of any length are the same
	if at, is := l.places[key]; is {
		before := &l.list[at]
		before.Calls, before.Rows, before.Milliseconds = before.Calls+1, before.Rows+one.Rows, before.Milliseconds+one.Milliseconds
		return
	}
	if len(l.list) >= mostKinds {
		key, one.Text, one.Why = "", "", fmt.Sprintf("the log has more than %d different statements", mostKinds)
		if at, is := l.places[key]; is {
			l.list[at].Calls++
			return
		}
	}
	l.places[key] = len(l.list)
	l.list = append(l.list, one)
}
