package postgresql_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// TestCreate_KeepsPasswordOutOfServersLog runs a server that logs every statement.
func TestCreate_KeepsPasswordOutOfServersLog(t *testing.T) {
	server := testserver.Open(t, "postgresql", testserver.Own(), testserver.Setting("log_statement=all"), testserver.Setting("log_min_messages=debug1"))
	d := postgresql.Database
	admin := connect(t, server.Values(), database.Admin)
	access := filepath.Join(server.Dir, "pg_hba.conf")
	rules, err := os.ReadFile(access)
	if err != nil {
		t.Fatal(err)
	}
	// The rule md5 accepts both kinds of password.
	if err := os.WriteFile(access, bytes.ReplaceAll(rules, []byte("scram-sha-256"), []byte("md5")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"scram-sha-256", "md5"} {
		mustExec(t, admin, "ALTER SYSTEM SET password_encryption = '"+method+"'")
		mustExec(t, admin, "SELECT pg_reload_conf()")
		for rows(t, admin, "SHOW password_encryption")[0] != method { // the server's processes reload it a moment later
			if t.Context().Err() != nil {
				t.Fatal("the server did not reload the setting")
			}
		}
		for i, passwords := range [][2]string{
			{`nightingale`, `changed nightingale`},
			{`o'dd "pass\word nightingale`, `Straße-nightingale`},
			{"Stra\u00dfe e\u0301 nightingale", "пароль-nightingale"}, // a combining accent, which the preparation composes
			{"🔑-nightingale", "\u00a0space-nightingale"},
		} {
			user := "sledge_" + method[:3] + string(rune('a'+i))
			values := with(server.Values(), "user", user, "dbname", user)
			for _, password := range passwords { // the second time, the role exists
				values = with(values, "password", password)
				if err := d.Container.Create(t.Context(), bind(t, values), func(job.Event) {}); err != nil {
					t.Fatalf("%s, password %q: %v", method, password, err)
				}
				session, err := d.Sessions.Connect(t.Context(), bind(t, values), database.Owner)
				if err != nil {
					t.Fatalf("%s, password %q: log in: %v", method, password, err)
				}
				if err := session.Close(); err != nil {
					t.Error(err)
				}
				if strings.Contains(server.Log(), "nightingale") {
					t.Errorf("%s: the password %q is in the server's log", method, password)
				}
			}
			prefix := map[string]string{"scram-sha-256": "SCRAM-SHA-256$4096:", "md5": "md5"}[method]
			wantRows(t, admin, "SELECT rolpassword LIKE '"+prefix+"%' FROM pg_authid WHERE rolname = '"+user+"'", "t")
		}
	}
	if log := server.Log(); !strings.Contains(log, "CREATE ROLE") || !strings.Contains(log, "ALTER ROLE") {
		t.Error("the server does not log its statements")
	}
}

func mustExec(t *testing.T, session database.Session, statement string) {
	t.Helper()
	if err := session.Exec(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
