package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sledge/internal/privatefile"
)

// Certificate returns a TLS configuration with a certificate and its key from PEM files.
func Certificate(certificate, key string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("read the certificate %s with the key %s: %w", certificate, key, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// selfSignedFor is how long the certificate of SelfSigned is valid. Browsers refuse longer times.
const selfSignedFor = 397 * 24 * time.Hour

// SelfSigned returns a TLS configuration with a self-signed certificate for names and addresses. It
// saves the certificate in a folder, so that the fingerprint stays the same at the next start. It
// replaces a certificate that does not cover all names or expires soon.
func SelfSigned(folder string, names []string) (*tls.Config, error) {
	path := filepath.Join(folder, "web-certificate.pem") // with the key
	if config, err := Certificate(path, path); err == nil && serves(config.Certificates[0].Leaf, names) {
		return config, nil
	}
	return NewCertificate(path, names, selfSignedFor)
}

// NewCertificate returns a TLS configuration with a new self-signed certificate, which it saves with
// its key in a file that only its owner may read.
func NewCertificate(path string, names []string, lasts time.Duration) (*tls.Config, error) {
	text, err := sign(names, time.Now(), lasts)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	if err := privatefile.Replace(path, text); err != nil {
		return nil, fmt.Errorf("keep the certificate: %w", err)
	}
	return Certificate(path, path)
}

// serves reports whether a certificate covers names and is valid for another 30 days.
func serves(leaf *x509.Certificate, names []string) bool {
	return leaf != nil && time.Now().Add(30*24*time.Hour).Before(leaf.NotAfter) &&
		!slices.ContainsFunc(names, func(name string) bool { return leaf.VerifyHostname(name) != nil })
}

// sign creates a certificate and its key.
func sign(names []string, now time.Time, lasts time.Duration) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	wanted := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Sledge, self-signed"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(lasts),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			wanted.IPAddresses = append(wanted.IPAddresses, ip)
		} else {
			wanted.DNSNames = append(wanted.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, wanted, wanted, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), nil
}

// Fingerprint returns the SHA-256 fingerprint of a certificate as browsers and openssl show it.
func Fingerprint(config *tls.Config) string {
	sum := sha256.Sum256(config.Certificates[0].Certificate[0])
	pairs := make([]string, len(sum))
	for i, b := range sum {
		pairs[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(pairs, ":")
}

// NamesOf returns the names and addresses for the certificate of a server that listens on an address.
// If the address is unspecified, they include every address of the machine.
func NamesOf(address *net.TCPAddr, hostnames []string) ([]string, error) {
	names := append([]string{"localhost", "127.0.0.1", "::1"}, hostnames...)
	if !Reachable(address) {
		return names, nil
	}
	if !address.IP.IsUnspecified() && address.IP != nil {
		return append(names, address.IP.String()), nil
	}
	host, hostErr := os.Hostname()
	addresses, err := net.InterfaceAddrs()
	if err := errors.Join(hostErr, err); err != nil {
		return nil, fmt.Errorf("find the names of this machine: %w", err)
	}
	names = append(names, host)
	for _, a := range addresses {
		if network, ok := a.(*net.IPNet); ok && !network.IP.IsLoopback() && !network.IP.IsLinkLocalUnicast() {
			names = append(names, network.IP.String())
		}
	}
	return names, nil
}
