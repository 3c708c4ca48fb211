package sqlschema

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"sledge/internal/database"
)

// CreationTable records, in a database that a build created, the name of that database. It is for
// servers that keep no comments on databases and accounts. It stays until the database is dropped,
// so that a delete drops the databases that builds created and no others. objects.sql leaves it out.
const CreationTable = "sledge_created"

// RecordCreation creates the table in a database that a build has just created. Prefix qualifies
// the table's name; it may be empty.
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

// WasCreated reports whether a build created the database of that name. A copy of it under another
// name does not count. exists is a query that returns a row if the table exists.
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
