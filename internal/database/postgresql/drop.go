package postgresql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sledge/internal/database"
)

// drop is Container.Drop. It drops the database and its owner if create created them and they
// contain and own nothing else. If the database stays, it revokes the rights in it from an account
// that create created.
func drop(ctx context.Context, options any, d database.DropOptions) ([]database.DropResult, error) {
	o := options.(target)
	a := o.own()
	if a.NoSuperuser {
		return allStay(a, d, o.Name("no_superuser")+" forbids connecting as the superuser"), nil
	}
	admin, err := dial(ctx, o.admin())
	if err != nil {
		// An account that can build without the superuser can delete without it, but must not
		// silently leave behind what create created.
		if made, _ := madeDatabase(ctx, o.owner()); made {
			return nil, fmt.Errorf("a build created the database, and only the superuser can drop it: %w; or set %s to keep the database", err, o.Name("no_superuser"))
		}
		return allStay(a, d, err.Error()), nil
	}
	defer admin.Close()
	e := ending{admin: admin, options: o, DropOptions: d}
	base, err := e.endDatabase(ctx, a.Database)
	if err != nil {
		return nil, fmt.Errorf("drop the database %s: %w", a.Database, err)
	}
	copies, err := e.dropCopies(ctx, a.Database)
	if err != nil {
		return present(base), fmt.Errorf("drop the copy of the database %s: %w", a.Database, err)
	}
	stays := base.Kind != "" && (base.Name == "" || base.Stays != "")
	role, err := e.endRole(ctx, a.User, stays)
	if err != nil {
		return present(append(copies, base)...), fmt.Errorf("drop the user %s: %w", a.User, err)
	}
	return present(append(copies, base, role)...), nil
}

// present leaves out results without a name, which stand for objects that do not exist or hold no
// schema.
func present(fates ...database.DropResult) []database.DropResult {
	return slices.DeleteFunc(fates, func(f database.DropResult) bool { return f.Name == "" })
}

// allStay returns results for a database and an account that both stay; none if there was no
// schema.
func allStay(a *account, d database.DropOptions, why string) []database.DropResult {
	if d.Leftover {
		return nil
	}
	if len(d.Others) > 0 {
		why = database.AlsoHolds(d.Others)
	}
	return []database.DropResult{
		{Kind: "database", Name: a.Database, Stays: why},
		{Kind: "role", Name: a.User, Stays: "its database stays"},
	}
}

// madeDatabase reports whether create created the database that owner connects to.
func madeDatabase(ctx context.Context, owner login) (bool, error) {
	s, err := dial(ctx, owner)
	if err != nil {
		return false, err
	}
	defer s.Close()
	return s.has(ctx, "SELECT 1 FROM pg_database WHERE datname = current_database() AND shobj_description(oid, 'pg_database') = "+literal(madeHere))
}

// ending drops the database and the account around a schema, in the superuser's session.
type ending struct {
	database.DropOptions
	admin   *session
	options target
}

// endDatabase drops the database, unless there is a reason to keep it. The result has no Kind if
// the database does not exist, and no Name if the database held no schema and stays.
func (e ending) endDatabase(ctx context.Context, name string) (database.DropResult, error) {
	fate := database.DropResult{Kind: "database", Name: name}
	t, err := e.admin.Query(ctx, "SELECT coalesce(shobj_description(oid, 'pg_database'), '') = "+literal(madeHere)+", datistemplate FROM pg_database WHERE datname = "+literal(name), 1)
	if err != nil || len(t.Rows) == 0 {
		return database.DropResult{}, err
	}
	made, template := t.Rows[0][0] == "t", t.Rows[0][1] == "t"
	switch {
	case e.Leftover && (!made || len(e.Others) > 0):
		return database.DropResult{Kind: "database"}, nil
	case len(e.Others) > 0:
		fate.Stays = database.AlsoHolds(e.Others)
	case template:
		fate.Stays = "it is a template for new databases"
	case name == "postgres" || name == e.options.admin().database:
		fate.Stays = "the server's administrators connect to it"
	case !e.Drops(made):
		fate.Stays = database.NotCreated("DROP DATABASE " + pgx.Identifier{name}.Sanitize())
	case e.Dry:
		fate.Stays, err = e.connected(ctx, name)
	default:
		fate.Stays, err = e.dropDatabase(ctx, name)
		if stateOf(err) == "3D000" { // invalid_catalog_name: another deletion has dropped it
			return database.DropResult{}, nil
		}
	}
	return fate, err
}

// dropDatabase drops the database, or returns why the server refuses.
func (e ending) dropDatabase(ctx context.Context, name string) (stays string, err error) {
	drop := func() error { return e.admin.Exec(ctx, "DROP DATABASE "+pgx.Identifier{name}.Sanitize()) }
	var pooled string
	if e.admin.pooler.Pooling != "" {
		pooled = "; the connection pooler keeps connections open: delete over a connection to the server itself"
	}
	err = repeated(ctx, drop)
	if stateOf(err) == objectInUse {
		if stays, err := e.connected(ctx, name); err != nil || stays != "" {
			return stays + pooled, err
		}
		err = repeated(ctx, drop) // the other sessions have ended meanwhile
	}
	switch stateOf(err) {
	case objectInUse:
		return "other sessions are using it: end them, and drop it by hand" + pooled, nil
	case "42501", "55000": // insufficient_privilege, object_not_in_prerequisite_state: on managed services
		return serverSays(err), nil
	}
	return "", err
}

// objectInUse is a SQLSTATE.
const objectInUse = "55006"

// connected lists the other connections to a database. It returns "" if the database has no others.
// A session that was closed a moment ago may still be listed.
func (e ending) connected(ctx context.Context, name string) (string, error) {
	const tries, pause = 20, 100 * time.Millisecond
	for try := 1; ; try++ {
		t, err := e.admin.Query(ctx, `SELECT coalesce(nullif(application_name, ''), 'a client') || ' of ' || coalesce(usename, '?') || ' (' || count(*) || ')'
			FROM pg_stat_activity WHERE backend_type IN ('client backend', 'walsender') AND datname = `+literal(name)+` GROUP BY application_name, usename ORDER BY 1`, 10)
		if err != nil || len(t.Rows) == 0 {
			return "", err
		}
		if try < tries {
			select {
			case <-time.After(pause):
				continue
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		var who []string
		for _, row := range t.Rows {
			who = append(who, row[0])
		}
		return "other sessions are connected to it: " + strings.Join(who, ", "), nil
	}
}

// endRole drops the account if it served only the schema: if it has no rights over the server,
// belongs to no group and owns nothing.
func (e ending) endRole(ctx context.Context, name string, baseStays bool) (database.DropResult, error) {
	fate := database.DropResult{Kind: "role", Name: name}
	t, err := e.admin.Query(ctx, `SELECT
		CASE WHEN rolname = session_user THEN 'Sledge is connected as it'
			WHEN rolname ~ '^pg_' THEN 'it is the server''s own'
			WHEN rolsuper THEN 'it is a superuser'
			WHEN rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls THEN 'it has rights over the server'
			WHEN EXISTS (SELECT FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid)
				THEN 'it belongs to ' || (SELECT string_agg(g.rolname, ', ') FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid)
			WHEN EXISTS (SELECT FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.member WHERE m.roleid = r.oid AND g.rolname <> session_user)
				THEN 'other roles have its rights: ' || (SELECT string_agg(DISTINCT g.rolname, ', ') FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.member WHERE m.roleid = r.oid AND g.rolname <> session_user)
			WHEN coalesce(shobj_description(r.oid, 'pg_authid'), `+literal(madeHere)+`) <> `+literal(madeHere)+` THEN 'it has a comment that Sledge did not write'
			ELSE '' END,
		coalesce(shobj_description(r.oid, 'pg_authid'), '') = `+literal(madeHere)+`
		FROM pg_roles r WHERE rolname = `+literal(name), 1)
	if err != nil || len(t.Rows) == 0 {
		return database.DropResult{}, err
	}
	why, made := t.Rows[0][0], t.Rows[0][1] == "t"
	switch {
	case e.Leftover && !made:
		return database.DropResult{}, nil
	case why != "":
		fate.Stays = why
	case !e.Drops(made):
		fate.Stays, err = e.notCreated(ctx, name, baseStays)
	case baseStays && !made:
		fate.Stays = "its database stays"
	case e.Dry:
		fate.Stays, err = e.ownsMore(ctx, name, baseStays)
	default:
		fate.Stays, err = e.dropRole(ctx, name, baseStays)
		if stateOf(err) == "42704" { // undefined_object: another deletion has dropped it
			return database.DropResult{}, nil
		}
	}
	if fate.Stays != "" && made && err == nil {
		fate.Stays += fmt.Sprintf("; it can still log in with the password that a build gave it: run DROP ROLE %s when nothing needs it", pgx.Identifier{name}.Sanitize())
	}
	return fate, err
}

// notCreated returns the reason for keeping a role that create did not create, with the statements
// that drop it or revoke the rights that create may have granted.
func (e ending) notCreated(ctx context.Context, name string, baseStays bool) (string, error) {
	role := pgx.Identifier{name}.Sanitize()
	why := database.NotCreated("DROP ROLE " + role)
	if !baseStays {
		return why, nil
	}
	s, err := dial(ctx, e.options.admin().to(e.options.own().Database))
	if err != nil {
		return "", err
	}
	defer s.Close()
	granted, err := s.has(ctx, `SELECT 1 FROM pg_namespace n, aclexplode(n.nspacl) a, pg_roles r
		WHERE n.nspname = 'public' AND a.privilege_type = 'CREATE' AND a.grantee = r.oid AND r.oid <> n.nspowner AND r.rolname = `+literal(name))
	if granted {
		why += "; it may create tables in the schema public, which a build may have allowed: REVOKE " + rightsInPublic + " FROM " + role + " revokes that"
	}
	return why, err
}

// rightsInPublic are the rights that create grants to an account in a database that it did not
// create.
const rightsInPublic = "USAGE, CREATE ON SCHEMA public"

// dropRole revokes the rights that create granted to an account, and drops the account. If the
// server refuses, it returns the server's reason.
func (e ending) dropRole(ctx context.Context, name string, baseStays bool) (stays string, err error) {
	if baseStays {
		if err := e.revokeSchema(ctx, name); err != nil {
			return "", err
		}
	}
	err = repeated(ctx, func() error { return e.admin.Exec(ctx, "DROP ROLE "+pgx.Identifier{name}.Sanitize()) })
	switch stateOf(err) {
	case "2BP01": // dependent_objects_still_exist
		return "it owns or has rights on other objects: " + serversDetail(err), nil
	case "42501", objectInUse:
		return serverSays(err), nil
	}
	return "", err
}

// revokeSchema revokes the rights that grantSchema granted.
func (e ending) revokeSchema(ctx context.Context, name string) error {
	s, err := dial(ctx, e.options.admin().to(e.options.own().Database))
	if err != nil {
		return err
	}
	defer s.Close()
	err = repeated(ctx, func() error { return s.Exec(ctx, "REVOKE "+rightsInPublic+" FROM "+pgx.Identifier{name}.Sanitize()) })
	if stateOf(err) == "3F000" { // the schema public was dropped
		return nil
	}
	return err
}

// ownsMore lists what an account owns outside the schema, in this database and others. The list is
// complete only after the schema has been dropped.
func (e ending) ownsMore(ctx context.Context, name string, baseStays bool) (string, error) {
	inside, itself := literal(e.options.own().Database), literal(e.options.own().Database) // objects in inside, and the database itself, do not count; NULL counts all
	if baseStays {
		itself = "NULL"
		if e.Leftover {
			inside = "NULL"
		}
	}
	t, err := e.admin.Query(ctx, `SELECT DISTINCT CASE WHEN s.dbid <> 0 THEN 'in the database ' || d.datname
			WHEN s.classid = 'pg_database'::regclass THEN 'database ' || (SELECT datname FROM pg_database WHERE oid = s.objid)
			ELSE pg_describe_object(s.classid, s.objid, 0) END AS what
		FROM pg_shdepend s LEFT JOIN pg_database d ON d.oid = s.dbid
		WHERE refclassid = 'pg_authid'::regclass AND refobjid = (SELECT oid FROM pg_roles WHERE rolname = `+literal(name)+`)
			AND (d.datname = `+inside+`) IS NOT TRUE
			AND ((SELECT datname FROM pg_database WHERE s.classid = 'pg_database'::regclass AND oid = s.objid) = `+itself+`) IS NOT TRUE`, 10)
	if err != nil || len(t.Rows) == 0 {
		return "", err
	}
	var what []string
	for _, row := range t.Rows {
		what = append(what, row[0])
	}
	return "it owns or has rights on other objects: " + strings.Join(what, ", "), nil
}

// serversDetail returns the details of a server's error, line by line.
func serversDetail(err error) string {
	var e *pgconn.PgError
	errors.As(err, &e)
	return strings.Join(strings.Split(e.Detail, "\n"), ", ")
}

// serverSays returns the server's message with its details on one line.
func serverSays(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := e.Message
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return strings.Join(strings.Fields(text), " ")
}
