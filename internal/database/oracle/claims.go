package oracle

import (
	"context"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
	"sledge/internal/sqlschema"
)

// newSchema is Database.Schema. It uses package sqlschema, except that builds detect each other by
// a lock on a table, because an ordinary user may take no other lock.
func newSchema(d *database.Database, sql *sqlfile.Library, plan any) database.Schema {
	s := sqlschema.New(d, sql, plan)
	objects := s.Objects
	s.Objects = func(ctx context.Context, of database.Session) ([]database.Object, error) {
		list, err := objects(ctx, of)
		for i := range list { // in Oracle an empty text is NULL
			if list[i].Bond == null {
				list[i].Bond = database.NoBond
			}
			list[i].Name, list[i].PartOf = orEmpty(list[i].Name), orEmpty(list[i].PartOf)
		}
		return list, err
	}
	s.Claims = &database.Claims{Take: take, Share: share, Holder: holder, Sharers: sharers, Work: work, Orphans: orphans(sql)}
	return s
}

// null is the text of a NULL in the result of Query.
const null = "NULL"

func orEmpty(text string) string {
	if text == null {
		return ""
	}
	return text
}

// claimTable is the table that a build locks. It exists only during builds and deletes;
// objects.sql excludes it.
const claimTable = "sledge_claim"

// take is Claims.Take. It locks the table until the session's transaction ends. Nothing else uses
// the session, so the lock is held until the session ends, even if its connection is lost.
func take(ctx context.Context, of database.Session) (bool, error) { return lock(ctx, of, "EXCLUSIVE") }

// share is Claims.Share. Its lock ends in the same way.
func share(ctx context.Context, of database.Session) (bool, error) { return lock(ctx, of, "SHARE") }

// lock locks the table in a mode, and reports whether it succeeded.
func lock(ctx context.Context, of database.Session, mode string) (bool, error) {
	s, is := of.(*session)
	if !is {
		return true, nil
	}
	err := s.Exec(ctx, "CREATE TABLE "+claimTable+" (purpose VARCHAR2(30))")
	if err != nil && number(err) != errNameTaken && number(err) != errBusy {
		return false, err
	}
	if err := s.Begin(ctx, database.ReadWrite); err != nil {
		return false, err
	}
	err = s.Exec(ctx, "LOCK TABLE "+claimTable+" IN "+mode+" MODE NOWAIT")
	switch number(err) {
	case errBusy, errNoTable: // another session has the claim, or has just released it and dropped the table
		return false, s.Rollback(ctx)
	}
	s.claimed = err == nil
	return s.claimed, err
}

// release releases the claim and drops the table. If another session takes the claim in between,
// the drop fails, and that session's release drops the table.
func (s *session) release() {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	s.claimed = false
	if err := s.Rollback(ctx); err != nil {
		return // the lock ends with the session
	}
	_ = s.Exec(ctx, "BEGIN EXECUTE IMMEDIATE 'ALTER SESSION SET DDL_LOCK_TIMEOUT = 0'; EXECUTE IMMEDIATE 'DROP TABLE "+claimTable+" PURGE'; END;")
}

// holder is Claims.Holder. It returns "" if the user may not see the holder.
func holder(ctx context.Context, of database.Session) (string, error) {
	list, err := lockers(ctx, of, exclusive)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}

// sharers is Claims.Sharers.
func sharers(ctx context.Context, of database.Session) ([]string, error) {
	return lockers(ctx, of, shared)
}

// shared and exclusive are the modes of table locks in v$locked_object.
const shared, exclusive = "4", "6"

// lockers lists the sessions that have locked the table in a mode. If the user may not see them,
// the list is empty, which only makes a message less precise. The loss of the session itself is an
// error, because it ends a claim.
func lockers(ctx context.Context, of database.Session, mode string) (list []string, err error) {
	t, err := asSystem(ctx, of, `SELECT 'session ' || s.sid || ',' || s.serial# || ' of program ' || s.program || ' on ' || s.machine
		FROM v$locked_object l JOIN v$session s ON s.sid = l.session_id JOIN dba_objects o ON o.object_id = l.object_id
		WHERE o.object_name = 'SLEDGE_CLAIM' AND l.locked_mode = `+mode+` AND o.owner = `+literal(ownName(of)))
	if isBroken(err) {
		return nil, err
	}
	for _, row := range t.Rows {
		list = append(list, row[0])
	}
	return list, nil
}

// ownName returns the user of a session, as the dictionary spells it.
func ownName(of database.Session) string {
	if s, is := of.(*session); is {
		name := identifier(s.options.own().User)
		return name[1 : len(name)-1]
	}
	return ""
}

// working is the action of a build's sessions in v$session.
const working = "build"

// work is Claims.Work.
func work(ctx context.Context, s database.Session) error {
	return s.Exec(ctx, "BEGIN "+setAction(working)+"; END;")
}

// orphans is Claims.Orphans. This session has the claim, so the user's sessions that work for a
// build are left over from a killed one. If the user may not see sessions, the list is empty; the
// build log's key then prevents loading a chunk twice.
func orphans(sql *sqlfile.Library) func(ctx context.Context, of database.Session) ([]database.Orphan, error) {
	return func(ctx context.Context, of database.Session) ([]database.Orphan, error) {
		q, err := sql.Filled("build.orphans", map[string]string{"owner": literal(ownName(of)), "module": literal(module), "action": literal(working)})
		if err != nil {
			return nil, err
		}
		t, err := asSystem(ctx, of, q)
		if err != nil {
			return nil, nil //nolint:nilerr // see above
		}
		var list []database.Orphan
		for _, row := range t.Rows {
			list = append(list, database.Orphan{Name: row[0], End: func(ctx context.Context, of database.Session) error {
				s, is := of.(*session)
				if !is {
					return errNoSystem
				}
				system, err := systemBeside(ctx, s)
				if err != nil {
					return err
				}
				return system.Exec(ctx, row[1])
			}})
		}
		return list, nil
	}
}

// asSystem runs a query that needs rights, first in the session itself. If its user lacks them, the
// query runs in a session of the system user. If that session is lost, asSystem returns the first
// error, because the session itself is not lost; the next call opens another session of the system
// user.
func asSystem(ctx context.Context, of database.Session, query string) (database.Table, error) {
	t, err := of.Query(ctx, query, 0)
	if n := number(err); n != errNoTable && n != errNoRights {
		return t, err
	}
	s, is := of.(*session)
	if !is {
		return t, err
	}
	system, refused := systemBeside(ctx, s)
	if refused != nil {
		return t, fmt.Errorf("%w: user %s may not see it: run GRANT SELECT_CATALOG_ROLE TO %[2]s, or set the system user to one who may (%[3]v)", err, s.user, refused)
	}
	answer, lost := system.Query(ctx, query, 0)
	if !isBroken(lost) {
		return answer, lost
	}
	_ = system.Close() // the connection is lost anyway
	s.system = nil
	return t, fmt.Errorf("%w: user %s may not see it, and the session of user %s is lost: %[4]v", err, s.user, system.user, lost)
}

// systemBeside returns the system user's session beside s, which it opens if necessary. It does not
// repeat a refused login in this process, because repeated wrong passwords lock a user.
func systemBeside(ctx context.Context, s *session) (*session, error) {
	if s.userOption == "system_user" {
		return nil, errNoSystem
	}
	if s.system != nil {
		return s.system, nil
	}
	l := systemOf(s.options)
	key := fmt.Sprint(target(s.options), "\x00", l.user, "\x00", l.password)
	refusals.Lock()
	err := refusals.of[key]
	refusals.Unlock()
	if err != nil {
		return nil, err
	}
	system, err := dial(ctx, l)
	if err != nil {
		if number(err) != 0 {
			refusals.Lock()
			refusals.of[key] = err
			refusals.Unlock()
		}
		return nil, err
	}
	s.system = system
	return system, nil
}
