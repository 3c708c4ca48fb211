package mysql_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/mariadb"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// authority signs certificates for tests.
type authority struct {
	folder      string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// newAuthority makes an authority, whose own certificate goes to a file ca.pem.
// The folder is one that the server may read, too, whoever runs it.
func newAuthority(t *testing.T) *authority {
	t.Helper()
	folder, err := os.MkdirTemp("", "sledge-tls")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	a := &authority{folder: folder}
	a.certificate, a.key = a.issue(t, "ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// issue writes a certificate to name.pem and its key to name-key.pem.
func (a *authority) issue(t *testing.T, name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.Subject = pkix.Name{CommonName: name}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.certificate, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, a.path(name), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	writeFile(t, a.path(name+"-key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, key
}

func (a *authority) path(name string) string { return filepath.Join(a.folder, name+".pem") }

func TestTLS(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	ours.issue(t, "server", &x509.Certificate{IPAddresses: []net.IP{net.ParseIP("127.0.0.1")}})
	ours.issue(t, "client", &x509.Certificate{})
	started := testserver.Open(t, "mariadb", testserver.Setting("ssl_ca="+ours.path("ca")),
		testserver.Setting("ssl_cert="+ours.path("server")), testserver.Setting("ssl_key="+ours.path("server-key")))
	s := &server{database: mariadb.Database, values: started.Values()}
	s.set("dbase", "mysql")
	mustExec(t, s.connect(t), "CREATE USER IF NOT EXISTS careful@'127.0.0.1' IDENTIFIED BY 'secret' REQUIRE X509")
	s.set("ssl", "true")
	s.set("ssl_linux_capath", ours.folder)
	s.set("ssl_windows_capath", ours.folder)
	s.set("ssl_cert", "client.pem")
	s.set("ssl_key", "client-key.pem")
	for _, tt := range []struct {
		name    string
		changes option.Values
		want    string // the cipher in use, or a part of it; or, with !, of the error
	}{
		{"with the right authority", option.Values{"ssl_ca": "ca.pem"}, "TLS_"},
		{"by an absolute path", option.Values{"ssl_ca": ours.path("ca"), "ssl_linux_capath": "/nowhere"}, "TLS_"},
		{"without looking who it is", option.Values{"ssl_ca": "null"}, "TLS_"},
		{"without looking at another authority", option.Values{"ssl_ca": theirs.path("ca")}, "!maria_ssl_ca"},
		{"with a host that the certificate is not for", option.Values{"ssl_ca": "ca.pem", "host": "localhost"}, "!maria_ssl_ca"},
		{"without the file", option.Values{"ssl_ca": "missing.pem"}, "!option maria_ssl_ca"},
		{"with a file of something else", option.Values{"ssl_ca": "client-key.pem"}, "!option maria_ssl_ca"},
		{"with a chosen cipher suite", option.Values{"ssl_ca": "ca.pem", "ssl_cipher": "ECDHE-ECDSA-AES128-GCM-SHA256"}, "ECDHE-ECDSA-AES128-GCM-SHA256"},
		{"with one of several", option.Values{"ssl_ca": "ca.pem", "ssl_cipher": "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305"}, "ECDHE-ECDSA-CHACHA20-POLY1305"},
		{"with an unknown cipher suite", option.Values{"ssl_ca": "ca.pem", "ssl_cipher": "ROT13"}, "!ECDHE-ECDSA-AES128-GCM-SHA256"},
		{"as a user who needs a certificate", option.Values{"ssl_ca": "ca.pem", "user": "careful", "pass": "secret", "dbase": "information_schema", "ssl_two_way": "true"}, "TLS_"},
		{"without the certificate that a user needs", option.Values{"ssl_ca": "ca.pem", "user": "careful", "pass": "secret", "dbase": "information_schema"}, "!maria_user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := &server{database: s.database, values: s.values.Clone()}
			for name, value := range tt.changes {
				changed.set(name, value)
			}
			session, err := s.database.Connect(t.Context(), changed.options(t), database.Owner)
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
	t.Run("is offered by no server without a certificate", func(t *testing.T) {
		plain := &server{database: s.database, values: testserver.Open(t, "mariadb", testserver.Setting("skip_ssl=1")).Values()}
		plain.set("dbase", "mysql")
		plain.set("ssl", "true")
		plain.set("ssl_ca", "null")
		_, err := s.database.Connect(t.Context(), plain.options(t), database.Owner)
		if err == nil || !strings.Contains(err.Error(), "maria_ssl to false") {
			t.Errorf("got %v, want advice to set maria_ssl to false", err)
		}
	})
}
