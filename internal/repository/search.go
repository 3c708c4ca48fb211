package repository

import (
	"database/sql"
	"database/sql/driver"
	"strings"
	"unicode/utf8"

	"modernc.org/sqlite"
)

// sqliteDriver is the name of the SQLite driver with the repository's own SQL function. No other
// connection of the program has that function.
const sqliteDriver = "sqlite of the repository"

// smallLetters is the name of the repository's SQL function for lower case. SQLite's own lower
// converts only ASCII letters, and takes a tenth of the time.
const smallLetters = "small_letters"

func init() {
	d := new(sqlite.Driver)
	d.MustRegisterDeterministicScalarFunction(smallLetters, 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		text, _ := args[0].(string)
		return strings.ToLower(text), nil
	})
	sql.Register(sqliteDriver, d)
}

// searchedText is an SQL expression for the searchable text of a job, one item per line: its ID,
// names, facts, options, labels and note.
const searchedText = `concat_ws(char(10), id, action, database, workload, status, reason, origin,
	strftime('%Y-%m-%d %H:%M:%S', begun_ms / 1000, 'unixepoch'), host, spec ->> '$.note', spec ->> '$.users',
	facts ->> '$.target', facts ->> '$.size', facts ->> '$.product', facts ->> '$.server',
	(SELECT group_concat(label.key || '=' || label.value, char(10)) FROM json_each(spec, '$.labels') AS label),
	(SELECT group_concat(option.key || '=' || option.value, char(10)) FROM json_each(spec, '$.options') AS option))`

// bySmallLetters separates words of ASCII characters from other words, and converts both to lower
// case.
func bySmallLetters(words []string) (ascii, others []string) {
	ascii, others = []string{}, []string{}
	for _, word := range words {
		if utf8.RuneCountInString(word) == len(word) {
			ascii = append(ascii, strings.ToLower(word))
		} else {
			others = append(others, strings.ToLower(word))
		}
	}
	return ascii, others
}
