package sqlschema_test

import (
	"context"
	"strconv"
	"testing"

	"sledge/internal/database"
	"sledge/internal/testserver"
)

// Between two readings, a session inserts 7 rows in 3 transactions. Each known counter grows by just that.
func TestCounters_GrowByWhatASessionDoes(t *testing.T) {
	const table = "sledge_counted"
	ofMySQL := map[string]float64{"global_status  Com_commit": 3, "global_status  Com_insert": 3}
	for _, tt := range []struct {
		name, version string
		want          map[string]float64
		least         []string // that grow, by an unknown amount
		levels        []string
	}{
		{
			"postgresql", "15",
			map[string]float64{"pg_stat_user_tables " + table + " n_tup_ins": 7, "pg_stat_database  tup_inserted": 7},
			[]string{"pg_stat_database  xact_commit", "pg_stat_wal  wal_bytes", "pg_catalog  pg_current_wal_insert_lsn"},
			[]string{"pg_catalog  pg_database_size"},
		},
		{
			"postgresql", "18",
			map[string]float64{"pg_stat_user_tables " + table + " n_tup_ins": 7, "pg_stat_database  tup_inserted": 7},
			[]string{"pg_stat_database  xact_commit", "pg_stat_wal  wal_bytes", "pg_stat_io client backend, relation, normal hits", "pg_catalog  pg_current_wal_insert_lsn"},
			[]string{"pg_catalog  pg_database_size", "pg_stat_checkpointer  num_timed"},
		},
		{"mysql", "", ofMySQL, []string{"global_status  Handler_write", "global_status  Innodb_os_log_written"}, []string{"global_status  Threads_connected", "innodb_metrics  trx_rseg_history_len"}},
		{"mariadb", "", ofMySQL, []string{"global_status  Handler_write", "global_status  Innodb_os_log_written"}, []string{"global_status  Threads_connected", "global_status  Innodb_history_list_length"}},
	} {
		t.Run(tt.name+tt.version, func(t *testing.T) {
			server := testserver.Open(t, tt.name, testserver.Version(tt.version))
			p := planOf(t, tt.name, server)
			monitor, other := opened(t, p), opened(t, p)
			run := func(texts ...string) {
				t.Helper()
				for _, text := range texts {
					if err := other.Exec(t.Context(), text); err != nil {
						t.Fatalf("%s: %v", text, err)
					}
				}
				if p.Server.Flush != nil {
					if err := p.Server.Flush(t.Context(), other); err != nil {
						t.Fatal(err)
					}
				}
			}
			if tt.name != "postgresql" {
				run("CREATE DATABASE IF NOT EXISTS "+table, "USE "+table)
				t.Cleanup(func() { _ = other.Exec(context.Background(), "DROP DATABASE "+table) })
			}
			read := func() map[string]float64 {
				t.Helper()
				sources, err := p.Server.Counters(t.Context(), monitor)
				if err != nil {
					t.Fatal(err)
				}
				values := map[string]float64{}
				for _, source := range sources {
					if source.Err != nil {
						t.Errorf("%s: %v", source.Name, source.Err)
					}
					for _, v := range source.Values {
						if known, is := p.Database.Runs.Counters.Of(source.Name, v.Name); is && known.Kind != database.Epoch {
							if value, err := strconv.ParseFloat(v.Value, 64); err == nil {
								values[source.Name+" "+v.Of+" "+v.Name] = value
							}
						}
					}
				}
				return values
			}
			run("DROP TABLE IF EXISTS "+table, "CREATE TABLE "+table+" (a INTEGER)")
			before := read()
			for _, rows := range []string{"(1)", "(2), (3)", "(4), (5), (6), (7)"} {
				run("BEGIN", "INSERT INTO "+table+" VALUES "+rows, "COMMIT")
			}
			after := read()
			run("DROP TABLE " + table)
			for name, want := range tt.want {
				if got := after[name] - before[name]; got != want {
					t.Errorf("%s grew by %g, want %g", name, got, want)
				}
			}
			for _, name := range tt.least {
				if after[name] <= before[name] {
					t.Errorf("%s: got %g, then %g, want growth", name, before[name], after[name])
				}
			}
			for _, name := range tt.levels {
				if _, there := after[name]; !there {
					t.Errorf("%s is missing", name)
				}
			}
			rates, err := p.Server.CounterRates(t.Context(), monitor)
			if err != nil || len(rates) < 7 || rates[0].Series == "" || rates[0].Unit == "" {
				t.Errorf("got the rates %v, %v", rates, err)
			}
		})
	}
}

func TestSettingSources_TellWhereSettingsWereSet(t *testing.T) {
	for name, tt := range map[string]struct{ setting, set string }{
		"postgresql": {"synchronous_commit", "ALTER DATABASE postgres SET synchronous_commit = 'local'"},
		"mysql":      {"innodb_io_capacity", "SET GLOBAL innodb_io_capacity = 201"},
		"mariadb":    {"innodb_io_capacity", "SET GLOBAL innodb_io_capacity = 201"},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, name, testserver.Open(t, name))
			s := opened(t, p)
			if err := s.Exec(t.Context(), tt.set); err != nil {
				t.Fatal(err)
			}
			defer func() {
				undo := "SET GLOBAL innodb_io_capacity = 200"
				if name == "postgresql" {
					undo = "ALTER DATABASE postgres RESET synchronous_commit"
				}
				if err := s.Exec(context.Background(), undo); err != nil {
					t.Error(err)
				}
			}()
			got, err := p.Server.SettingSources(t.Context(), opened(t, p))
			want := map[string]string{"postgresql": "database", "mysql": "dynamic", "mariadb": "sql"}[name]
			if err != nil || got[tt.setting] != want {
				t.Errorf("got %v, %v, want %s from %q", got, err, tt.setting, want)
			}
		})
	}
}
