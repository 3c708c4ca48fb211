package doctor_test

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/redis/go-redis/v9"
	_ "modernc.org/sqlite"

	"sledge/internal/catalog/edition"
	"sledge/internal/doctor"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// idle is a machine with 24 GiB of memory, of which half is free, for the checks of a server that read
// its machine. Its processes are the real ones.
type idle struct{ fs.FS }

func (idle) ReadFile(name string) ([]byte, error) {
	switch {
	case name == "proc/meminfo":
		return []byte("MemTotal: 25165824 kB\nMemAvailable: 12582912 kB\nSwapTotal: 0 kB\n"), nil
	case strings.HasSuffix(name, "/comm"):
		return os.ReadFile("/" + name)
	}
	return nil, fs.ErrNotExist
}

// look makes the checks of a server and of the load, and fails unless exactly those with these IDs find
// something. Checks that could not be made must be in unmade.
func look(t *testing.T, name string, options map[string]string, users int, group string, unmade []string, want ...string) {
	t.Helper()
	spec := job.Spec{Action: job.Run, Database: name, Workload: "tprocc", Options: options, Users: users, Seed: 1}
	p, err := engine.Local{Catalog: edition.Catalog}.Plan(spec)
	if err != nil {
		t.Fatal(err)
	}
	found, err := engine.Doctor(t.Context(), &p, doctor.Machine{Root: idle{fstest.MapFS{}}, Cores: 4}, doctor.Options{Only: []string{group}})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, a := range found.Findings {
		ids = append(ids, a.ID)
		if a.Where != p.Target() || a.Value == "" || a.Wanted == "" || a.Mend == "" {
			t.Errorf("got %+v", a)
		}
	}
	slices.Sort(ids)
	slices.Sort(want)
	if !slices.Equal(ids, want) {
		t.Errorf("%s: found\n%s, want\n%s, in %+v", name, strings.Join(ids, " "), strings.Join(want, " "), found.Findings)
	}
	for _, u := range found.Unchecked {
		if !slices.Contains(unmade, u.ID) {
			t.Errorf("%s: not checked: %+v", name, u)
		}
	}
}

// run executes statements, one after another.
func run(t *testing.T, driver, source string, statements ...string) {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn(t.Context()) // a transaction has several statements
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, statement := range statements {
		if _, err := c.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestDoctor_FindsWhatIsPlantedInPostgreSQL(t *testing.T) {
	var options []testserver.Option
	for _, setting := range []string{
		"fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_wal_size=1GB", "checkpoint_completion_target=0.5",
		"wal_level=logical", "wal_buffers=1MB", "max_connections=60", "statement_timeout=10s", "default_transaction_isolation=serializable",
		"log_statement=all", "shared_preload_libraries=auto_explain", "autovacuum=off", "compute_query_id=off", "work_mem=1GB",
		"synchronous_standby_names=nobody", "shared_buffers=4MB", "max_prepared_transactions=5",
	} {
		options = append(options, testserver.Setting(setting))
	}
	s := testserver.Open(t, "postgresql", append(options, testserver.Own())...)
	source := s.DataSource("postgres")
	run(t, "pgx", source,
		"SELECT pg_create_physical_replication_slot('forgotten')",
		"CREATE TABLE unknown AS SELECT generate_series(1, 10) AS x", "BEGIN", "INSERT INTO unknown VALUES (11)", "PREPARE TRANSACTION 'forgotten'")
	look(t, "postgresql", s.Values(), 64, "pg", []string{"pg.pooler"},
		"pg.fsync", "pg.full_page_writes", "pg.synchronous_commit", "pg.max_wal_size", "pg.completion_target", "pg.wal_level", "pg.wal_buffers",
		"pg.max_connections", "pg.timeouts", "pg.isolation", "pg.log", "pg.extensions", "pg.autovacuum", "pg.compute_query_id", "pg.work_mem",
		"pg.sync_standbys", "pg.shared_buffers", "pg.replication_slots", "pg.prepared_xacts", "pg.statistics",
		"pg.checkpoint_timeout", "pg.random_page_cost", "pg.jit", "pg.track_io_timing")

	tuned := []string{"ROLLBACK PREPARED 'forgotten'", "SELECT pg_drop_replication_slot('forgotten')", "ANALYZE"}
	for _, setting := range []string{
		"fsync = on", "full_page_writes = on", "synchronous_commit = on", "max_wal_size = '16GB'", "checkpoint_completion_target = 0.9",
		"wal_level = replica", "wal_buffers = '64MB'", "max_connections = 100", "statement_timeout = 0", "default_transaction_isolation = 'read committed'",
		"log_statement = none", "autovacuum = on", "compute_query_id = on", "work_mem = '4MB'",
		"synchronous_standby_names = ''", "shared_buffers = '128MB'",
		"checkpoint_timeout = '30min'", "random_page_cost = 1.1", "jit = off", "track_io_timing = on",
	} {
		tuned = append(tuned, "ALTER SYSTEM SET "+setting)
	}
	run(t, "pgx", source, tuned...)
	s.Stop(testserver.Fast)
	settings := filepath.Join(s.Dir, "postgresql.conf") // ALTER SYSTEM cannot set an empty list of libraries
	text, err := os.ReadFile(settings)
	if err == nil {
		err = os.WriteFile(settings, append(text, "shared_preload_libraries = ''\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	look(t, "postgresql", s.Values(), 64, "pg", nil)
}

func TestDoctor_FindsWhatIsPlantedInMariaDB(t *testing.T) {
	s := testserver.Open(t, "mariadb", testserver.Own(), testserver.Setting("innodb_buffer_pool_size=64M"), testserver.Setting("query_cache_type=1"), testserver.Setting("query_cache_size=1M"),
		testserver.Setting("innodb_flush_method=fsync"), testserver.Setting("performance_schema=ON"))
	source := s.DataSource("")
	run(t, "mysql", source,
		"SET GLOBAL innodb_flush_log_at_trx_commit = 2", "SET GLOBAL innodb_io_capacity = 200", "SET GLOBAL innodb_flush_neighbors = 1",
		"SET GLOBAL max_connections = 20", "SET GLOBAL max_prepared_stmt_count = 100", "SET GLOBAL tx_isolation = 'SERIALIZABLE'", "SET GLOBAL wait_timeout = 30",
		"SET GLOBAL general_log = ON", "SET GLOBAL innodb_sync_spin_loops = 100", "SET GLOBAL innodb_adaptive_hash_index = ON", "SET GLOBAL event_scheduler = ON")
	planted := []string{
		"my.flush_log", "my.io_capacity", "my.flush_neighbors", "my.max_connections", "my.prepared", "my.isolation", "my.timeouts", "my.monitor", "my.spin", "my.ahi",
		"my.events", "my.query_cache", "my.buffer_pool", "my.redo",
	}
	fixed := []string{"my.flush_method", "my.performance_schema"} // until the next start
	look(t, "mariadb", s.Values(), 64, "my", []string{"my.numa", "my.threads"}, append(planted, fixed...)...)
	run(t, "mysql", source,
		"SET GLOBAL innodb_flush_log_at_trx_commit = 1", "SET GLOBAL innodb_io_capacity_max = 4000", "SET GLOBAL innodb_io_capacity = 2000", "SET GLOBAL innodb_flush_neighbors = 0",
		"SET GLOBAL max_connections = 200", "SET GLOBAL max_prepared_stmt_count = 16382", "SET GLOBAL tx_isolation = 'REPEATABLE-READ'", "SET GLOBAL wait_timeout = 28800", "SET GLOBAL innodb_lock_wait_timeout = 50",
		"SET GLOBAL general_log = OFF", "SET GLOBAL innodb_sync_spin_loops = 30", "SET GLOBAL innodb_adaptive_hash_index = OFF", "SET GLOBAL event_scheduler = OFF",
		"SET GLOBAL query_cache_size = 0", "SET GLOBAL innodb_buffer_pool_size = 268435456", "SET GLOBAL innodb_log_file_size = 268435456")
	look(t, "mariadb", s.Values(), 64, "my", []string{"my.numa", "my.threads"}, fixed...)
}

func TestDoctor_FindsWhatIsPlantedInRedis(t *testing.T) {
	plants := []string{"maxmemory=100mb", "maxmemory-policy=allkeys-lru", "appendonly=no", "save=60 1", "maxclients=40", "slowlog-log-slower-than=0", "latency-monitor-threshold=0"}
	tuned := []string{"maxmemory=0", "maxmemory-policy=noeviction", "appendonly=yes", "appendfsync=always", "save=", "maxclients=1000", "slowlog-log-slower-than=10000", "latency-monitor-threshold=100"}
	s := testserver.Open(t, "redis", testserver.Own())
	set := func(list []string) {
		for _, setting := range list {
			name, value, _ := strings.Cut(setting, "=")
			configure(t, s, name, value)
		}
	}
	set(plants)
	look(t, "redis", s.Values(), 64, "redis", []string{"redis.backlog"},
		"redis.maxmemory", "redis.durability", "redis.save", "redis.maxclients", "redis.slowlog", "redis.latency_monitor")
	set(tuned)
	look(t, "redis", s.Values(), 64, "redis", []string{"redis.backlog"})
}

func TestDoctor_FindsWhatIsPlantedInSQLite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.sqlite")
	run(t, "sqlite", file, "PRAGMA page_size = 8192", "PRAGMA journal_mode = delete", "CREATE TABLE t (a)")
	options := map[string]string{"file": file, "synchronous": "off", "busy_timeout": "100"}
	look(t, "sqlite", options, 4, "sqlite", nil, "sqlite.journal", "sqlite.synchronous", "sqlite.busy_timeout", "sqlite.page_size")
	run(t, "sqlite", file, "PRAGMA page_size = 4096", "VACUUM", "PRAGMA journal_mode = wal")
	look(t, "sqlite", map[string]string{"file": file, "synchronous": "full"}, 4, "sqlite", nil)
}

// configure sets a setting of a Redis server.
func configure(t *testing.T, s *testserver.Server, name, value string) {
	t.Helper()
	options, err := redis.ParseURL(s.DataSource(""))
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(options)
	defer c.Close()
	if err := c.ConfigSet(t.Context(), name, value).Err(); err != nil {
		t.Fatalf("%s %s: %v", name, value, err)
	}
}
