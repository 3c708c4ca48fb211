package postgresql

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"sledge/internal/database"
)

// tuning writes settings into postgresql.auto.conf, by ALTER SYSTEM.
var tuning = &database.Tuning{Identity: identity, Read: readSetting, Set: setSetting, File: settingsFile, Uptime: uptime, Matter: matter, Advised: advised}

var advised = regexp.MustCompile(`ALTER SYSTEM SET (\w+) = '?([^';,]+)'?`)

// matter follows the manual, chapters Resource Consumption, Write Ahead Log and Query Planning.
var matter = []database.TunableSetting{
	{Class: database.WaitLog, Name: "commit_delay", Values: []string{"0", "20", "200"}, Why: "several commits share a flush"},
	{Class: database.WaitLog, Name: "wal_compression", Values: []string{"off", "on"}, Why: "whole pages take less room in the log"},
	{Class: database.WaitLog, Name: "max_wal_size", Values: []string{"1GB", "4GB", "16GB"}, Why: "after fewer checkpoints, fewer whole pages are logged"},
	{Class: database.WaitLog, Name: "wal_buffers", Values: []string{"16MB", "64MB"}, Why: "sessions need not write the log themselves", Restart: true},
	{Class: database.WaitWrite, Name: "max_wal_size", Values: []string{"1GB", "4GB", "16GB"}, Why: "pages are written less often"},
	{Class: database.WaitWrite, Name: "checkpoint_timeout", Values: []string{"5min", "30min"}, Why: "pages are written less often"},
	{Class: database.WaitWrite, Name: "bgwriter_lru_maxpages", Values: []string{"100", "1000"}, Why: "sessions need not write pages themselves"},
	{Class: database.WaitWrite, Name: "shared_buffers", Values: []string{"128MB", "1GB", "4GB"}, Why: "pages stay in memory", Restart: true},
	{Class: database.WaitRead, Name: "shared_buffers", Values: []string{"128MB", "1GB", "4GB"}, Why: "pages stay in memory", Restart: true},
	{Class: database.WaitRead, Name: "effective_io_concurrency", Values: []string{"1", "16", "200"}, Why: "a scan reads ahead"},
	{Class: database.WaitRead, Name: "random_page_cost", Values: []string{"4", "1.1"}, Why: "plans use indexes more"},
	{Class: database.WaitCPU, Name: "random_page_cost", Values: []string{"4", "1.1"}, Why: "plans use indexes more"},
	{Class: database.WaitCPU, Name: "jit", Values: []string{"on", "off"}, Why: "compiling a query pays only if it runs for long"},
	{Class: database.WaitCPU, Name: "work_mem", Values: []string{"4MB", "64MB"}, Why: "sorts and hashes stay in memory"},
	{Class: database.WaitCPU, Name: "max_parallel_workers_per_gather", Values: []string{"2", "0", "4"}, Why: "a query has more cores, or leaves them to others"},
	{Class: database.WaitParallel, Name: "max_parallel_workers_per_gather", Values: []string{"2", "0", "4"}, Why: "a query has more cores, or leaves them to others"},
	{Class: database.WaitLatch, Name: "wal_buffers", Values: []string{"16MB", "64MB"}, Why: "sessions wait less for room in the log's memory", Restart: true},
	{Class: database.WaitLatch, Name: "shared_buffers", Values: []string{"128MB", "1GB", "4GB"}, Why: "buffers are replaced less often", Restart: true},
}

func identity(ctx context.Context, s database.Session) (string, error) {
	return one(ctx, s, "SELECT system_identifier::text FROM pg_control_system()")
}

// one returns the only value of a query.
func one(ctx context.Context, s database.Session, query string) (string, error) {
	t, err := s.Query(ctx, query, 1)
	if err != nil {
		return "", err
	}
	if len(t.Rows) == 0 {
		return "", errors.New("the server returned no row")
	}
	return t.Rows[0][0], nil
}

// settingQuery reads how a setting can be changed, its value, whether postgresql.auto.conf has it, and
// with which value, and where the value comes from. Superusers see that file.
const settingQuery = `SELECT s.context, current_setting(s.name), (f.name IS NOT NULL)::text, coalesce(f.setting, ''),
	CASE WHEN s.sourcefile LIKE '%/postgresql.auto.conf' THEN '' ELSE s.source END
	FROM pg_settings AS s
	LEFT JOIN (SELECT name, setting FROM pg_file_settings WHERE sourcefile LIKE '%/postgresql.auto.conf') AS f ON lower(f.name) = lower(s.name)
	WHERE lower(s.name) = lower(`

func readSetting(ctx context.Context, s database.Session, name string) (database.Tuned, error) {
	t, err := s.Query(ctx, settingQuery+literal(name)+")", 1)
	switch {
	case err != nil:
		return database.Tuned{}, err
	case len(t.Rows) == 0:
		return database.Tuned{}, errors.New("the server does not know this setting")
	}
	row := t.Rows[0]
	if row[0] == "internal" {
		return database.Tuned{}, errors.New("the server's program fixes this setting")
	}
	tuned := database.Tuned{Name: name, InEffect: row[1], Set: row[2] == "true", Value: row[3]}
	if tuned.Set {
		tuned.DecidedBy = row[4]
	}
	return tuned, nil
}

func setSetting(ctx context.Context, s database.Session, to database.Tuned) error {
	before, err := one(ctx, s, "SELECT pg_conf_load_time()::text")
	if err != nil {
		return err
	}
	statement := "ALTER SYSTEM RESET " + pgx.Identifier{to.Name}.Sanitize()
	if to.Set {
		statement = "ALTER SYSTEM SET " + pgx.Identifier{to.Name}.Sanitize() + " TO " + literal(to.Value)
	}
	if err := s.Exec(ctx, statement); err != nil {
		return err
	}
	if err := s.Exec(ctx, "SELECT pg_reload_conf()"); err != nil {
		return err
	}
	// The postmaster reads the files before it passes the signal on to this session.
	const patience, pause = 10 * time.Second, 5 * time.Millisecond
	for begun := time.Now(); ; time.Sleep(pause) {
		after, err := one(ctx, s, "SELECT pg_conf_load_time()::text")
		switch {
		case err != nil:
			return err
		case after != before:
			return needsRestart(ctx, s, to.Name)
		case time.Since(begun) > patience:
			return fmt.Errorf("the server has not read its configuration files for %s", patience)
		}
	}
}

// needsRestart returns database.ErrRestart if a setting takes effect when the server starts.
func needsRestart(ctx context.Context, s database.Session, name string) error {
	when, err := one(ctx, s, "SELECT context FROM pg_settings WHERE lower(name) = lower("+literal(name)+")")
	if err == nil && when == "postmaster" {
		return database.ErrRestart
	}
	return err
}

// settingsFile returns postgresql.auto.conf. The data folder is on this machine if its postmaster.pid, which
// has the server's process, start time and port, is the one that the server reads.
func settingsFile(ctx context.Context, s database.Session) (path, text string, here bool, err error) {
	t, err := s.Query(ctx, "SELECT current_setting('data_directory'), pg_read_file('postgresql.auto.conf'), pg_read_file('postmaster.pid')", 1)
	if err != nil {
		return "", "", false, err
	}
	folder, text, process := t.Rows[0][0], t.Rows[0][1], t.Rows[0][2]
	own, err := os.ReadFile(filepath.Join(folder, "postmaster.pid"))
	return filepath.Join(folder, "postgresql.auto.conf"), text, err == nil && string(own) == process, nil
}

func uptime(ctx context.Context, s database.Session) (time.Duration, error) {
	text, err := one(ctx, s, "SELECT round(1000 * extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()))::bigint::text")
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return time.Duration(n) * time.Millisecond, err
}
