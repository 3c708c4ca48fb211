package dictionaries

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"sledge/internal/sqlitefile"
)

// sqliteHead is the beginning of each SQLite file.
const sqliteHead = "SQLite format 3\x00"

// readSQLite lists the settings in a SQLite file of HammerDB, which has a table for each section,
// with the columns key and val. It does not change the file.
func readSQLite(path string) ([]element, error) {
	// A running HammerDB may hold a lock for a moment, so wait for it.
	source, err := sqlitefile.URI(path, "mode=ro&_busy_timeout=5000&_pragma=trusted_schema(0)")
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, err
	}
	var list []element
	err = sqlitefile.Transact(context.Background(), db, func(tx *sql.Tx) error {
		list, err = readSections(tx, filepath.Base(path))
		return err
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, inWords(err))
	}
	return list, nil
}

// inWords explains an error of SQLite, with advice.
func inWords(err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	const primary = 0xff // the other bits are SQLite's extended code
	switch e.Code() & primary {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("the file is damaged (%w): let HammerDB create it again, or import the XML files", err)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("HammerDB is writing to it (%w): import it again when HammerDB is done", err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("its last writer did not finish (%w): start HammerDB once, then import it again", err)
	}
	return err
}

func readSections(tx *sql.Tx, file string) ([]element, error) {
	var found string
	if err := tx.QueryRow("PRAGMA quick_check(1)").Scan(&found); err != nil {
		return nil, err
	}
	if found != "ok" {
		return nil, fmt.Errorf("the file is damaged (%.200q): let HammerDB create it again, or import the XML files", found)
	}
	columns, err := columnsByTable(tx)
	if err != nil {
		return nil, err
	}
	var list []element
	for _, t := range columns {
		if !slices.Contains(t.columns, "key") || !slices.Contains(t.columns, "val") {
			hint := ""
			if strings.EqualFold(t.name, "jobmain") {
				hint = ": take over its jobs with jobs import"
			}
			return nil, fmt.Errorf("this is not a settings file of HammerDB: its table %s has no columns key and val%s", printable(t.name), hint)
		}
		read, err := readSection(tx, t.name)
		if err != nil {
			return nil, err
		}
		for _, x := range read {
			list = append(list, element{file, []string{t.name}, x.key, x.value})
		}
	}
	return list, nil
}

// table is a table of a SQLite file.
type table struct {
	name    string
	columns []string // in lower case
}

// columnsByTable lists the tables in the order of their creation, without views and virtual tables.
func columnsByTable(tx *sql.Tx) ([]table, error) {
	rows, err := tx.Query(`SELECT t.name, lower(c.name) FROM pragma_table_list AS t
		JOIN sqlite_schema AS s ON s.name = t.name AND s.type = 'table'
		LEFT JOIN pragma_table_info(t.name) AS c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
		ORDER BY s.rowid, c.cid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []table
	for rows.Next() {
		var name string
		var column sql.NullString
		if err := rows.Scan(&name, &column); err != nil {
			return nil, err
		}
		if len(list) == 0 || list[len(list)-1].name != name {
			list = append(list, table{name: name})
		}
		last := &list[len(list)-1]
		last.columns = append(last.columns, column.String)
	}
	return list, rows.Err()
}

// readSection lists the settings in a table. It casts values to text, because a column of SQLite
// may contain values of any type.
func readSection(tx *sql.Tx, name string) ([]setting, error) {
	quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	rows, err := tx.Query("SELECT CAST(key AS TEXT), CAST(val AS TEXT) FROM " + quoted)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []setting
	for rows.Next() {
		var key, value sql.NullString
		if err := rows.Scan(&key, &value); err != nil {
			return nil, err
		}
		list = append(list, setting{section: name, key: key.String, value: value.String})
	}
	return list, rows.Err()
}
