// Package server is an agent: it samples its machine once a second, for any number of
// watchers, and answers their requests. It does not know jobs, and changes nothing on its machine.
package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sledge/internal/agent"
	"sledge/internal/job"
	"sledge/internal/privatefile"
	"sledge/internal/web"
	"sledge/internal/web/secret"
)

// The files of an agent's folder, which only their owner may read.
const (
	certificateFile = "agent-certificate.pem" // with its key
	tokenFile       = "agent-token.sha256"    // the hash of the token
)

// certificateLasts is how long an agent's certificate is valid. Clients know it by its fingerprint, so a
// new certificate makes them refuse the agent.
const certificateLasts = 100 * 365 * 24 * time.Hour

// Identity is how an agent proves who it is, and whom it answers.
type Identity struct {
	TLS       *tls.Config
	tokenHash string
}

// Fingerprint returns the fingerprint of the certificate.
func (i Identity) Fingerprint() string {
	return agent.FingerprintOf(i.TLS.Certificates[0].Certificate[0])
}

// Init creates a certificate and a token, and saves both in a folder: of the token, only its hash. It
// replaces those of an earlier Init only if replace is true.
func Init(folder string, replace bool) (Identity, string, error) {
	if _, err := os.Stat(filepath.Join(folder, tokenFile)); err == nil && !replace {
		return Identity{}, "", job.WithExit(job.ExitExists, fmt.Errorf("%s has the certificate and the token of an agent already: with --replace it gets new ones, and every client must save the agent again", folder))
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return Identity{}, "", err
	}
	config, err := web.NewCertificate(filepath.Join(folder, certificateFile), []string{"localhost"}, certificateLasts)
	if err != nil {
		return Identity{}, "", err
	}
	token := secret.New()
	hash := secret.Hash(token)
	if err := privatefile.Replace(filepath.Join(folder, tokenFile), []byte(hash+"\n")); err != nil {
		return Identity{}, "", fmt.Errorf("keep the token: %w", err)
	}
	return Identity{config, hash}, token, nil
}

// Open reads the identity that Init saved in a folder.
func Open(folder string) (Identity, error) {
	hash, err := os.ReadFile(filepath.Join(folder, tokenFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Identity{}, job.WithExit(job.ExitMissing, fmt.Errorf("%s has no certificate and token of an agent: create them with sledge agent init, or choose another folder with --folder", folder))
	}
	if err != nil {
		return Identity{}, err
	}
	path := filepath.Join(folder, certificateFile)
	config, err := web.Certificate(path, path)
	if err != nil {
		return Identity{}, err
	}
	text := string(hash)
	if len(text) != len(secret.Hash(""))+1 {
		return Identity{}, fmt.Errorf("%s is not the hash of a token: sledge agent init --replace creates a new one", filepath.Join(folder, tokenFile))
	}
	return Identity{config, text[:len(text)-1]}, nil
}
