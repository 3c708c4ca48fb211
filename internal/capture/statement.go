package capture

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/DataDog/go-sqllexer"
)

// sqlText is a statement in words, in which every value is a parameter.
type sqlText struct {
	words  []word
	spaced []string // what is before each word, and after the last: white space, without comments
	tables []tableName
}

// word is a word, a sign or a parameter of a statement.
type word struct {
	text      string
	name      string // of an identifier, without quotes and in lower case unless it is quoted; otherwise in upper case
	isName    bool
	parameter string // what distinguishes the parameter from others; "" for other words
	list      bool   // the parameter stands for any number of values
}

// tableName is a table in a statement.
type tableName struct{ name, alias string }

// collapsed matches a list of values that MySQL's texts leave out.
var collapsed = regexp.MustCompile(`\(\s*\.\.\.\s*\)(\s*/\*\s*,\s*\.\.\.\s*\*/)?`)

// asUnit matches how MariaDB writes names that are units of time, too, such as DAY. apart matches functions that the
// texts of MySQL and MariaDB write with a space, with which the servers do not read them.
var (
	asUnit = regexp.MustCompile(`\bSQL_TSI_(\w+)\b`)
	apart  = regexp.MustCompile(`(?i)\b(ADDDATE|BIT_AND|BIT_OR|BIT_XOR|CAST|COUNT|CURDATE|CURTIME|DATE_ADD|DATE_SUB|EXTRACT|GROUP_CONCAT|MAX|MID|MIN|NOW|POSITION|STD|STDDEV|STDDEV_POP|STDDEV_SAMP|SUBDATE|SUBSTR|SUBSTRING|SUM|SYSDATE|TRIM|VARIANCE|VAR_POP|VAR_SAMP) \(`)
)

// squashed matches a list of values that PostgreSQL's texts leave out.
var squashed = regexp.MustCompile(`(\$[0-9]+)\s*/\*\s*,\s*\.\.\.\s*\*/`)

// read divides a text into words. Texts and numbers become parameters, because they may be private; comments
// go. columnsOf returns the number of columns of a table.
func read(text string, dialect sqllexer.DBMSType, columnsOf func(table string) int) sqlText {
	text = strings.TrimRight(text, "; \t\r\n")
	normalized := dialect == sqllexer.DBMSPostgres && strings.Contains(text, "$")
	text = squashed.ReplaceAllString(text, "$1"+listMark)
	if dialect == sqllexer.DBMSMySQL {
		text = asUnit.ReplaceAllString(apart.ReplaceAllString(text, "$1("), "$1")
	}
	for at := collapsed.FindStringIndex(text); at != nil; at = collapsed.FindStringIndex(text) {
		text = text[:at[0]] + opened(text[:at[0]], dialect, columnsOf) + text[at[1]:]
	}
	var s sqlText
	space, last := "", 0
	lexer := sqllexer.New(text, sqllexer.WithDBMS(dialect))
	for {
		t := lexer.Scan()
		if t.Type == sqllexer.EOF {
			break
		}
		add := func(w word) {
			if w.parameter == "?" {
				last++
				w.parameter = "?" + strconv.Itoa(last)
			}
			s.words, s.spaced, space = append(s.words, w), append(s.spaced, space), ""
		}
		value := t.Value
		switch t.Type {
		case sqllexer.SPACE:
			space += value
		case sqllexer.COMMENT:
			space += " "
		case sqllexer.MULTILINE_COMMENT:
			if n := len(s.words); value == strings.TrimSpace(listMark) && n > 0 {
				s.words[n-1].list, space = true, ""
				break
			}
			space += " "
		case sqllexer.STRING, sqllexer.INCOMPLETE_STRING, sqllexer.DOLLAR_QUOTED_STRING, sqllexer.DOLLAR_QUOTED_FUNCTION, sqllexer.ERROR:
			if n := len(s.words); n > 0 && space == "" && slices.Contains([]string{"E", "B", "X", "N", "U"}, strings.ToUpper(s.words[n-1].text)) {
				space, s.words, s.spaced = s.spaced[n-1], s.words[:n-1], s.spaced[:n-1] // the letter before a text
			}
			add(word{parameter: "?"})
		case sqllexer.POSITIONAL_PARAMETER:
			add(word{parameter: value})
		case sqllexer.NUMBER:
			if sign := value[:1]; (sign == "-" || sign == "+") && s.endsValue() {
				add(word{text: sign, name: sign})
				value = value[1:]
			}
			if normalized || s.structural() {
				add(word{text: value, name: value})
			} else {
				add(word{parameter: "?"})
			}
		default:
			if identifier.MatchString(value) && !slices.Contains(reserved, strings.ToUpper(value)) {
				add(word{text: value, name: plainName(value), isName: true})
				break
			}
			if before, is := strings.CutSuffix(value, "?"); is && dialect == sqllexer.DBMSMySQL {
				if before != "" {
					add(word{text: before, name: before})
				}
				add(word{parameter: "?"})
				break
			}
			add(word{text: value, name: strings.ToUpper(value)})
		}
	}
	s.spaced = append(s.spaced, "")
	s.findTables()
	return s
}

// identifier matches a name, perhaps with that of its table before it.
var identifier = regexp.MustCompile("^[\\pL_\"`]")

// reserved are the words that never name columns or tables. Words that may be either, such as DATE, count as
// names.
var reserved = strings.Fields(`ALL AND ANY AS ASC BETWEEN BY CASE CAST COALESCE CROSS DELETE DESC DISTINCT ELSE END ESCAPE EXCEPT EXISTS FALSE FETCH FOR FROM FULL
	GREATEST GROUP HAVING IFNULL ILIKE IN INNER INSERT INTERSECT INTO IS JOIN LATERAL LEAST LEFT LIKE LIMIT NATURAL NOT NULL NULLIF OFFSET ON OR ORDER OUTER
	REGEXP REPLACE RETURNING RIGHT RLIKE SELECT SET SOME THEN TRUE UNION UPDATE USING VALUE VALUES WHEN WHERE WINDOW WITH`)

// listMark stands for the values of a list that a text leaves out.
const listMark = " /*list*/"

// opened returns the values that a text leaves out: one for each column of an INSERT, or a list.
func opened(before string, dialect sqllexer.DBMSType, columnsOf func(table string) int) string {
	s := read(before, dialect, columnsOf)
	n := len(s.words)
	if n == 0 || s.words[n-1].name != "VALUES" && s.words[n-1].name != "VALUE" {
		return "(?" + listMark + ")"
	}
	columns := len(s.listBefore(n - 1))
	if columns == 0 && len(s.tables) > 0 {
		columns = columnsOf(s.tables[0].name)
	}
	return "(?" + strings.Repeat(", ?", max(0, columns-1)) + ")"
}

// endsValue reports whether the last word ends a value, so that a sign after it is an operator.
func (s *sqlText) endsValue() bool {
	if len(s.words) == 0 {
		return false
	}
	last := s.words[len(s.words)-1]
	return last.isName || last.parameter != "" || last.text == ")" || last.text == "]"
}

// ofType matches names of types that numbers in parentheses may follow.
var ofType = regexp.MustCompile(`^(CHAR|CHARACTER|VARCHAR|VARYING|DECIMAL|NUMERIC|BIT|BINARY|VARBINARY|TIME|TIMESTAMP|DATETIME|FLOAT)$`)

// structural reports whether a number after the words so far is not a value: the size of a type, or the number
// of a column to sort or group by.
func (s *sqlText) structural() bool {
	i := len(s.words) - 1
	for i > 0 && (s.words[i].text == "," || s.words[i].parameter == "" && isNumber(s.words[i].text)) {
		i--
	}
	if i < 0 {
		return false
	}
	return s.words[i].name == "BY" || s.words[i].text == "(" && i > 0 && ofType.MatchString(strings.ToUpper(s.words[i-1].text))
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// plainName returns an identifier without its quotes, and in lower case where it has none.
func plainName(text string) string {
	parts := strings.Split(text, ".")
	for i, part := range parts {
		if n := len(part); n > 1 && (part[0] == '"' || part[0] == '`') {
			parts[i] = part[1 : n-1]
		} else {
			parts[i] = strings.ToLower(part)
		}
	}
	return strings.Join(parts, ".")
}

// parameters returns the number of parameters.
func (s *sqlText) parameters() (n int) {
	for _, w := range s.words {
		if w.parameter != "" {
			n++
		}
	}
	return n
}

// at returns a word, or an empty one beyond the ends.
func (s *sqlText) at(i int) word {
	if i < 0 || i >= len(s.words) {
		return word{}
	}
	return s.words[i]
}

// notAlias are words after a table that count as names, but are not an alias.
var notAlias = []string{"force", "use", "ignore", "default", "only", "straight_join", "tablesample", "partition"}

// findTables finds the tables of the statement, and their aliases.
func (s *sqlText) findTables() {
	for i := 0; i < len(s.words); i++ {
		switch s.words[i].name {
		case "FROM", "JOIN", "INTO", "UPDATE", "USING":
		default:
			continue
		}
		for i++; ; i++ {
			for slices.Contains([]string{"ONLY", "IGNORE", "LOW_PRIORITY"}, strings.ToUpper(s.at(i).text)) {
				i++
			}
			if !s.at(i).isName {
				break
			}
			table := tableName{name: s.words[i].name}
			if strings.ToUpper(s.at(i+1).text) == "AS" {
				i++
			}
			if next := s.at(i + 1); next.isName && !slices.Contains(notAlias, next.name) {
				table.alias = next.name
				i++
			}
			s.tables = append(s.tables, table)
			if s.at(i+1).text != "," {
				break
			}
			i++
		}
		i-- // the word may begin another list
	}
}

// listBefore returns the names in the parentheses that end before a word; none if there are no such parentheses.
func (s *sqlText) listBefore(end int) (names []string) {
	if s.at(end-1).text != ")" {
		return nil
	}
	for i := end - 2; i >= 0 && s.words[i].text != "("; i-- {
		if s.words[i].isName {
			names = append(names, s.words[i].name)
		}
	}
	slices.Reverse(names)
	return names
}

// use is what a statement does with the value of a parameter.
type use int

// The uses.
const (
	unknown use = iota
	equal       // compares it with a column, or assigns it
	stored      // stores it in a column of a new row
	low         // the lower bound of BETWEEN, with the upper after it
	high        // the upper bound
	added       // computes with it and a column
	limit       // the number of rows
	offset      // the number of rows to skip
)

// meeting is a column that a parameter meets.
type meeting struct {
	use    use
	column string // as the statement names it; "" without one
}

// inserts returns the columns of the values of an INSERT, by their words. all lists the columns of a table, for
// statements that name none.
func (s *sqlText) inserts(all func(table string) []string) map[int]string {
	found := map[int]string{}
	for i, w := range s.words {
		if !strings.HasPrefix(w.name, "VALUE") || w.isName || len(s.tables) == 0 || s.words[0].name != "INSERT" && s.words[0].name != "REPLACE" {
			continue
		}
		columns := s.listBefore(i)
		if len(columns) == 0 {
			columns = all(s.tables[0].name)
		}
		depth, n := 0, 0
		for k := i + 1; k < len(s.words); k++ {
			switch s.words[k].text {
			case "(":
				depth++
			case ")":
				if depth--; depth == 0 {
					n = 0
				}
			case ",":
				if depth == 1 {
					n++
				}
			}
			if depth == 0 && s.words[k].text != ")" && s.words[k].text != "," {
				break
			}
			isAlone := slices.Contains([]string{"(", ","}, s.at(k-1).text) && slices.Contains([]string{")", ",", "::"}, s.at(k+1).text)
			if s.words[k].parameter != "" && depth == 1 && isAlone && n < len(columns) {
				found[k] = columns[n]
			}
		}
		break
	}
	return found
}

var (
	comparisons = []string{"=", "<>", "!=", "<", ">", "<=", ">=", "<=>", "LIKE", "ILIKE", "REGEXP", "RLIKE", "~", "~~"}
	arithmetic  = []string{"+", "-", "*", "/", "%", "||"}
)

// meets returns what the parameter at a word meets.
func (s *sqlText) meets(i int) meeting {
	before := i - 1
	for s.at(before).text == "-" && !s.at(before-1).isName && s.at(before-1).text != ")" || typed.MatchString(strings.ToUpper(s.at(before).text)) {
		before-- // a sign, or the name of a type
	}
	switch previous := s.at(before); {
	case previous.name == "LIMIT" && s.at(i+1).text == ",", previous.name == "OFFSET":
		return meeting{use: offset}
	case previous.name == "LIMIT", previous.text == "," && s.at(before-2).name == "LIMIT", strings.ToUpper(previous.text) == "FIRST" && strings.ToUpper(s.at(before-1).text) == "FETCH":
		return meeting{use: limit}
	case slices.Contains(comparisons, previous.name):
		return meeting{equal, s.columnAt(before - 1)}
	case previous.name == "BETWEEN":
		return meeting{low, s.columnAt(before - 1)}
	case previous.name == "AND" && s.at(before-2).name == "BETWEEN":
		return meeting{high, s.columnAt(before - 3)}
	case slices.Contains(arithmetic, previous.text) && s.columnAt(before-1) != "":
		return meeting{added, s.columnAt(before - 1)}
	}
	after := i + 1
	if s.at(after).text == "::" {
		after += 2
	}
	switch next := s.at(after); {
	case slices.Contains(comparisons, next.name) && s.at(after+1).isName:
		return meeting{equal, s.at(after + 1).name}
	case slices.Contains(arithmetic, next.text) && s.at(after+1).isName:
		return meeting{added, s.at(after + 1).name}
	}
	// The parentheses around it are of a list, of a function, or of neither.
	depth, from := 0, before
	for ; from >= 0; from-- {
		if text := s.words[from].text; text == ")" {
			depth++
		} else if text == "(" {
			if depth == 0 {
				break
			}
			depth--
		}
	}
	function := s.at(from - 1)
	switch {
	case from < 0:
	case function.name == "IN":
		return meeting{equal, s.columnAt(from - 2)}
	case slices.Contains([]string{"COALESCE", "IFNULL", "NULLIF", "NVL", "GREATEST", "LEAST"}, strings.ToUpper(function.text)) && s.at(from+1).isName:
		return meeting{equal, s.at(from + 1).name}
	case !slices.Contains([]string{"CAST", "LOWER", "UPPER", "TRIM", "ANY", "ALL", "SOME"}, strings.ToUpper(function.text)):
	case slices.Contains(comparisons, s.at(from-2).name):
		return meeting{equal, s.columnAt(from - 3)}
	case slices.Contains(arithmetic, s.at(from-2).text) && s.columnAt(from-3) != "":
		return meeting{added, s.columnAt(from - 3)}
	}
	return meeting{}
}

// assigns reports whether the comparison before a word is an assignment of an UPDATE.
func (s *sqlText) assigns(i int) bool {
	for i--; i >= 0; i-- {
		switch s.words[i].name {
		case "SET":
			return true
		case "WHERE", "FROM", "ON", "SELECT":
			return false
		}
	}
	return false
}

// isAggregate reports whether rows are counted, summed or grouped, so that the number of rows does not show how many
// were read.
func (s *sqlText) isAggregate() bool {
	return slices.ContainsFunc(s.words, func(w word) bool {
		return slices.Contains([]string{"COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP"}, strings.ToUpper(w.text))
	})
}

// columnAt returns the name of the column that ends at a word, also within the parentheses of a function; "" if
// no column does.
func (s *sqlText) columnAt(i int) string {
	if s.at(i).name == "NOT" {
		i--
	}
	if s.at(i).isName {
		return s.words[i].name
	}
	if s.at(i).text == ")" && s.at(i-1).isName && s.at(i-2).text == "(" {
		return s.words[i-1].name
	}
	return ""
}

// anyOf finds "= ANY (parameter)", which takes an array, and reports whether its list must not contain the value.
// It returns the first and the last word; the last is -1 without it.
func (s *sqlText) anyOf(i int) (first, last int, not bool) {
	quantifier := strings.ToUpper(s.at(i - 2).text)
	if s.at(i-1).text != "(" || quantifier != "ANY" && quantifier != "ALL" && quantifier != "SOME" {
		return 0, -1, false
	}
	last = i + 1
	if s.at(last).text == "::" {
		for last += 2; s.at(last).text == "[" || s.at(last).text == "]"; last++ {
		}
	}
	operator := s.at(i - 3).text
	not = operator == "<>" || operator == "!="
	if s.at(last).text != ")" || operator != "=" && !not || not != (quantifier == "ALL") {
		return 0, -1, false
	}
	return i - 3, last, not
}

// typed matches the names of types that a text may follow, as in DATE '2026-01-01', but not a parameter.
var typed = regexp.MustCompile(`^(DATE|TIME|TIMESTAMP|TIMESTAMPTZ|INTERVAL)$`)

// with returns the statement with the text of each parameter that value returns, as a file of a workload has it.
func (s *sqlText) with(value func(i int) string) string {
	texts, spaced := make([]string, len(s.words)), slices.Clone(s.spaced)
	for i, w := range s.words {
		if texts[i] = w.text; w.parameter != "" {
			texts[i] = value(i)
		}
	}
	for i, w := range s.words {
		if w.parameter == "" {
			continue
		}
		if first, last, not := s.anyOf(i); last > 0 {
			texts[i] = "IN (" + texts[i] + ")"
			if not {
				texts[i] = "NOT " + texts[i]
			}
			for k := first; k <= last; k++ {
				if k != i {
					texts[k], spaced[k] = "", ""
				}
			}
			spaced[i] = " "
			continue
		}
		hasUnit := strings.EqualFold(s.at(i-1).text, "INTERVAL") && ofMySQL.MatchString(strings.ToUpper(s.at(i+1).text))
		if typed.MatchString(strings.ToUpper(s.at(i-1).text)) && !hasUnit {
			texts[i] = "CAST(" + texts[i] + " AS " + texts[i-1] + ")"
			texts[i-1], spaced[i] = "", ""
		}
	}
	var b strings.Builder
	for i, text := range texts {
		b.WriteString(spaced[i])
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}

// ofMySQL matches the units of MySQL's INTERVAL, which follow a parameter.
var ofMySQL = regexp.MustCompile(`^(MICROSECOND|SECOND|MINUTE|HOUR|DAY|WEEK|MONTH|QUARTER|YEAR)(_[A-Z]+)?$`)

// hasSeveral reports whether there are several statements.
func (s *sqlText) hasSeveral() bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return w.text == ";" })
}
