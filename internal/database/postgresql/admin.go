package postgresql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sledge/internal/database"
	"sledge/internal/job"
)

// madeHere is the comment on accounts and databases that create has created, by which drop
// recognizes them.
const madeHere = "made by Sledge"

// create is Container.Create. It connects as the superuser only if the owner cannot build yet.
func create(ctx context.Context, options any, tell func(job.Event)) error {
	o := options.(target)
	a := o.own()
	if a.Database == "template0" || a.Database == "template1" {
		return errTemplate(o.owner())
	}
	why := canBuild(ctx, o.owner())
	if why == nil || errors.Is(why, database.ErrUnfit) {
		return why
	}
	if a.NoSuperuser {
		return fmt.Errorf("%w: %s is set, so create the account and the database by hand", why, o.Name("no_superuser"))
	}
	admin, err := dial(ctx, o.admin())
	if err != nil {
		return err
	}
	defer admin.Close()
	if admin.pooler.Pooling == database.ByStatement {
		return fmt.Errorf("database %v: %w, %w", o.admin(), errByStatement, database.ErrUnfit)
	}
	err = repeated(ctx, func() error { return createAccount(ctx, admin, a, why) })
	if err != nil {
		return mayNot(o, fmt.Errorf("create the user %s: %w", a.User, err),
			fmt.Sprintf("set %s to an existing user who may create tables in the database %s", o.Name("user"), a.Database))
	}
	if a.Password == a.known && a.User != a.Superuser {
		tell(job.Event{Message: fmt.Sprintf("Warning: user %s has the default password, which is public: set %s to choose another", a.User, o.Name("password"))})
	}
	err = repeated(ctx, func() error { return createDatabase(ctx, admin, a, tell) })
	if err != nil {
		return mayNot(o, fmt.Errorf("create the database %s: %w", a.Database, err),
			fmt.Sprintf("set %s to an existing database in which user %s may create tables", o.Name("dbname"), a.User))
	}
	if err := canBuild(ctx, o.owner()); !errors.Is(err, errNoRights) {
		return err
	}
	// The database existed before and has another owner.
	err = repeated(ctx, func() error { return grantSchema(ctx, o.admin().to(a.Database), a.User) })
	if err != nil {
		return fmt.Errorf("allow the user %s to create tables in the database %s: %w", a.User, a.Database, err)
	}
	tell(job.Event{Message: fmt.Sprintf("Granted %s of the database %s to the user %s", rightsInPublic, a.Database, a.User)})
	return canBuild(ctx, o.owner())
}

// mayNot adds advice to an error of the superuser, if a right is missing.
func mayNot(o target, err error, otherwise string) error {
	if stateOf(err) != insufficientPrivilege {
		return err
	}
	a := o.own()
	return fmt.Errorf("%w: user %s lacks the right: set %s and %s to a user who has it, or %s", err, a.Superuser, o.Name("superuser"), o.Name("superuser_password"), otherwise)
}

// insufficientPrivilege is a SQLSTATE.
const insufficientPrivilege = "42501"

var errNoRights = errors.New("the user may not create tables in the schema public")

// canBuild returns nil if the owner can connect and create tables.
func canBuild(ctx context.Context, owner login) error {
	s, err := dial(ctx, owner)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.pooler.Pooling == database.ByStatement {
		return fmt.Errorf("database %v: %w, %w", owner, errByStatement, database.ErrUnfit)
	}
	template, err := s.has(ctx, "SELECT 1 FROM pg_database WHERE datname = current_database() AND datistemplate")
	if err == nil && template {
		return errTemplate(owner)
	}
	allowed, err := s.has(ctx, "SELECT 1 WHERE has_schema_privilege(current_schema(), 'CREATE')")
	if err == nil && !allowed {
		return fmt.Errorf("%w of database %v: grant user %s CREATE on the schema", errNoRights, owner, owner.user)
	}
	return err
}

// errTemplate is the error for a template database.
func errTemplate(owner login) error {
	return owner.server.Wrong(owner.databaseOption, owner.database, "%q is a template for new databases, %w: choose another database",
		owner.database, database.ErrUnfit)
}

// createAccount creates the account, or sets the password of an account that Sledge created
// earlier. It does not change other accounts, but returns why, the error of canBuild, if such an
// account cannot log in.
func createAccount(ctx context.Context, admin *session, a *account, why error) error {
	if a.User == a.Superuser {
		return nil
	}
	user := pgx.Identifier{a.User}.Sanitize()
	exists, err := admin.has(ctx, "SELECT 1 FROM pg_roles WHERE rolname = "+literal(a.User))
	if err != nil {
		return err
	}
	made, err := admin.has(ctx, "SELECT 1 FROM pg_roles WHERE shobj_description(oid, 'pg_authid') = "+literal(madeHere)+" AND rolname = "+literal(a.User))
	if err != nil {
		return err
	}
	if exists && !made {
		if strings.HasPrefix(stateOf(why), "28") {
			return fmt.Errorf("the user exists already and Sledge did not create it, so a build does not change it: %w", why)
		}
		return nil
	}
	password, err := storedPassword(ctx, admin, a.User, a.Password)
	if err != nil {
		return err
	}
	if exists {
		return admin.Exec(ctx, "ALTER ROLE "+user+" LOGIN PASSWORD "+password)
	}
	// One message is one transaction, so no other build sees the role without its comment. A role
	// with CREATEROLE that is not a superuser, as on managed services, needs the GRANT to create a
	// database for the new role.
	return admin.Exec(ctx, "CREATE ROLE "+user+" LOGIN PASSWORD "+password+
		"; COMMENT ON ROLE "+user+" IS "+literal(madeHere)+
		"; GRANT "+user+" TO CURRENT_USER")
}

// repeated calls do, and repeats it if it fails because another build or deletion changes the same
// role or database. do must check the catalog before each change.
func repeated(ctx context.Context, do func() error) error {
	const tries, pause = 20, 50 * time.Millisecond
	for try := 1; ; try++ {
		err := do()
		if !changedMeanwhile(err) || try == tries {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// changedMeanwhile reports whether a change of the catalog failed because another session made
// the same change, or changed the same row.
func changedMeanwhile(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case "23505", "42710", "42P04": // unique_violation, duplicate_object, duplicate_database
		return true
	case "XX000": // internal_error
		return e.Message == "tuple concurrently updated" || e.Message == "tuple concurrently deleted" // the server does not translate these messages
	}
	return false
}

func createDatabase(ctx context.Context, admin *session, a *account, tell func(job.Event)) error {
	exists, err := admin.has(ctx, "SELECT 1 FROM pg_database WHERE datname = "+literal(a.Database))
	if err != nil || exists {
		return err
	}
	tell(job.Event{Step: &job.Step{Name: job.StepDatabase, Stage: job.Begins, Of: a.Database, Owner: a.User}})
	name := pgx.Identifier{a.Database}.Sanitize()
	statement := "CREATE DATABASE " + name + " OWNER " + pgx.Identifier{a.User}.Sanitize()
	if a.Tablespace != "" && a.Tablespace != "pg_default" {
		statement += " TABLESPACE " + pgx.Identifier{a.Tablespace}.Sanitize()
	}
	if err := admin.Exec(ctx, statement); err != nil {
		return err
	}
	return admin.Exec(ctx, "COMMENT ON DATABASE "+name+" IS "+literal(madeHere))
}

func grantSchema(ctx context.Context, admin login, user string) error {
	s, err := dial(ctx, admin)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Exec(ctx, "GRANT "+rightsInPublic+" TO "+pgx.Identifier{user}.Sanitize())
}

// finish is Maintenance.Do. It makes a checkpoint and vacuums, so that the next run starts from a
// clean state.
func finish(ctx context.Context, options any, tell func(job.Event)) error {
	o := options.(target)
	if !o.vacuum() {
		return nil
	}
	step := func(name job.StepName, l login, statement string) error {
		began := time.Now()
		tell(job.Event{Step: &job.Step{Name: name, Stage: job.Begins}})
		if err := run(ctx, l, statement); err != nil {
			return err
		}
		tell(job.Event{Step: &job.Step{Name: name, Stage: job.Ends, Seconds: time.Since(began).Seconds()}})
		return nil
	}
	if o.own().NoSuperuser {
		tell(job.Event{Step: &job.Step{Name: job.StepCheckpoint, Stage: job.LeftOut, Why: "it needs a superuser"}})
	} else if err := step(job.StepCheckpoint, o.admin(), "CHECKPOINT"); err != nil {
		return err
	}
	return step(job.StepVacuum, o.owner(), "VACUUM")
}

// mayFinish is Maintenance.Possible.
func mayFinish(ctx context.Context, options any) error {
	o := options.(target)
	if !o.vacuum() || o.own().NoSuperuser {
		return nil
	}
	l := o.admin()
	s, err := dial(ctx, l)
	if err != nil {
		return err
	}
	defer s.Close()
	t, err := s.Query(ctx, "SELECT rolname FROM pg_roles WHERE rolname = current_user AND rolsuper OR rolname = 'pg_checkpoint' AND pg_has_role(current_user, oid, 'MEMBER')", 1)
	if err == nil && len(t.Rows) == 0 {
		err = fmt.Errorf("user %s may not run CHECKPOINT: name a superuser in %s, grant pg_checkpoint to the user (PostgreSQL 15 and later), or set %s",
			l.user, l.server.Name("superuser"), l.server.Name("no_superuser"))
	}
	return err
}

// run executes a statement in a session of its own.
func run(ctx context.Context, l login, statement string) error {
	s, err := dial(ctx, l)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s as user %s: %w", strings.ToLower(statement), l.user, err)
	}
	return nil
}

// has reports whether a query returns a row.
func (s *session) has(ctx context.Context, query string) (bool, error) {
	t, err := s.Query(ctx, query, 1)
	return len(t.Rows) > 0, err
}

// literal quotes text as an SQL string that does not depend on standard_conforming_strings.
func literal(text string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}

func stateOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
