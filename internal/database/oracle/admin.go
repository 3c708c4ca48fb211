package oracle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/sqlschema"
)

// rightsOfOwner lists the rights that a user needs to build a schema, by their names in
// session_privs. The last one is needed for hash clusters only.
var rightsOfOwner = []string{
	"CREATE SESSION",   // to log in
	"CREATE TABLE",     // tables and their indexes
	"CREATE VIEW",      // stock_item, through which other programs' routines change rows
	"CREATE PROCEDURE", // the five routines
	"CREATE CLUSTER",   // for hash clusters
}

// catalogRole lets the owner read the server's counts, settings and sessions, so that runs need no
// other user. It gives no access to other users' tables.
const catalogRole = "SELECT_CATALOG_ROLE"

// create is Container.Create. It connects as the system user only if the owner cannot build yet.
func create(ctx context.Context, options any, tell func(job.Event)) error {
	o := options.(settings)
	a := o.own()
	if isServersOwn(a.User) {
		return o.Wrong("user", a.User, "%q is the server's own, %w: choose another user", a.User, database.ErrUnfit)
	}
	why := canBuild(ctx, o)
	if why == nil {
		return nil
	}
	system, err := dial(ctx, systemOf(o))
	if err != nil {
		return fmt.Errorf("%w; and the system user, who could help, cannot connect: %w", why, err)
	}
	defer system.Close()
	found, err := system.Query(ctx, "SELECT username, oracle_maintained FROM all_users WHERE username = "+literal(strings.ToUpper(a.User)), 1)
	if err != nil {
		return fmt.Errorf("look for the user %s: %w", a.User, err)
	}
	switch {
	case len(found.Rows) == 0:
		return createUser(ctx, system, o, tell)
	case found.Rows[0][1] == "Y":
		return o.Wrong("user", a.User, "%q is the server's own, %w: choose another user", a.User, database.ErrUnfit)
	}
	lack, is := errors.AsType[*lackError](why)
	if !is {
		return fmt.Errorf("the user exists already, so a build does not change it: %w", why)
	}
	if err := allow(ctx, system, o, lack.statements...); err != nil {
		return err
	}
	return canBuild(ctx, o)
}

// isServersOwn reports whether a user of this name belongs to the server.
func isServersOwn(name string) bool {
	return slices.Contains([]string{"SYS", "SYSTEM", "SYSMAN", "DBSNMP", "OUTLN", "XDB", "PUBLIC", "PDBADMIN"}, strings.ToUpper(name))
}

// lackError means that the owner can log in, but lacks rights that a build needs.
type lackError struct{ statements []string } // statements that grant the rights

func (e *lackError) Error() string {
	return "the user lacks rights that a build needs: run " + strings.Join(e.statements, ", and ")
}

// canBuild returns nil if the owner can connect and create a schema.
func canBuild(ctx context.Context, o settings) error {
	s, err := dial(ctx, ownerOf(o))
	if err != nil {
		return err
	}
	defer s.Close()
	rights, err := missing(ctx, s, needed(o))
	if err != nil {
		return err
	}
	spaces, err := withoutQuota(ctx, s, o)
	if err != nil {
		return err
	}
	var lack lackError
	user := identifier(o.own().User)
	if len(rights) > 0 {
		lack.statements = append(lack.statements, "GRANT "+strings.Join(rights, ", ")+" TO "+user)
	}
	if len(spaces) > 0 {
		lack.statements = append(lack.statements, "ALTER USER "+user+quotas(spaces))
	}
	if len(lack.statements) > 0 {
		return &lack
	}
	return nil
}

// withoutQuota lists the tablespaces of the schema on which the session's user has no quota. A new
// user has no quota on any tablespace, even with the role RESOURCE.
func withoutQuota(ctx context.Context, s database.Session, o settings) ([]string, error) {
	t, err := s.Query(ctx, `SELECT u.default_tablespace, q.tablespace_name
		FROM user_users u LEFT JOIN user_ts_quotas q ON q.max_bytes <> 0
		WHERE NOT EXISTS (SELECT 1 FROM session_privs p WHERE p.privilege = 'UNLIMITED TABLESPACE')`, 0)
	if err != nil {
		return nil, fmt.Errorf("ask for the user's quotas: %w", err)
	}
	if len(t.Rows) == 0 {
		return nil, nil
	}
	return slices.DeleteFunc(tablespaces(o, t.Rows[0][0]), func(name string) bool {
		return slices.ContainsFunc(t.Rows, func(row []string) bool { return row[1] == name })
	}), nil
}

// quotas returns the clauses that give a user quotas on tablespaces.
func quotas(tablespaces []string) (clauses string) {
	for _, name := range tablespaces {
		clauses += " QUOTA UNLIMITED ON " + identifier(name)
	}
	return clauses
}

// needed returns the rights that the owner needs with these options.
func needed(o settings) []string {
	if t, is := o.(*transactional); is && t.HashClusters {
		return rightsOfOwner
	}
	return rightsOfOwner[:len(rightsOfOwner)-1]
}

// missing returns those of the rights that the user of a session lacks.
func missing(ctx context.Context, s database.Session, rights []string) ([]string, error) {
	t, err := s.Query(ctx, "SELECT privilege FROM session_privs", 0)
	if err != nil {
		return nil, fmt.Errorf("ask for the user's rights: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(rights), func(right string) bool {
		return slices.ContainsFunc(t.Rows, func(row []string) bool { return row[0] == right })
	}), nil
}

func createUser(ctx context.Context, system *session, o settings, tell func(job.Event)) error {
	a := o.own()
	if strings.ContainsAny(a.Password, "\"\x00") || a.Password == "" {
		return o.Wrong("password", "", "Oracle accepts no empty password, and none with a double quote: choose another")
	}
	statement := fmt.Sprintf("CREATE USER %s IDENTIFIED BY \"%s\" DEFAULT TABLESPACE %s TEMPORARY TABLESPACE %s",
		identifier(a.User), a.Password, identifier(a.Tablespace), identifier(a.TemporaryTablespace))
	statement += quotas(tablespaces(o, strings.ToUpper(a.Tablespace)))
	if err := system.Exec(ctx, statement); err != nil {
		return mayNot(o, number(err), fmt.Errorf("create the user %s: %s", a.User, words(err)))
	}
	tell(job.Event{Message: fmt.Sprintf("Created the user %s", a.User)})
	if a.Password == a.known {
		tell(job.Event{Message: fmt.Sprintf("Warning: user %s has the default password, which is public: set %s to choose another", a.User, o.Name("password"))})
	}
	if err := allow(ctx, system, o, "GRANT "+strings.Join(rightsOfOwner, ", ")+" TO "+identifier(a.User)); err != nil {
		return err
	}
	if err := canBuild(ctx, o); err != nil {
		return err
	}
	return recordCreation(ctx, o)
}

// recordCreation records in the user's schema that a build created the user.
func recordCreation(ctx context.Context, o settings) error {
	return asOwner(ctx, o, func(s *session) error { return sqlschema.RecordCreation(ctx, s, "", o.own().User) })
}

// wasCreated reports whether a build created the user.
func wasCreated(ctx context.Context, o settings) (created bool, err error) {
	err = asOwner(ctx, o, func(s *session) error {
		exists := "SELECT 1 FROM user_tables WHERE table_name = '" + strings.ToUpper(sqlschema.CreationTable) + "'"
		created, err = sqlschema.WasCreated(ctx, s, "", exists, o.own().User)
		return err
	})
	return created, err
}

// forgetCreation drops the record of recordCreation, because DROP USER without CASCADE needs an
// empty schema.
func forgetCreation(ctx context.Context, o settings) error {
	return asOwner(ctx, o, func(s *session) error { return s.Exec(ctx, "DROP TABLE "+sqlschema.CreationTable+" PURGE") })
}

// asOwner opens a session of the schema's owner and calls do.
func asOwner(ctx context.Context, o settings, do func(*session) error) error {
	s, err := dial(ctx, ownerOf(o))
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

// tablespaces returns the tablespaces of the schema. own is the owner's default tablespace.
func tablespaces(o settings, own string) []string {
	list := []string{own}
	if t, is := o.(*transactional); is && t.Partition && !strings.EqualFold(t.OrderLineTablespace, list[0]) {
		list = append(list, strings.ToUpper(t.OrderLineTablespace))
	}
	return list
}

// allow runs statements that give the owner its rights. The role of the catalog is optional, so
// allow continues if the system user may not grant it.
func allow(ctx context.Context, system *session, o settings, statements ...string) error {
	user := o.own().User
	for _, statement := range statements {
		if err := system.Exec(ctx, statement); err != nil {
			return mayNot(o, number(err), fmt.Errorf("%s: %s", statement, words(err)))
		}
	}
	if err := system.Exec(ctx, "GRANT "+catalogRole+" TO "+identifier(user)); err != nil && classOf[number(err)] == 0 {
		return fmt.Errorf("grant %s to the user %s: %w", catalogRole, user, err)
	}
	return nil
}

// mayNot adds advice to an error of the system user.
func mayNot(o settings, n int, err error) error {
	a := o.own()
	switch n {
	case errNoRights, 1919, 1924, 1932, 41900:
		return fmt.Errorf("%w: user %s lacks the right: set %s and %s to a user who has it, or create %s by hand and grant it %s",
			err, o.at().SystemUser, o.Name("system_user"), o.Name("system_password"), a.User, strings.Join(rightsOfOwner, ", "))
	case errCommonUser, 65049:
		return fmt.Errorf("%w: this is the root of a container database: name the service of a pluggable database in option %s", err, o.Name(where(o.at())))
	case 959:
		return fmt.Errorf("%w: check options %s and %s", err, o.Name("tablespace"), o.Name("temporary_tablespace"))
	case 28003, 28219, 988, 911, 922:
		return fmt.Errorf("%w: set %s to a password that the server's rules allow", err, o.Name("password"))
	}
	return err
}

// lacking is Container.Lacking.
func lacking(ctx context.Context, _ any, s database.Session) ([]string, error) {
	return missing(ctx, s, []string{"CREATE USER", "DROP USER", "GRANT ANY PRIVILEGE", "GRANT ANY ROLE"})
}

// drop is Container.Drop. It drops the user without CASCADE, so that the server refuses if the user
// still owns an object.
func drop(ctx context.Context, options any, d database.DropOptions) ([]database.DropResult, error) {
	o := options.(settings)
	a := o.own()
	var created bool
	if len(d.Others) == 0 {
		var err error
		if created, err = wasCreated(ctx, o); err != nil {
			return nil, err
		}
	}
	if d.Leftover && !created {
		return nil, nil
	}
	fate := database.DropResult{Kind: "user", Name: a.User}
	switch {
	case isServersOwn(a.User):
		fate.Stays = "it is the server's own"
	case strings.EqualFold(a.User, o.at().SystemUser):
		fate.Stays = "Sledge is connected as it"
	case len(d.Others) > 0:
		fate.Stays = database.AlsoHolds(d.Others)
	case !d.Drops(created):
		fate.Stays = database.NotCreated("DROP USER " + identifier(a.User))
	}
	if fate.Stays != "" {
		return []database.DropResult{fate}, nil
	}
	system, err := dial(ctx, systemOf(o))
	if err != nil {
		fate.Stays = err.Error()
		return []database.DropResult{fate}, nil
	}
	defer system.Close()
	if fate.Stays, err = staysFor(ctx, system, a.User); err != nil || fate.Stays != "" || d.Dry {
		return []database.DropResult{fate}, err
	}
	if created {
		if err := forgetCreation(ctx, o); err != nil {
			return nil, err
		}
	}
	fate.Stays, err = dropUser(ctx, system, a.User)
	if created && (err != nil || fate.Stays != "") { // so that the next delete drops the user
		err = errors.Join(err, recordCreation(ctx, o))
	}
	return []database.DropResult{fate}, err
}

// staysFor returns the reason why a user must stay, or "".
func staysFor(ctx context.Context, system *session, user string) (string, error) {
	name := literal(strings.ToUpper(user))
	t, err := system.Query(ctx, `SELECT CASE WHEN u.oracle_maintained = 'Y' THEN 'it is the server''s own'
			WHEN EXISTS (SELECT 1 FROM dba_role_privs r WHERE r.grantee = u.username AND r.granted_role IN ('DBA', 'PDB_DBA', 'CDB_DBA'))
				THEN 'it has rights over the server'
			WHEN EXISTS (SELECT 1 FROM dba_tab_privs p WHERE p.owner = u.username)
				THEN 'other users have rights on its objects' END
		FROM dba_users u WHERE u.username = `+name, 1)
	if err != nil || len(t.Rows) == 0 || t.Rows[0][0] == "NULL" {
		return "", err
	}
	return t.Rows[0][0], nil
}

// dropUser drops a user without objects, or returns the reason why the user stays. It retries while
// sessions of the user are still ending.
func dropUser(ctx context.Context, system *session, user string) (stays string, err error) {
	const tries, pause = 20, 250 * time.Millisecond
	for try := 1; ; try++ {
		err = system.Exec(ctx, "DROP USER "+identifier(user))
		if number(err) != errConnectedUser || try == tries {
			break
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	switch number(err) {
	case errConnectedUser:
		return "other sessions are connected as this user", nil
	case errCascadeNeeded:
		return "it still owns objects: see dba_objects", nil
	case errNoRights, 41900:
		return fmt.Sprintf("user %s may not drop it", system.user), nil
	case 1918: // there is no such user
		return "", nil
	}
	return "", err
}

// mayFinish is Maintenance.Possible.
func mayFinish(ctx context.Context, options any) error {
	o, is := options.(*transactional)
	if !is || !o.Checkpoint {
		return nil
	}
	s, err := dial(ctx, systemOf(o))
	if err != nil {
		return err
	}
	return s.Close()
}

// finish is Maintenance.Do. It makes a checkpoint and switches the log file, so that the next run
// begins from the same state. In a pluggable database, only users of the root may do this, so
// finish leaves it out.
func finish(ctx context.Context, options any, tell func(job.Event)) error {
	o, is := options.(*transactional)
	if !is || !o.Checkpoint {
		return nil
	}
	began := time.Now()
	tell(job.Event{Step: &job.Step{Name: job.StepCheckpoint, Stage: job.Begins, Of: "Oracle"}})
	system, err := dial(ctx, systemOf(o))
	if err != nil {
		return err
	}
	defer system.Close()
	for _, statement := range []string{"ALTER SYSTEM CHECKPOINT", "ALTER SYSTEM SWITCH LOGFILE"} {
		err := system.Exec(ctx, statement)
		switch {
		case number(err) == errNotInPluggable:
			tell(job.Event{Message: fmt.Sprintf("Left out %s: in a container database, only users of the root may run it", statement)})
		case err != nil:
			return fmt.Errorf("%s as user %s: %w", strings.ToLower(statement), system.user, err)
		}
	}
	tell(job.Event{Step: &job.Step{Name: job.StepCheckpoint, Stage: job.Ends, Of: "Oracle", Seconds: time.Since(began).Seconds()}})
	return nil
}
