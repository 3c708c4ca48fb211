package mysql

import (
	"strings"

	"sledge/internal/sqlfile"
)

// split divides a query into its statements at semicolons, and each statement
// into the pieces that stand before, between and after its placeholders. Quoted
// text is left alone, and so are the comments that were not left out when the query
// was read: those that a server reads.
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

// isCall reports whether the only statement calls a stored procedure.
func isCall(statements [][]string) bool {
	return len(statements) == 1 && firstWord(statements[0]) == "CALL"
}

// isSelect reports whether a statement returns rows.
func isSelect(pieces []string) bool {
	switch firstWord(pieces) {
	case "SELECT", "SHOW", "WITH", "VALUES", "TABLE":
		return true
	}
	return false
}

// firstWord returns the word that a statement begins with, in capitals.
func firstWord(pieces []string) string {
	word, _, _ := strings.Cut(pieces[0], " ")
	word, _, _ = strings.Cut(word, "\n")
	return strings.ToUpper(word)
}
