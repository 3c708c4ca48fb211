package mysql

import (
	"fmt"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// split divides a query into its statements at semicolons, and each statement into the parts
// before, between and after its placeholders. It skips quoted text, and comments that a server
// executes.
func split(text string) [][]string {
	var statements [][]string
	var pieces []string
	start := 0
	endPiece := func(at int) {
		pieces = append(pieces, text[start:at])
		start = at + 1
	}
	endStatement := func(at int) {
		endPiece(at)
		if pieces[0] = strings.TrimLeft(pieces[0], " \t\n"); len(pieces) > 1 || pieces[0] != "" {
			statements = append(statements, pieces)
		}
		pieces = nil
	}
	for i := 0; i < len(text); {
		if end := sqlfile.Skip(text, i); end > i {
			i = end
			continue
		}
		switch text[i] {
		case '?':
			endPiece(i)
		case ';':
			endStatement(i)
		}
		i++
	}
	endStatement(len(text))
	return statements
}

// withVariables returns the statements of a call with output parameters, and their values. The text
// protocol has no output parameters, so session variables replace them: SET assigns the inout
// parameters, and SELECT reads all variables after the call.
func withVariables(q sqlfile.Query, call []string, params []database.Param) (statements [][]string, values []any, err error) {
	if len(params) != len(call)-1 {
		return nil, nil, fmt.Errorf("sql %s: it has %d parameters, but %d are bound", q.Name, len(call)-1, len(params))
	}
	pieces := []string{call[0]}
	var variables []string
	var inputs []any
	for i, p := range params {
		if p.Mode == database.In {
			inputs = append(inputs, p.Pointer)
			pieces = append(pieces, call[i+1])
			continue
		}
		variable := outputVariable(len(variables))
		variables = append(variables, variable)
		pieces[len(pieces)-1] += variable + call[i+1]
		if p.Mode == database.InOut {
			statements = append(statements, []string{"SET " + variable + " = ", ""})
			values = append(values, p.Pointer)
		}
	}
	statements = append(statements, pieces, []string{"SELECT " + strings.Join(variables, ", ")})
	return statements, append(values, inputs...), nil
}

// compound combines several statements into one compound statement. The server sends one response
// to it, instead of one for each statement.
func compound(statements [][]string) [][]string {
	pieces := join(statements)
	pieces[0] = "BEGIN NOT ATOMIC " + pieces[0]
	pieces[len(pieces)-1] += "; END"
	return [][]string{pieces}
}

// join joins several statements into one text.
func join(statements [][]string) []string {
	pieces := slices.Clone(statements[0])
	for _, next := range statements[1:] {
		pieces[len(pieces)-1] += "; " + next[0]
		pieces = append(pieces, next[1:]...)
	}
	return pieces
}

// outputVariable returns the session variable for output parameter n.
func outputVariable(n int) string { return fmt.Sprintf("@sledge_out%d", n) }

// isCall reports whether there is only one statement, which calls a stored procedure.
func isCall(statements [][]string) bool {
	return len(statements) == 1 && callsOne(statements)
}

// callsOne reports whether any of the statements calls a stored procedure.
func callsOne(statements [][]string) bool {
	return slices.ContainsFunc(statements, func(pieces []string) bool { return firstWord(pieces) == "CALL" })
}

// isSelect reports whether a statement returns rows; a compound statement may.
func isSelect(pieces []string) bool {
	switch firstWord(pieces) {
	case "SELECT", "SHOW", "WITH", "VALUES", "TABLE", "BEGIN":
		return true
	}
	return false
}

// firstWord returns the first word of a statement, in capitals.
func firstWord(pieces []string) string {
	word, _, _ := strings.Cut(pieces[0], " ")
	word, _, _ = strings.Cut(word, "\n")
	return strings.ToUpper(word)
}
