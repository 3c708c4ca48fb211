package oracle_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// inMariaDB translates our PL/SQL into SQL that MariaDB 10.11 runs with sql_mode=ORACLE, so that a
// server tests the logic of the routines. MariaDB lacks the following, so the tests do not cover
// it:
//
//   - collections, which become JSON texts with the keys k1, k2 and so on;
//   - FORALL, which becomes a loop, and BULK COLLECT, which becomes a loop over a cursor;
//   - RETURNING of an UPDATE, which becomes a SELECT after it, and of a DELETE INTO variables,
//     which becomes a SELECT before it;
//   - the package DBMS_RANDOM, and the functions BITAND, TRUNC and TO_CHAR of a number;
//   - CONSTANT, and RAISE_APPLICATION_ERROR;
//   - the error of a SELECT INTO that finds no row, of which MariaDB only warns.
//
// The translation keeps the order of statements, their conditions and expressions, the parameters
// and their modes, the control flow and the handlers.
func inMariaDB(text string) string {
	text = comment.ReplaceAllString(text, "")
	text = collectionType.ReplaceAllString(text, "")
	var arrays []array
	text = declaration.ReplaceAllStringFunc(text, func(line string) string {
		m := declaration.FindStringSubmatch(line)
		arrays = append(arrays, array{m[2], map[string]string{"whole_numbers": "SIGNED", "amounts": "DECIMAL(16,4)", "texts": "CHAR", "moments": "DATETIME"}[m[3]]})
		return m[1] + m[2] + " LONGTEXT := '{}';"
	})
	text = words.Replace(text)
	text = number.ReplaceAllString(text, "DECIMAL(16,4)")
	text = raise.ReplaceAllString(text, "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '$1'")
	text = strings.ReplaceAll(text, "SQL%ROWCOUNT", "affected_")
	text = bulkSelect.ReplaceAllStringFunc(text, func(s string) string {
		m := bulkSelect.FindStringSubmatch(s)
		var columns, appends []string
		for i, c := range parts(m[1]) {
			columns = append(columns, fmt.Sprintf("%s AS v%d", c, i))
			appends = append(appends, appendTo(parts(m[2])[i], fmt.Sprintf("row_.v%d", i)))
		}
		return fmt.Sprintf("FOR row_ IN (SELECT %s %s) LOOP %s END LOOP;", strings.Join(columns, ", "), m[3], strings.Join(appends, " "))
	})
	text = change.ReplaceAllStringFunc(text, changed)
	text = strings.Replace(text, ") IS\n", ") IS\n  affected_ INTEGER;\n  found_ INTEGER;\n  v0_ VARCHAR2(500);\n  v1_ VARCHAR2(500);\n", 1)
	for _, a := range arrays {
		text = a.rewrite(text)
	}
	return text
}

var (
	comment        = regexp.MustCompile(`(?m)^\s*--.*\n`)
	collectionType = regexp.MustCompile(`(?m)^\s*TYPE .*\n`)
	declaration    = regexp.MustCompile(`(?m)^(\s*)(\w+) (whole_numbers|amounts|texts|moments);`)
	number         = regexp.MustCompile(`\bNUMBER\b`)
	raise          = regexp.MustCompile(`RAISE_APPLICATION_ERROR\(-\d+, '([^']*)'\)`)
	bulkSelect     = regexp.MustCompile(`(?s)SELECT ([^;]*?)\s+BULK COLLECT INTO ([^;]*?)\s+(FROM [^;]*);`)
	change         = regexp.MustCompile(`(?s)(?:FORALL (\w+) IN 1 \.\. ([^\n]+)\s+)?\b(UPDATE|DELETE|INSERT) ([^;]*);`)
	returning      = regexp.MustCompile(`(?s)^(.*?)\s*RETURNING\s+(.*?)\s+(BULK COLLECT )?INTO\s+(.*)$`)
	words          = strings.NewReplacer(
		"DBMS_RANDOM.VALUE", "RAND()",
		"BITAND(low, high)", "(low & high)",
		"TRUNC(RAND() * 8192)", "FLOOR(RAND() * 8192)", "TRUNC(", "FLOOR(",
		"LTRIM(TO_CHAR(p_h_amount, '9990.00'))", "CAST(CAST(p_h_amount AS DECIMAL(6,2)) AS CHAR)",
		"CONSTANT ", "", "CURRENT_DATE", "NOW()",
	)
)

// changed translates an UPDATE, DELETE or INSERT.
func changed(s string) string {
	m := change.FindStringSubmatch(s)
	index, last, verb, rest := m[1], m[2], m[3], m[4]
	statement := verb + " " + rest
	if r := returning.FindStringSubmatch(statement); r != nil {
		bulk, values, targets := r[3] != "", parts(r[2]), parts(r[4])
		statement = r[1] + ";"
		table := strings.Fields(strings.TrimPrefix(rest, "FROM "))[0]
		_, condition, _ := strings.Cut(statement, "WHERE ")
		condition = strings.TrimSuffix(condition, ";")
		var into []string
		for i := range values {
			if !strings.HasPrefix(values[i], "SUM(") {
				values[i] = "MAX(" + values[i] + ")"
			}
			into = append(into, fmt.Sprintf("v%d_", i))
		}
		if !bulk {
			into = targets
		}
		read := fmt.Sprintf("SELECT COUNT(*), %s INTO found_, %s FROM %s WHERE %s;", strings.Join(values, ", "), strings.Join(into, ", "), table, condition)
		if bulk {
			read += " IF found_ > 0 THEN "
			for i, target := range targets {
				read += appendTo(target, into[i]) + " "
			}
			read += "END IF;"
		}
		counted := statement + " affected_ := SQL%ROWCOUNT; "
		if verb == "DELETE" {
			statement = read + " " + counted
		} else {
			statement = counted + read
		}
	} else {
		statement += "; affected_ := SQL%ROWCOUNT;"
	}
	if index != "" {
		return fmt.Sprintf("FOR %s IN 1 .. %s LOOP %s END LOOP;", index, last, statement)
	}
	return statement
}

func appendTo(array, value string) string {
	return fmt.Sprintf("%s(%[1]s.COUNT + 1) := %s;", strings.TrimSpace(array), value)
}

// parts splits a list at the commas outside brackets.
func parts(list string) (all []string) {
	depth, from := 0, 0
	for i, c := range list + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			all = append(all, strings.TrimSpace(list[from:i]))
			from = i + 1
		}
	}
	return all
}

// array is a collection, with the type that its elements are cast to.
type array struct{ name, kind string }

// rewrite replaces access to the array's elements by access to members of a JSON text.
func (a array) rewrite(text string) string {
	text = regexp.MustCompile(`\b`+a.name+`\.COUNT\b`).ReplaceAllString(text, "JSON_LENGTH("+a.name+")")
	element := regexp.MustCompile(`\b` + a.name + `\(`)
	for {
		all := element.FindAllStringIndex(text, -1)
		if all == nil {
			return text
		}
		at := all[len(all)-1] // the last one, which is the innermost if they are nested
		end := at[1]
		for depth := 1; depth > 0; end++ {
			switch text[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		place := "CONCAT('$.k', " + text[at[1]:end-1] + ")"
		after := text[end:]
		if value, is := strings.CutPrefix(after, " := "); is {
			stop := strings.IndexByte(value, ';')
			text = fmt.Sprintf("%s%s := JSON_SET(%[2]s, %s, %s)%s", text[:at[0]], a.name, place, value[:stop], value[stop:])
		} else {
			text = fmt.Sprintf("%sCAST(JSON_VALUE(%s, %s) AS %s)%s", text[:at[0]], a.name, place, a.kind, after)
		}
	}
}

// blockInMariaDB translates a block with bind parameters: it inserts the values, and outputs become
// session variables.
func blockInMariaDB(text string, values map[string]string) string {
	text = inMariaDB(text)
	text = regexp.MustCompile(`:(\w+) := `).ReplaceAllString(text, "SET @$1 = ")
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text = regexp.MustCompile(`:`+name+`\b`).ReplaceAllString(text, values[name])
	}
	return regexp.MustCompile(`:(\w+)`).ReplaceAllString(text, "@$1")
}
