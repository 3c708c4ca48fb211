package web

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/privatefile"
)

func TestSelfSigned_ServesTheCertificateWithTheFingerprint(t *testing.T) {
	folder := t.TempDir()
	own, err := SelfSigned(folder, []string{"localhost", "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *Config) { c.TLS = own })
	conn, err := tls.Dial("tcp", s.Address(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	leaf := conn.ConnectionState().PeerCertificates[0]
	sum := sha256.Sum256(leaf.Raw)
	if got, want := strings.ReplaceAll(Fingerprint(own), ":", ""), strings.ToUpper(hex.EncodeToString(sum[:])); got != want {
		t.Errorf("got the fingerprint %s, want %s", got, want)
	}
	for _, name := range []string{"localhost", "127.0.0.1"} {
		if err := leaf.VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := tls.Dial("tcp", s.Address(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}); err == nil {
		t.Error("the server accepted TLS 1.1")
	}
	same, err := SelfSigned(folder, []string{"localhost"})
	if err != nil || Fingerprint(same) != Fingerprint(own) {
		t.Errorf("another start makes another certificate, %v", err)
	}
	if days := leaf.NotAfter.Sub(leaf.NotBefore).Hours() / 24; days > 398 {
		t.Errorf("it is valid for %.0f days, which browsers refuse", days)
	}
	old, err := sign([]string{"localhost"}, time.Now().Add(20*24*time.Hour-selfSignedFor), selfSignedFor)
	if err != nil {
		t.Fatal(err)
	}
	aged := t.TempDir()
	if err := privatefile.Replace(filepath.Join(aged, "web-certificate.pem"), old); err != nil {
		t.Fatal(err)
	}
	before, err := Certificate(filepath.Join(aged, "web-certificate.pem"), filepath.Join(aged, "web-certificate.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if renewed, err := SelfSigned(aged, []string{"localhost"}); err != nil || Fingerprint(renewed) == Fingerprint(before) {
		t.Errorf("a certificate that expires in 20 days is not renewed, %v", err)
	}
	other, err := SelfSigned(folder, []string{"tests.example.org"})
	if err != nil || Fingerprint(other) == Fingerprint(own) {
		t.Errorf("a certificate for other names is not renewed, %v", err)
	}
}

func TestNamesOf_IncludesAllNamesOfTheMachine(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"localhost", "127.0.0.1", "::1", host}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if network, ok := a.(*net.IPNet); ok && network.IP.IsGlobalUnicast() {
			want = append(want, network.IP.String())
		}
	}
	names, err := NamesOf(&net.TCPAddr{IP: net.IPv4zero, Port: 8080}, nil)
	for _, name := range want {
		if err != nil || !slices.Contains(names, name) {
			t.Errorf("got %q, %v, want %s among it", names, err, name)
		}
	}
	if len(want) == 4 {
		t.Log("this machine has only loopback addresses, so the test looks for no other")
	}
}

func TestNamesOf_IncludesTheAddressListenedOn(t *testing.T) {
	for address, want := range map[string]string{"127.0.0.1:8080": "localhost", "192.0.2.7:8080": "192.0.2.7"} {
		at, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		names, err := NamesOf(at, []string{"tests.example.org"})
		if all := strings.Join(names, " "); err != nil || !strings.Contains(all, want) || !strings.Contains(all, "tests.example.org") {
			t.Errorf("%s: got %q, %v, want %s among it", address, names, err, want)
		}
	}
}
