package sqlschema

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"sledge/internal/database"
)

// CreationTable is a table in databases that a build created, with the name of the database, so
// that a delete drops no other databases. It is for servers without comments on databases and
// accounts. It stays until the database is dropped. objects.sql leaves it out.
const CreationTable = "sledge_created"

// RecordCreation creates CreationTable in a database that a build has just created. prefix
// qualifies the table's name; it may be empty.
func RecordCreation(ctx context.Context, s database.Session, prefix, name string) error {
	for _, statement := range []string{
		"CREATE TABLE " + prefix + CreationTable + " (name VARCHAR(700) NOT NULL PRIMARY KEY)",
		"INSERT INTO " + prefix + CreationTable + " (name) VALUES ('" + url.PathEscape(name) + "')",
	} {
		if err := s.Exec(ctx, statement); err != nil {
			return fmt.Errorf("record in table %s that a build created the database: %w", CreationTable, err)
		}
	}
	return nil
}

// WasCreated reports whether a build created the database with that name. It returns false for a
// copy of such a database under another name. exists is a query that returns a row if the table
// exists.
func WasCreated(ctx context.Context, s database.Session, prefix, exists, name string) (bool, error) {
	found, err := s.Query(ctx, exists, 1)
	if err != nil || len(found.Rows) == 0 {
		return false, err
	}
	names, err := s.Query(ctx, "SELECT * FROM "+prefix+CreationTable, 2)
	if err != nil {
		return false, fmt.Errorf("find out whether a build created the database: %w", err)
	}
	return len(names.Rows) == 1 && len(names.Columns) == 1 && strings.EqualFold(names.Rows[0][0], url.PathEscape(name)), nil
}
