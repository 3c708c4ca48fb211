package mysql

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
	"sledge/internal/sqlschema"
)

// NewServer is Database.Server. The plans of its statements have no values, although EXPLAIN needs a text with
// values and repeats them in conditions. The server does not keep the values of prepared statements, so each
// is assumed to be '1', and the plan says so.
func NewServer(sql *sqlfile.Library) database.Server {
	server := sqlschema.NewServer(sql)
	server.Tuning = tuning
	server.CountsCommits = "the server counts COMMIT statements, and some statements of this workload commit by themselves"
	if server.Statements == nil || server.Statements.Explain == nil {
		return server
	}
	explain := server.Statements.Explain
	server.Statements.Explain = func(ctx context.Context, s database.Session, example database.StatementExample) (database.Table, error) {
		text, prepared := assumed(locking.ReplaceAllString(example.Text, ""))
		example.Text = text
		t, err := explain(ctx, s, example)
		for _, row := range t.Rows {
			last := len(row) - 1
			switch {
			case noRow.MatchString(row[last]) && prepared:
				return t, errors.New("it is a prepared statement, whose values the server does not keep, and with '1' for each it finds no row")
			case noRow.MatchString(row[last]):
				return t, errors.New("the values that the server keeps of it find no row now")
			}
			row[last] = withoutValues(row[last])
		}
		if prepared && len(t.Rows) > 0 {
			t.Rows = append(t.Rows, []string{"with '1' for each value of the prepared statement"})
		}
		return t, err
	}
	return server
}

var (
	// quotedMember matches a line of JSON with a text: its member, if it is not in a list, and the text.
	quotedMember = regexp.MustCompile(`^( *(?:"([^"]+)": )?)(".*")(,?)$`)

	// publicMember matches members whose texts are names, costs or sizes.
	publicMember = regexp.MustCompile(`^(table_name|access_type|key|key_length|join_type|buffer_type|filtered|.*cost.*|.*_size|data_read_per_join)$`)

	// noRow matches plans that depend on the values alone, because the server reads a row by its key to plan.
	noRow = regexp.MustCompile(`(?i)"message": "(impossible where noticed after reading const tables|no matching row in const table)`)

	// parameter matches a parameter of a prepared statement. It also matches quoted texts and names, whose
	// question marks stay, and the parameters of LIMIT, which must be numbers.
	parameter = regexp.MustCompile(`(?is)'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|` + "`[^`]*`" + `|\b(?:limit|offset)\s+\?(?:\s*,\s*\?)?|\?`)

	// locking matches the end of a read that locks its rows, which has no part in its plan. EXPLAIN might lock some.
	locking = regexp.MustCompile(`(?i)\s+(?:for\s+(?:update|share)|lock\s+in\s+share\s+mode)[\w\s]*;?\s*$`)

	escapeJSON = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`)
	maskValues = database.Runs{EscapedTexts: true}.Mask()
)

// assumed returns a text with '1' for each parameter, and whether it has any. The text is compared with numbers, too,
// and leaves columns their types, so that their indexes can be used.
func assumed(text string) (filled string, prepared bool) {
	filled = parameter.ReplaceAllStringFunc(text, func(found string) string {
		switch {
		case found == "?":
			prepared = true
			return "'1'"
		case strings.ContainsAny(found[:1], "'\"`"):
			return found
		}
		prepared = true
		return strings.ReplaceAll(found, "?", "1")
	})
	return filled, prepared
}

// withoutValues replaces the values in the texts of a plan in JSON by question marks.
func withoutValues(plan string) string {
	var out strings.Builder
	for line := range strings.Lines(plan) {
		m := quotedMember.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || publicMember.MatchString(m[2]) {
			out.WriteString(line)
			continue
		}
		text := "?" // unless it is valid JSON
		if err := json.Unmarshal([]byte(m[3]), &text); err == nil {
			text = maskValues(text)
		}
		out.WriteString(m[1] + `"` + escapeJSON.Replace(text) + `"` + m[4])
		if strings.HasSuffix(line, "\n") {
			out.WriteByte('\n')
		}
	}
	return out.String()
}
