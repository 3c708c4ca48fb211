package postgresql

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"sledge/internal/database"
)

// The ends of the names of the copy of a database, and of the database that is to replace it. Their
// comments show that restore made them.
const (
	copySuffix = "_sledge_copy"
	newSuffix  = "_sledge_new"
)

// copyMark is the comment on the copy of a database.
func copyMark(name string) string { return madeHere + ": a copy of " + name }

// newMark is the comment on a database that is to replace another.
func newMark(name string) string { return madeHere + ": to replace " + name }

// restore is Container.Restore. The copy is a database beside it. The new database is complete before
// the old one is dropped, so that a restore that is interrupted at any moment loses nothing.
func restore(ctx context.Context, options any) (kept bool, err error) {
	o := options.(target)
	a := o.own()
	name, spare, next := a.Database, a.Database+copySuffix, a.Database+newSuffix
	if a.NoSuperuser {
		return false, fmt.Errorf("only the superuser can copy databases, and %s forbids connecting as it", o.Name("no_superuser"))
	}
	if len(spare) > longestName {
		return false, o.owner().server.Wrong(o.owner().databaseOption, name, "the name of its copy, %s, would be longer than %d bytes: choose a shorter one", spare, longestName)
	}
	admin, err := dial(ctx, o.admin())
	if err != nil {
		return false, err
	}
	defer admin.Close()
	r := restoring{ending{admin: admin, options: o}}
	owner, err := r.replaceable(ctx, name)
	if err != nil {
		return false, err
	}
	copied, err := r.ours(ctx, spare, copyMark(name))
	if err != nil {
		return false, err
	}
	if owner == "" && !copied {
		return false, database.Missing(fmt.Errorf("there is no database %s: build the schema", name))
	}
	if !copied {
		return true, r.clone(ctx, name, spare, owner, copyMark(name))
	}
	if owner == "" { // an earlier restore ended between dropping the old database and renaming the new one
		owner = a.User
	}
	half, err := r.ours(ctx, next, newMark(name))
	if err != nil {
		return false, err
	}
	if half {
		if err := r.away(ctx, next); err != nil {
			return false, err
		}
	}
	if err := r.clone(ctx, spare, next, owner, newMark(name)); err != nil {
		return false, err
	}
	if err := r.away(ctx, name); err != nil {
		return false, err
	}
	quoted := pgx.Identifier{name}.Sanitize()
	if err := admin.Exec(ctx, "ALTER DATABASE "+pgx.Identifier{next}.Sanitize()+" RENAME TO "+quoted); err != nil {
		return false, fmt.Errorf("rename the restored database: %w", err)
	}
	return false, admin.Exec(ctx, "COMMENT ON DATABASE "+quoted+" IS "+literal(madeHere))
}

// restoring replaces a database in the superuser's session.
type restoring struct{ ending }

// replaceable returns the owner of a database that may be replaced by a copy, "" if the database does
// not exist, or an error that says why it may not.
func (r restoring) replaceable(ctx context.Context, name string) (owner string, err error) {
	t, err := r.admin.Query(ctx, `SELECT pg_get_userbyid(datdba), coalesce(shobj_description(oid, 'pg_database'), ''),
		datacl IS NOT NULL OR datconnlimit <> -1 OR EXISTS (SELECT FROM pg_db_role_setting WHERE setdatabase = d.oid), datistemplate
		FROM pg_database d WHERE datname = `+literal(name), 1)
	if err != nil || len(t.Rows) == 0 {
		return "", err
	}
	owner, mark, own, template := t.Rows[0][0], t.Rows[0][1], t.Rows[0][2] == "t", t.Rows[0][3] == "t"
	switch {
	case template || name == r.options.admin().database:
		return "", fmt.Errorf("the database %s is not replaced by a copy: the server's administrators use it", name)
	case mark != madeHere && mark != newMark(name): // a restore ended before its last statement
		return "", fmt.Errorf("no build created the database %s, so it is not replaced by a copy: let a build create another one", name)
	case own:
		return "", fmt.Errorf("the database %s has grants, settings or a connection limit of its own, which a copy would not have", name)
	}
	return owner, nil
}

// ours reports whether there is a database with that name and mark. One with another mark is an error.
func (r restoring) ours(ctx context.Context, name, mark string) (bool, error) {
	t, err := r.admin.Query(ctx, "SELECT coalesce(shobj_description(oid, 'pg_database'), '') FROM pg_database WHERE datname = "+literal(name), 1)
	if err != nil || len(t.Rows) == 0 {
		return false, err
	}
	if t.Rows[0][0] != mark {
		return false, fmt.Errorf("the database %[1]s stands in the way and nothing shows that Sledge made it; if nothing needs it, drop it with DROP DATABASE %[2]s", name, pgx.Identifier{name}.Sanitize())
	}
	return true, nil
}

// clone copies a database that no session is connected to. It copies the files, so that the log holds
// nothing of the copy, where the server can (from PostgreSQL 15 on it must be told to).
func (r restoring) clone(ctx context.Context, from, to, owner, mark string) error {
	t, err := r.admin.Query(ctx, "SHOW server_version_num", 1)
	if err != nil {
		return err
	}
	statement := "CREATE DATABASE " + pgx.Identifier{to}.Sanitize() + " TEMPLATE " + pgx.Identifier{from}.Sanitize() + " OWNER " + pgx.Identifier{owner}.Sanitize()
	if space := r.options.own().Tablespace; space != "" && space != "pg_default" {
		statement += " TABLESPACE " + pgx.Identifier{space}.Sanitize()
	}
	if version, err := strconv.Atoi(t.Rows[0][0]); err == nil && version >= 150_000 {
		statement += " STRATEGY FILE_COPY"
	}
	err = r.admin.Exec(ctx, statement)
	if stateOf(err) == objectInUse {
		who, asked := r.connected(ctx, from)
		if asked != nil || who != "" {
			return fmt.Errorf("the database %s cannot be copied: %s", from, serverSays(err)+who)
		}
		err = r.admin.Exec(ctx, statement) // the other sessions have ended meanwhile
	}
	if err != nil {
		return fmt.Errorf("copy the database %s: %w", from, err)
	}
	return r.admin.Exec(ctx, "COMMENT ON DATABASE "+pgx.Identifier{to}.Sanitize()+" IS "+literal(mark))
}

// away drops a database, if it exists.
func (r restoring) away(ctx context.Context, name string) error {
	stays, err := r.dropDatabase(ctx, name)
	switch {
	case stateOf(err) == "3D000": // invalid_catalog_name
		return nil
	case err == nil && stays != "":
		err = fmt.Errorf("%s", stays)
	}
	if err != nil {
		return fmt.Errorf("the database %s cannot be replaced: %w", name, err)
	}
	return nil
}

// dropCopies drops the copies of a database that restore made.
func (e ending) dropCopies(ctx context.Context, name string) (list []database.DropResult, err error) {
	r := restoring{e}
	for _, one := range [][2]string{{name + copySuffix, copyMark(name)}, {name + newSuffix, newMark(name)}} {
		if ours, err := r.ours(ctx, one[0], one[1]); err != nil || !ours {
			continue // it is not proven to be ours
		}
		fate := database.DropResult{Kind: "database", Name: one[0]}
		if !e.Dry {
			if fate.Stays, err = e.dropDatabase(ctx, one[0]); err != nil {
				return list, err
			}
		}
		list = append(list, fate)
	}
	return list, nil
}
