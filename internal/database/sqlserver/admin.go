package sqlserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlschema"
)

// identifier quotes a name for SQL. The name may contain any character.
func identifier(name string) string { return "[" + strings.ReplaceAll(name, "]", "]]") + "]" }

// quoted doubles the quotes in a text, for use between single quotes in SQL.
func quoted(text string) string { return strings.ReplaceAll(text, "'", "''") }

// isServersOwn reports whether a database of this name belongs to the server.
func isServersOwn(name string) bool {
	return slices.Contains([]string{master, "model", "msdb", "tempdb"}, strings.ToLower(name))
}

// create is Container.Create. It creates no account: the login that builds owns the schema. It
// cannot create a database for memory-optimized tables, because their files need a folder on the
// server's disks.
func create(ctx context.Context, options any, _ func(job.Event)) error {
	l := options.(settings).common()
	if isServersOwn(l.Database) {
		return l.Wrong("dbname", l.Database, "%q is the server's own, %w: choose another database", l.Database, database.ErrUnfit)
	}
	if l.Folder != "" {
		if info, err := os.Stat(l.Folder); err != nil || !info.IsDir() {
			return l.Wrong("bulk_folder", l.Folder, "%q is not an existing folder: name one that both Sledge and the server can reach", l.Folder)
		}
	}
	if !l.Azure {
		if err := createDatabase(ctx, l); err != nil {
			return err
		}
	}
	if !l.inMemory {
		return nil
	}
	s, err := l.inDatabase(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return prepareMemory(ctx, l, s)
}

func createDatabase(ctx context.Context, l login) error {
	s, err := l.inMaster(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	found, err := s.Query(ctx, "SELECT DB_ID('"+quoted(l.Database)+"')", 1)
	switch {
	case err != nil:
		return fmt.Errorf("look for the database %s of option %s: %w", l.Database, l.Name("dbname"), err)
	case found.Rows[0][0] != "NULL":
		return nil
	case l.inMemory:
		return l.Wrong("in_memory", "true", "the database %s does not exist, and Sledge cannot create one for memory-optimized tables, because their files need a folder on the server: run there "+
			"CREATE DATABASE %[1]s; ALTER DATABASE %[1]s ADD FILEGROUP imoltp CONTAINS MEMORY_OPTIMIZED_DATA; "+
			"ALTER DATABASE %[1]s ADD FILE (NAME = 'imoltp', FILENAME = 'a new folder') TO FILEGROUP imoltp", identifier(l.Database))
	}
	if err := s.Exec(ctx, "CREATE DATABASE "+identifier(l.Database)); err != nil {
		if number(err) == errDatabaseExists { // another build created it meanwhile, and records it
			return nil
		}
		err = fmt.Errorf("create the database %s of option %s: %w", l.Database, l.Name("dbname"), err)
		if classify(err) == meter.Permission {
			err = fmt.Errorf("%w: grant the login CREATE ANY DATABASE, or ask an administrator to create the database and make the login its owner", err)
		}
		return err
	}
	inside, err := l.inDatabase(ctx)
	if err != nil {
		return err
	}
	defer inside.Close()
	return sqlschema.RecordCreation(ctx, inside, "dbo.", l.Database)
}

// prepareMemory changes the database so that a transaction sees memory-optimized tables as they
// were at its beginning, without a hint in each statement. It also turns off automatic statistics,
// which could delay measured transactions.
func prepareMemory(ctx context.Context, l login, s *session) error {
	there, err := s.takesMemory(ctx)
	if err != nil {
		return err
	}
	if !there && !l.Azure {
		return l.Wrong("in_memory", "true", "the database %s has no filegroup for memory-optimized data: add one with ALTER DATABASE %s ADD FILEGROUP imoltp CONTAINS MEMORY_OPTIMIZED_DATA, and a file to it",
			l.Database, identifier(l.Database))
	}
	for _, setting := range []string{"MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON", "AUTO_CREATE_STATISTICS OFF", "AUTO_UPDATE_STATISTICS OFF"} {
		if err := s.Exec(ctx, "ALTER DATABASE CURRENT SET "+setting); err != nil {
			return fmt.Errorf("set %s for the database %s, which only its owner may do: %w", setting, l.Database, err)
		}
	}
	return nil
}

// takesMemory reports whether the session's database has a filegroup for memory-optimized tables,
// which a build does not create.
func (s *session) takesMemory(ctx context.Context) (bool, error) {
	t, err := s.Query(ctx, "IF OBJECT_ID('sys.filegroups') IS NULL SELECT 0 ELSE SELECT COUNT(*) FROM sys.filegroups WHERE type = 'FX'", 1)
	if err != nil {
		return false, fmt.Errorf("look for a filegroup for memory-optimized tables: %w", err)
	}
	return len(t.Rows) == 1 && t.Rows[0][0] != "0", nil
}

// drop is Container.Drop. It does not disconnect other sessions.
func drop(ctx context.Context, options any, d database.DropOptions) ([]database.DropResult, error) {
	l := options.(settings).common()
	var created bool
	if !l.Azure && (!d.Leftover || len(d.Others) == 0) {
		var err error
		if created, err = l.wasCreated(ctx); err != nil {
			return nil, err
		}
	}
	if d.Leftover && !created {
		return nil, nil
	}
	stays := l.staysFor(d, created)
	if stays == "" && !d.Dry {
		var err error
		if stays, err = l.dropDatabase(ctx); err != nil {
			return nil, err
		}
	}
	return []database.DropResult{{Kind: "database", Name: l.Database, Stays: stays}}, nil
}

// staysFor returns the reason why the database stays, or "" if it can be dropped.
func (l login) staysFor(d database.DropOptions, created bool) string {
	switch {
	case isServersOwn(l.Database):
		return "it is the server's own"
	case l.Azure:
		return "it is on Azure SQL, where databases are paid for"
	case len(d.Others) > 0:
		return database.AlsoHolds(d.Others)
	case !d.Drops(created):
		return database.NotCreated("DROP DATABASE " + identifier(l.Database))
	}
	return ""
}

// wasCreated reports whether a build created the database.
func (l login) wasCreated(ctx context.Context) (bool, error) {
	s, err := l.inDatabase(ctx)
	if err != nil {
		return false, err
	}
	defer s.Close()
	exists := "SELECT 1 AS found WHERE OBJECT_ID('dbo." + sqlschema.CreationTable + "', 'U') IS NOT NULL"
	return sqlschema.WasCreated(ctx, s, "dbo.", exists, l.Database)
}

// dropDatabase drops the database, or returns the reason why it stays.
func (l login) dropDatabase(ctx context.Context) (stays string, err error) {
	s, err := l.inMaster(ctx)
	if err != nil {
		return "", err
	}
	defer s.Close()
	// Sessions that were closed a moment ago may still be connected.
	for began := time.Now(); ; {
		err = s.Exec(ctx, "DROP DATABASE "+identifier(l.Database))
		if number(err) != errInUse || time.Since(began) > patience {
			break
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(patience / 20):
		}
	}
	switch {
	case err == nil:
		return "", nil
	case number(err) == errInUse:
		return "others are connected to it", nil
	case number(err) == errNoDatabase:
		return "the login may not drop it", nil
	}
	return "", fmt.Errorf("drop the database %s: %w", l.Database, err)
}

// patience is the time limit for the server to notice that sessions have ended.
const patience = 10 * time.Second

// lacking is Container.Lacking.
func lacking(ctx context.Context, options any, s database.Session) ([]string, error) {
	l := options.(settings).common()
	if l.Azure {
		return nil, nil
	}
	t, err := s.Query(ctx, "SELECT DB_ID('"+quoted(l.Database)+"'), HAS_PERMS_BY_NAME(NULL, NULL, 'CREATE ANY DATABASE'), "+
		"HAS_PERMS_BY_NAME('"+quoted(identifier(l.Database))+"', 'DATABASE', 'CREATE TABLE')", 1)
	if err != nil {
		return nil, err
	}
	row := t.Rows[0]
	switch {
	case row[0] == "NULL" && row[1] == "0":
		return []string{"CREATE ANY DATABASE"}, nil
	case row[0] != "NULL" && row[2] == "0":
		return []string{"CREATE TABLE"}, nil
	}
	return nil, nil
}

// finish is Maintenance.Do.
func finish(ctx context.Context, options any, tell func(job.Event)) error {
	o, is := options.(*transactional)
	if !is || !o.Checkpoint {
		return nil
	}
	began := time.Now()
	tell(job.Event{Step: &job.Step{Name: job.StepCheckpoint, Stage: job.Begins}})
	s, err := o.common().inDatabase(ctx)
	if err != nil {
		return err
	}
	if err := s.Exec(ctx, "CHECKPOINT"); err != nil {
		return errors.Join(fmt.Errorf("checkpoint: %w", err), s.Close())
	}
	tell(job.Event{Step: &job.Step{Name: job.StepCheckpoint, Stage: job.Ends, Seconds: time.Since(began).Seconds()}})
	return s.Close()
}

// durability is Runs.Durability. The log is flushed at each commit unless durability is
// delayed. The recovery model does not matter, because it only determines how long the log is kept
// for backups. Babelfish commits as PostgreSQL does, and lists PostgreSQL's settings.
func durability(settings map[string]string) (durable bool, why string) {
	if text := settings["memory_optimized_tables_without_data"]; text != "" && text != "0" {
		return false, "tables in memory have the durability SCHEMA_ONLY, and are empty after a restart"
	}
	if _, isBabelfish := settings["fsync"]; isBabelfish {
		for _, name := range []string{"fsync", "synchronous_commit"} {
			if settings[name] == "off" {
				return false, name + " is off"
			}
		}
		return true, "fsync and synchronous_commit are on"
	}
	switch delayed := settings["delayed_durability"]; delayed {
	case "FORCED":
		return false, "delayed_durability is FORCED"
	case "":
		return true, "the log is flushed at each commit"
	default:
		return true, "delayed_durability is " + delayed
	}
}
