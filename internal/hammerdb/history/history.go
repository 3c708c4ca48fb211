// Package history imports jobs from HammerDB's repository, a SQLite file named hammer.DB, into
// Sledge's repository, and runs from the file of hammerpost, which performs series of runs of HammerDB. It never changes their files, and does not depend on databases or
// workloads: it copies what HammerDB recorded.
package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/sqlitefile"
)

// Origin marks a job that HammerDB recorded.
const Origin = "HammerDB"

// Import copies the jobs of the repository at path that store does not have yet, with their IDs. It
// leaves out passwords.
func Import(ctx context.Context, store *repository.Store, path string) (repository.Imported, error) {
	var done repository.Imported
	f, err := open(ctx, path)
	if err != nil {
		return done, fmt.Errorf("import jobs from %s: %w", path, err)
	}
	err = f.each(ctx, func(j jobRow) error { return f.enter(ctx, store, j, &done) })
	if err = errors.Join(err, f.db.Close()); err != nil {
		return done, fmt.Errorf("import jobs from %s: %w", path, err)
	}
	return done, nil
}

// enter copies one job. It skips a job with an invalid ID or time, with a warning. An error of
// reading or writing ends the import.
func (f *file) enter(ctx context.Context, store *repository.Store, j jobRow, done *repository.Imported) error {
	past, warnings, err := f.past(ctx, j)
	for _, w := range warnings {
		done.Warnings = append(done.Warnings, fmt.Sprintf("job %s: %s", j.id, w))
	}
	if err != nil || past.Job.ID == "" { // a warning says why it is skipped
		return err
	}
	return done.Add(ctx, store, past)
}

// file is HammerDB's repository, open for reading.
type file struct {
	db      *sql.DB
	columns map[string][]string // by table, both in lower case
}

// The tables that an import reads. Only JOBMAIN exists in every version of HammerDB.
const (
	jobMain   = "jobmain"
	jobOutput = "joboutput"
	jobTiming = "jobtiming"
	jobTCount = "jobtcount"
	jobMetric = "jobmetric"
	jobSystem = "jobsystem"
)

// openReadOnly opens the SQLite file of another program. kept says where that program keeps it, and usual is its usual name.
func openReadOnly(path, kept, usual string) (*sql.DB, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, job.WithExit(job.ExitMissing, fmt.Errorf("there is no such file: %s", kept))
	case err != nil:
		return nil, job.WithExit(job.ExitUsage, err)
	case info.IsDir():
		return nil, job.WithExit(job.ExitUsage, fmt.Errorf("this is a folder: name the file in it, such as %s", usual))
	}
	// The program may be running and hold a lock for a moment, so wait for it.
	source, err := sqlitefile.URI(path, "mode=ro&_busy_timeout=30000")
	if err != nil {
		return nil, err
	}
	return sql.Open("sqlite", source)
}

func open(ctx context.Context, path string) (*file, error) {
	db, err := openReadOnly(path, "HammerDB keeps its jobs in hammer.DB, in the folder that TMP names", "hammer.DB")
	if err != nil {
		return nil, err
	}
	f := &file{db: db, columns: map[string][]string{}}
	if err := f.readColumns(ctx); err != nil {
		return nil, errors.Join(job.WithExit(job.ExitUsage, err), db.Close())
	}
	if !slices.Contains(f.columns[jobMain], "jobid") {
		err := errors.New("this is not a job repository of HammerDB: it has no table JOBMAIN")
		return nil, errors.Join(job.WithExit(job.ExitUsage, err), db.Close())
	}
	return f, nil
}

func (f *file) readColumns(ctx context.Context) error {
	rows, err := f.db.QueryContext(ctx, `SELECT lower(m.name), lower(c.name) FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return err
		}
		f.columns[table] = append(f.columns[table], column)
	}
	return rows.Err()
}

// kind is the SQL type as which a column is read.
type kind string

const (
	text   kind = "TEXT"
	whole  kind = "INTEGER"
	number kind = "REAL"
)

// column is a column that may be missing in some versions of HammerDB.
type column struct {
	name string
	kind kind
}

// rows reads columns of a table. A missing column is NULL, and a missing table has no rows. It
// casts values, because a column of SQLite may contain values of any type.
func (f *file) rows(ctx context.Context, table string, columns []column, where string, arguments []any, each func(*sql.Rows) error) error {
	known := f.columns[table]
	if len(known) == 0 {
		return nil
	}
	var list []string
	for _, c := range columns {
		if slices.Contains(known, c.name) {
			list = append(list, fmt.Sprintf("CAST(%s AS %s)", c.name, c.kind))
		} else {
			list = append(list, "NULL")
		}
	}
	rows, err := f.db.QueryContext(ctx, fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY rowid", strings.Join(list, ", "), table, where), arguments...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// jobRow is a row of JOBMAIN.
type jobRow struct {
	id, database, benchmark, settings, timestamp string
	profile                                      int
}

// each calls do for every job, the oldest first.
func (f *file) each(ctx context.Context, do func(jobRow) error) error {
	columns := []column{{"jobid", text}, {"db", text}, {"bm", text}, {"jobdict", text}, {"timestamp", text}, {"profile_id", whole}}
	var jobs []jobRow
	err := f.rows(ctx, jobMain, columns, "jobid IS NOT NULL", nil, func(rows *sql.Rows) error {
		var id, database, benchmark, settings, timestamp sql.NullString
		var profile sql.NullInt64
		err := rows.Scan(&id, &database, &benchmark, &settings, &timestamp, &profile)
		jobs = append(jobs, jobRow{id.String, database.String, benchmark.String, settings.String, timestamp.String, int(profile.Int64)})
		return err
	})
	if err != nil {
		return fmt.Errorf("read JOBMAIN: %w", err)
	}
	for _, j := range jobs {
		if err := do(j); err != nil {
			return fmt.Errorf("job %s: %w", j.id, err)
		}
	}
	return nil
}

// isID matches the IDs that are also valid in Sledge.
var isID = regexp.MustCompile(`^[0-9A-F]{8,40}$`)
