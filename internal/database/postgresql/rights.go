package postgresql

import (
	"context"

	"sledge/internal/database"
)

// lacking is Container.Lacking. A superuser lacks nothing, and an account needs no rights to create
// objects that it already owns.
func lacking(ctx context.Context, options any, s database.Session) (rights []string, err error) {
	if options.(target).own().NoSuperuser {
		return nil, nil
	}
	t, err := s.Query(ctx, `SELECT rolsuper OR rolcreatedb, rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user`, 1)
	if err != nil {
		return nil, err
	}
	for _, row := range t.Rows {
		for i, right := range []string{"CREATEDB", "CREATEROLE"} {
			if row[i] != "t" {
				rights = append(rights, right)
			}
		}
	}
	return rights, nil
}
