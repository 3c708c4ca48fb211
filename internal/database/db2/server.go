package db2

import (
	"context"
	"fmt"
	"maps"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
	"sledge/internal/sqlschema"
)

// newServer is Database.Server. If the user lacks a right, a value is left out, or the error names
// the GRANT.
func newServer(sql *sqlfile.Library) database.Server {
	server := sqlschema.NewServer(sql)
	server.Settings = settingsBy(sql)
	version := server.Version
	server.Version = func(ctx context.Context, s database.Session) (string, error) {
		v, err := version(ctx, s)
		if own, is := s.(*session); is && err != nil && permitted(err) == nil {
			v = own.conn.ServerVersion() // the library received it when it connected: "11.05.0800"
			return v, nil
		}
		return v, err
	}
	if count := server.Counter; count != nil {
		server.Counter = func(ctx context.Context, s database.Session) (int64, error) {
			n, err := count(ctx, s)
			if err != nil && Classify(err) == meter.Permission {
				err = fmt.Errorf("%w: an administrator can run GRANT EXECUTE ON FUNCTION SYSPROC.MON_GET_DATABASE TO USER and the user's name", err)
			}
			return n, err
		}
	}
	if sql.Has("explain.rows") {
		server.Explain = explainer(sql)
	}
	return server
}

// settingsBy runs each statement of server.sql whose name begins with settings, and skips those for
// which the user lacks a right.
func settingsBy(sql *sqlfile.Library) func(context.Context, database.Session) (map[string]string, error) {
	return func(ctx context.Context, s database.Session) (map[string]string, error) {
		all := map[string]string{}
		for _, name := range sql.Names("server.settings") {
			some, err := settingsOf(ctx, sql, s, name)
			if err := permitted(err); err != nil {
				return nil, err
			}
			maps.Copy(all, some)
		}
		return all, nil
	}
}

func settingsOf(ctx context.Context, sql *sqlfile.Library, s database.Session, name string) (map[string]string, error) {
	q, err := sql.Query(name)
	if err != nil {
		return nil, err
	}
	t, err := s.Query(ctx, q.Text, 0)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, row := range t.Rows {
		if len(row) != 2 {
			return nil, fmt.Errorf("sql %s: it returned %d columns, not a name and a value", name, len(row))
		}
		found[row[0]] = row[1]
	}
	return found, nil
}
