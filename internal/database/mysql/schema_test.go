package mysql_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/suite/databasetest"
	"sledge/internal/testserver"
)

func TestSchema(t *testing.T) {
	onEach(t, "sledge_schema", func(t *testing.T, s *server) {
		s.set("partition", "true")
		s.set("history_pk", "true")
		session := s.connect(t)
		s.script(t, session, "schema", 450)
		tables := rows(t, session, s.query(t, "tables"))
		var names []string
		for _, line := range tables {
			name, _, _ := strings.Cut(line, "|")
			names = append(names, name)
		}
		if names = slices.Compact(names); len(names) != 10 || !slices.Contains(tables, "order_line|ol_dist_info|table|sledge_schema") {
			t.Errorf("got %q, want the columns of nine tables and of sledge_created, table by table", tables)
		}
		wantRows(t, session, "SELECT COUNT(DISTINCT table_name) FROM information_schema.tables WHERE table_schema = DATABASE() AND engine = 'InnoDB' AND table_collation = 'latin1_swedish_ci'", "10")
		wantRows(t, session, "SELECT data_type, numeric_precision, numeric_scale FROM information_schema.columns WHERE table_schema = DATABASE() AND column_name = 'ol_amount'", "decimal|6|2")
		wantRows(t, session, "SELECT COUNT(*) FROM information_schema.partitions WHERE table_schema = DATABASE() AND table_name = 'order_line' AND partition_name IS NOT NULL", "4")
		indexes := rows(t, session, `SELECT CONCAT(table_name, ' ', index_name, ' ', GROUP_CONCAT(column_name ORDER BY seq_in_index)) FROM information_schema.statistics
			WHERE table_schema = DATABASE() AND table_name <> 'history' GROUP BY table_name, index_name`)
		slices.Sort(indexes) // servers differ in how they sort underscores
		want := []string{
			"customer PRIMARY c_w_id,c_d_id,c_id", "customer c_w_id c_w_id,c_d_id,c_last,c_first", "district PRIMARY d_w_id,d_id", "item PRIMARY i_id",
			"new_order PRIMARY no_w_id,no_d_id,no_o_id", "order_line PRIMARY ol_w_id,ol_d_id,ol_o_id,ol_number",
			"orders PRIMARY o_w_id,o_d_id,o_id", "orders o_w_id o_w_id,o_d_id,o_c_id,o_id", "sledge_created PRIMARY name", "stock PRIMARY s_w_id,s_i_id", "warehouse PRIMARY w_id",
		}
		if !slices.Equal(indexes, want) {
			t.Errorf("got indexes %q, want %q", indexes, want)
		}
		// MySQL 5.6 has no invisible columns; MariaDB has them from 10.3.3 on.
		key := "0"
		if s.database.Name == "mariadb" {
			key = "1"
		}
		wantRows(t, session, "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'history' AND column_name = 'id'", key)
		mustExec(t, session, "INSERT INTO history VALUES (1, 1, 1, 1, 1, NOW(), 1, 'without the key')")
		for range 2 {
			s.script(t, session, "drop", 450)
		}
		wantRows(t, session, s.query(t, "tables"))
	})
}

func TestSchema_HasNoPartitionsOrKeyUnlessTheyFit(t *testing.T) {
	onEach(t, "sledge_plain", func(t *testing.T, s *server) {
		session := s.connect(t)
		const partitions = "SELECT COUNT(*) FROM information_schema.partitions WHERE table_schema = DATABASE() AND partition_name IS NOT NULL"
		const key = "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE() AND column_name = 'id'"
		s.set("partition", "true")
		s.script(t, session, "schema", 199)
		wantRows(t, session, partitions, "0")
		s.script(t, session, "drop", 199)
		s.set("partition", "false")
		s.set("history_pk", "true")
		s.set("storage_engine", "MyISAM")
		s.script(t, session, "schema", 200)
		wantRows(t, session, partitions, "0")
		wantRows(t, session, key, "0")
		wantRows(t, session, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND engine = 'MyISAM'", "9")
	})
}

func TestServer_ReturnsVersionAndSettings(t *testing.T) {
	onEach(t, "sledge_facts", func(t *testing.T, s *server) {
		session := s.connect(t)
		version := rows(t, session, s.query(t, "server.version"))
		if len(version) != 1 || strings.ContainsAny(version[0], "-|") || !strings.Contains(version[0], ".") {
			t.Errorf("got version %q", version)
		}
		settings := rows(t, session, s.query(t, "server.settings"))
		if !slices.Contains(settings, "innodb_flush_log_at_trx_commit|2") { // the test server is started with it
			t.Errorf("got settings %q", settings)
		}
	})
}

func TestCreate_ReportsServerTooOldForHistoryKey(t *testing.T) {
	onEach(t, "sledge_history", func(t *testing.T, s *server) {
		s.set("history_pk", "true")
		var told []job.Step
		if err := s.database.Container.Create(t.Context(), s.options(t), func(e job.Event) { told = append(told, *e.Step) }); err != nil {
			t.Fatal(err)
		}
		var want []job.Step // MariaDB is new enough
		if s.database.Name == "mysql" {
			want = []job.Step{{Name: job.StepHistoryKey, Stage: job.LeftOut, Of: "MySQL", Needs: "8.0.30"}}
		}
		if !reflect.DeepEqual(told, want) {
			t.Errorf("got %+v, want %+v", told, want)
		}
	})
}

func TestCreate_RefusesServerThatRequiresKeysIfHistoryHasNone(t *testing.T) {
	onEach(t, "sledge_keys", func(t *testing.T, s *server) {
		setting, advice := "sql_require_primary_key", "turn that off for the build"
		if s.database.Name == "mariadb" {
			setting, advice = "innodb_force_primary_key", advice+", or set this option to true"
		}
		admin := s.connect(t)
		t.Cleanup(func() { _ = admin.Exec(context.Background(), "SET GLOBAL "+setting+" = OFF") })
		mustExec(t, admin, "SET GLOBAL "+setting+" = ON")
		for _, key := range []string{"false", "true"} {
			s.set("history_pk", key)
			err := s.database.Container.Create(t.Context(), s.options(t), func(job.Event) {})
			if key == "true" && s.database.Name == "mariadb" {
				if err != nil {
					t.Errorf("with a key: got %v", err)
				}
				continue
			}
			if !errors.Is(err, database.ErrUnfit) || !strings.HasPrefix(err.Error(), "option history_pk: the server's "+setting+" is ON") || !strings.HasSuffix(err.Error(), advice) {
				t.Errorf("with history_pk %s: got %v, want %s and the words %q", key, err, setting, advice)
			}
		}
		delete(s.values, "history_pk")
		queries := s.database.Options.New(database.Use{Name: "sledge_keys", Analytic: true})
		if err := option.Bind(nil, s.values, queries); err != nil {
			t.Fatal(err)
		}
		if err := s.database.Container.Create(t.Context(), queries, func(job.Event) {}); err != nil {
			t.Errorf("for a workload without history: got %v", err)
		}
	})
}

func TestCreateAndDrop_BesideOthers(t *testing.T) {
	onEach(t, "sledge_beside", func(t *testing.T, s *server) {
		databasetest.Beside(t, s.database, func() any { return s.options(t) })
	})
}

func TestDrop_WaitsForAClaim(t *testing.T) {
	onEach(t, "sledge_claimed", func(t *testing.T, s *server) {
		builder, claim := s.connect(t), s.query(t, "build.claim")
		drop := func() database.DropResult {
			t.Helper()
			// The server releases the claim of a closed connection a moment later.
			for begun := time.Now(); !slices.Equal(rows(t, builder, claim), []string{"1"}); time.Sleep(10 * time.Millisecond) {
				if time.Since(begun) > 20*time.Second {
					t.Fatal("the claim of the closed connection was not released")
				}
			}
			released := make(chan error)
			go func() {
				time.Sleep(200 * time.Millisecond)
				released <- builder.Close()
			}()
			results, err := s.database.Container.Drop(t.Context(), s.options(t), database.DropOptions{})
			if err := errors.Join(err, <-released); err != nil || len(results) != 1 {
				t.Fatalf("got %v and error %v, want the result of one database", results, err)
			}
			return results[0]
		}
		mustExec(t, builder, "CREATE TABLE built (id INT PRIMARY KEY)")
		if got := drop(); got.Stays != "another job works in it" {
			t.Errorf("beside a build that had a table: got %+v, want the database to stay", got)
		}
		builder = s.connect(t)
		mustExec(t, builder, "DROP TABLE built")
		if got := drop(); got.Stays != "" {
			t.Errorf("beside a claim that was released: got %+v, want the database dropped", got)
		}
	})
}

func TestDrop_KeepsDatabaseIfUserCannotSeeAllOfIt(t *testing.T) {
	onEach(t, "sledge_hidden", func(t *testing.T, s *server) {
		admin := s.connect(t)
		const user = "'sledge half@see'@'%'"
		t.Cleanup(func() { _ = admin.Exec(context.Background(), "DROP USER "+user) })
		mustExec(t, admin, "CREATE USER "+user+" IDENTIFIED BY 'secret'")
		mustExec(t, admin, "GRANT SELECT, DROP, EXECUTE, TRIGGER ON sledge_hidden.* TO "+user)
		s.set("user", "sledge half@see")
		s.set("password", "secret")
		for _, tt := range []struct{ grant, want string }{
			{"SELECT", "the user lacks the rights EVENT, so it may contain objects that the user cannot see"},
			{"EVENT", ""},
		} {
			mustExec(t, admin, "GRANT "+tt.grant+" ON sledge_hidden.* TO "+user)
			fates, err := s.database.Container.Drop(t.Context(), s.options(t), database.DropOptions{Dry: true})
			if err != nil || len(fates) != 1 || fates[0].Stays != tt.want {
				t.Errorf("with %s: got %+v and %v, want the reason %q for keeping it", tt.grant, fates, err, tt.want)
			}
		}
		mustExec(t, admin, "REVOKE DROP ON sledge_hidden.* FROM "+user)
		if fates, err := s.database.Container.Drop(t.Context(), s.options(t), database.DropOptions{}); err != nil || fates[0].Stays != "the user may not drop it" {
			t.Errorf("without the right to drop it: got %+v and %v, want it to stay", fates, err)
		}
		s.set("user", "root")
		s.set("password", testserver.Open(t, s.database.Name).Password)
	})
}
