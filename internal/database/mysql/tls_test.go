package mysql_test

import (
	"crypto/x509"
	"net"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/mariadb"
	"sledge/internal/database/mysql"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

func TestTLS(t *testing.T) {
	ours, theirs := testserver.NewAuthority(t), testserver.NewAuthority(t)
	ours.Issue("server", &x509.Certificate{IPAddresses: []net.IP{net.ParseIP("127.0.0.1")}})
	ours.Issue("client", &x509.Certificate{})
	started := testserver.Open(t, "mariadb", testserver.Setting("ssl_ca="+ours.Path("ca")),
		testserver.Setting("ssl_cert="+ours.Path("server")), testserver.Setting("ssl_key="+ours.Path("server-key")))
	s := &server{database: mariadb.Database, values: started.Values()}
	s.set("dbname", "mysql")
	mustExec(t, s.connect(t), "CREATE USER IF NOT EXISTS careful@'127.0.0.1' IDENTIFIED BY 'secret' REQUIRE X509")
	s.set("ssl", "true")
	s.set("ssl_linux_capath", ours.Folder)
	s.set("ssl_windows_capath", ours.Folder)
	s.set("ssl_cert", "client.pem")
	s.set("ssl_key", "client-key.pem")
	for _, tt := range []struct {
		name    string
		changes option.Values
		want    string // the beginning of the cipher in use; or, after !, a part of the error
	}{
		{"with the right authority", option.Values{"ssl_ca": "ca.pem"}, "TLS_"},
		{"by an absolute path", option.Values{"ssl_ca": ours.Path("ca"), "ssl_linux_capath": "/nowhere"}, "TLS_"},
		{"without verifying the server", option.Values{"ssl_ca": "null"}, "TLS_"},
		{"with another authority", option.Values{"ssl_ca": theirs.Path("ca")}, "!ssl_ca"},
		{"with a host that the certificate is not for", option.Values{"ssl_ca": "ca.pem", "host": "localhost"}, "!ssl_ca"},
		{"without the file", option.Values{"ssl_ca": "missing.pem"}, "!option ssl_ca"},
		{"with a file of something else", option.Values{"ssl_ca": "client-key.pem"}, "!option ssl_ca"},
		{"with a chosen cipher suite", option.Values{"ssl_ca": "ca.pem", "ssl_cipher": "ECDHE-ECDSA-AES128-GCM-SHA256"}, "ECDHE-ECDSA-AES128-GCM-SHA256"},
		{"with one of several", option.Values{"ssl_ca": "ca.pem", "ssl_cipher": "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305"}, "ECDHE-ECDSA-CHACHA20-POLY1305"},
		{"with an unknown cipher suite", option.Values{"ssl_ca": "ca.pem", "ssl_cipher": "ROT13"}, "!ECDHE-ECDSA-AES128-GCM-SHA256"},
		{"as a user who must have a certificate", option.Values{"ssl_ca": "ca.pem", "user": "careful", "password": "secret", "dbname": "information_schema", "ssl_two_way": "true"}, "TLS_"},
		{"without the certificate that a user needs", option.Values{"ssl_ca": "ca.pem", "user": "careful", "password": "secret", "dbname": "information_schema"}, "!user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := &server{database: s.database, values: s.values.Clone()}
			for name, value := range tt.changes {
				changed.set(name, value)
			}
			session, err := s.database.Sessions.Connect(t.Context(), changed.options(t), database.Owner)
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
			if got := rows(t, session, "SHOW STATUS LIKE 'Ssl_cipher'"); !strings.HasPrefix(got[0], "Ssl_cipher|"+tt.want) {
				t.Errorf("got %q, want cipher %s", got, tt.want)
			}
		})
	}
	t.Run("fails on a server without a certificate", func(t *testing.T) {
		plain := &server{database: s.database, values: testserver.Open(t, "mariadb", testserver.Setting("skip_ssl=1")).Values()}
		plain.set("dbname", "mysql")
		plain.set("ssl", "true")
		plain.set("ssl_ca", "null")
		_, err := s.database.Sessions.Connect(t.Context(), plain.options(t), database.Owner)
		if err == nil || !strings.Contains(err.Error(), "ssl to false") {
			t.Errorf("got %v, want advice to set ssl to false", err)
		}
	})
}

// MySQL 8.0.15 creates its own certificates, and supports no key exchange that Go offers by
// default.
func TestTLS_OnOldServerWithNamedSuite(t *testing.T) {
	s := &server{database: mysql.Database, values: testserver.Open(t, "mysql").Values()}
	s.set("dbname", "mysql")
	s.set("ssl", "true")
	s.set("ssl_ca", "null")
	session, err := s.database.Sessions.Connect(t.Context(), s.options(t), database.Owner)
	if err == nil {
		_ = session.Close() // a newer server
	} else if !strings.HasSuffix(err.Error(), "may accept AES128-GCM-SHA256 in option ssl_cipher") {
		t.Errorf("got %v, want advice to name the suite", err)
	}
	s.set("ssl_cipher", "AES128-GCM-SHA256")
	wantRows(t, s.connect(t), "SHOW SESSION STATUS LIKE 'Ssl_cipher'", "Ssl_cipher|AES128-GCM-SHA256")
}
