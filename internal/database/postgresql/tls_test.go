package postgresql_test

import (
	"crypto/x509"
	"net"
	"os"
	"os/user"
	"strconv"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

// keepPrivate gives a key to the server's user, with the permissions that PostgreSQL requires: only
// that user may read it.
func keepPrivate(t *testing.T, path string) {
	t.Helper()
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		return
	}
	server, err := user.Lookup("postgres")
	if err != nil {
		t.Skip("root runs the server as the user postgres, who does not exist")
	}
	uid, _ := strconv.Atoi(server.Uid)
	if err := os.Chown(path, uid, -1); err != nil {
		t.Fatal(err)
	}
}

func TestTLS(t *testing.T) {
	ours, theirs := testserver.NewAuthority(t), testserver.NewAuthority(t)
	ours.Issue("server", &x509.Certificate{IPAddresses: []net.IP{net.ParseIP("127.0.0.1")}})
	keepPrivate(t, ours.Path("server-key"))
	values := testserver.Open(t, "postgresql", testserver.Own(), testserver.Setting("ssl=on"),
		testserver.Setting("ssl_cert_file="+ours.Path("server")), testserver.Setting("ssl_key_file="+ours.Path("server-key"))).Values()
	for _, tt := range []struct {
		mode, authority, host string
		want                  string // whether the session is encrypted, t or f; or, after !, a part of the error
	}{
		{"disable", "", "127.0.0.1", "f"},
		{"allow", "", "127.0.0.1", "f"},
		{"prefer", "", "127.0.0.1", "t"},
		{"require", "", "127.0.0.1", "t"},
		{"verify-ca", ours.Path("ca"), "127.0.0.1", "t"},
		{"verify-ca", ours.Path("ca"), "localhost", "t"}, // the name is not verified
		{"verify-ca", theirs.Path("ca"), "127.0.0.1", "!ssl_ca"},
		{"verify-full", ours.Path("ca"), "127.0.0.1", "t"},
		{"verify-full", ours.Path("ca"), "localhost", "!host"},
		{"verify-full", theirs.Path("ca"), "127.0.0.1", "!ssl_ca"},
	} {
		t.Run(tt.mode+" to "+tt.host, func(t *testing.T) {
			options := bind(t, with(values, "ssl_mode", tt.mode, "ssl_ca", tt.authority, "host", tt.host))
			session, err := postgresql.Database.Sessions.Connect(t.Context(), options, database.Admin)
			if want, refused := strings.CutPrefix(tt.want, "!"); refused {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want an error about %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			got, err := session.Query(t.Context(), "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", 1)
			if err != nil {
				t.Fatal(err)
			}
			if got.Rows[0][0] != tt.want {
				t.Errorf("got encryption %s, want %s", got.Rows[0][0], tt.want)
			}
		})
	}
}

func TestCreate_UsesTablespace(t *testing.T) {
	server := testserver.Open(t, "postgresql", testserver.Own())
	folder, err := os.MkdirTemp("", "sledge-tablespace")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	keepFolder(t, folder)
	values := with(server.Values(), "tablespace", "elsewhere", "dbname", "sledge_elsewhere")
	admin, err := postgresql.Database.Sessions.Connect(t.Context(), bind(t, values), database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if err := admin.Exec(t.Context(), "CREATE TABLESPACE elsewhere LOCATION '"+folder+"'"); err != nil {
		t.Fatal(err)
	}
	if err := postgresql.Database.Container.Create(t.Context(), bind(t, values), func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	got, err := admin.Query(t.Context(), "SELECT spcname FROM pg_database d JOIN pg_tablespace s ON s.oid = dattablespace WHERE datname = 'sledge_elsewhere'", 1)
	if err != nil || got.Rows[0][0] != "elsewhere" {
		t.Errorf("the database is in tablespace %v (%v), want elsewhere", got.Rows, err)
	}
	missing := with(server.Values(), "tablespace", "nowhere", "dbname", "sledge_nowhere")
	if err := postgresql.Database.Container.Create(t.Context(), bind(t, missing), func(job.Event) {}); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("got %v, want an error that names the tablespace", err)
	}
}

// keepFolder gives a folder to the server's user.
func keepFolder(t *testing.T, path string) {
	t.Helper()
	keepPrivate(t, path)
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
}
