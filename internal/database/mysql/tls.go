package mysql

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
)

// SecretFiles is Options.SecretFiles.
func SecretFiles(options any) []string {
	s, known := options.(settings)
	if !known {
		return nil
	}
	if o := s.common(); o.SSL && o.SSLTwoWay {
		return []string{o.certificateFile(o.SSLKey)}
	}
	return nil
}

// tlsConfig returns the TLS configuration of the ssl options.
func (o *Options) tlsConfig() (*tls.Config, error) {
	c := &tls.Config{ServerName: o.Host, MinVersion: tls.VersionTLS12}
	if o.SSLCA == null {
		c.InsecureSkipVerify = true
	} else {
		path := o.certificateFile(o.SSLCA)
		pem, err := os.ReadFile(path)
		if err != nil {
			return nil, o.Wrong("ssl_ca", o.SSLCA, "%w: name the file of the authority that signed the server's certificate, or null to encrypt without verifying the server", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, o.Wrong("ssl_ca", o.SSLCA, "%s holds no certificate in PEM form", path)
		}
	}
	if o.SSLTwoWay {
		pair, err := tls.LoadX509KeyPair(o.certificateFile(o.SSLCert), o.certificateFile(o.SSLKey))
		if err != nil {
			return nil, fmt.Errorf("options %s and %s: %w", o.Name("ssl_cert"), o.Name("ssl_key"), err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if o.SSLCipher == "server" {
		return c, nil
	}
	var err error
	if c.CipherSuites, err = cipherSuites(o.SSLCipher); err != nil {
		return nil, o.Wrong("ssl_cipher", o.SSLCipher, "%w", err)
	}
	c.MaxVersion = tls.VersionTLS12 // the suites of TLS 1.3 cannot be chosen
	return c, nil
}

// cipherSuites finds suites of TLS 1.2 by OpenSSL's names. Suites with RSA key exchange have no
// forward secrecy, so they are used only if the user names them. Old servers such as MySQL 8.0.15
// share no other suites with Go.
func cipherSuites(list string) ([]uint16, error) {
	var suites []uint16
	var known []string
	for name := range strings.SplitSeq(list, ":") {
		known = known[:0]
		before := len(suites)
		for _, s := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
			if s.SupportedVersions[0] == tls.VersionTLS13 || s.Insecure && !isKeptForOld(s.ID) {
				continue
			}
			known = append(known, openSSLName(s.Name))
			if name == openSSLName(s.Name) || name == s.Name {
				suites = append(suites, s.ID)
			}
		}
		if len(suites) == before {
			return nil, fmt.Errorf("%q is not one of %s; the word server leaves the choice to the server", name, strings.Join(known, ", "))
		}
	}
	if len(suites) == 0 {
		return nil, errors.New("it is empty: the word server leaves the choice to the server")
	}
	return suites, nil
}

func isKeptForOld(suite uint16) bool {
	return suite == tls.TLS_RSA_WITH_AES_128_GCM_SHA256 || suite == tls.TLS_RSA_WITH_AES_256_GCM_SHA384
}

// hasNoCommonSuite reports whether the server refused the TLS handshake, as it does if it accepts
// none of the cipher suites.
func hasNoCommonSuite(err error) bool {
	refused, is := errors.AsType[*net.OpError](err)
	return is && refused.Op == "remote error" && strings.HasSuffix(refused.Error(), "handshake failure")
}

// openSSLName turns TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 into
// ECDHE-RSA-AES128-GCM-SHA256, and TLS_RSA_WITH_AES_128_GCM_SHA256 into
// AES128-GCM-SHA256.
func openSSLName(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "TLS_"), "RSA_WITH_")
	name = strings.Replace(name, "_WITH_", "_", 1)
	name = strings.Replace(name, "AES_", "AES", 1)
	name = strings.Replace(name, "CHACHA20_POLY1305_SHA256", "CHACHA20_POLY1305", 1)
	return strings.ReplaceAll(name, "_", "-")
}
