// Package server is an agent: it samples its machine once a second, for any number of
// watchers, and answers their requests. It does not know jobs, and changes nothing on its machine unless it is
// allowed to.
package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	changesFile     = "agent-changes.sha256"  // the hash of the token for changes, if there is one
)

// certificateLasts is how long an agent's certificate is valid. Clients know it by its fingerprint, so a
// new certificate makes them refuse the agent.
const certificateLasts = 100 * 365 * 24 * time.Hour

// Identity is how an agent proves who it is, and whom it answers.
type Identity struct {
	TLS         *tls.Config
	folder      string
	tokenHash   string
	changesHash string // "" without a token for changes
}

// MayChange reports whether there is a token for changes.
func (i Identity) MayChange() bool { return i.changesHash != "" }

// Fingerprint returns the fingerprint of the certificate.
func (i Identity) Fingerprint() string {
	return agent.FingerprintOf(i.TLS.Certificates[0].Certificate[0])
}

// Init creates a certificate and a token, and saves both in a folder: of the token, only its hash. It
// replaces those of an earlier Init only if replace is true, and then removes the token for changes.
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
	if err := os.Remove(filepath.Join(folder, changesFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Identity{}, "", err
	}
	token, hash, err := newToken(folder, tokenFile)
	return Identity{TLS: config, folder: folder, tokenHash: hash}, token, err
}

// InitChanges creates a token with which clients may do what the agent allows, and saves its hash in the
// folder of an agent. It replaces an earlier one only if replace is true.
func InitChanges(folder string, replace bool) (Identity, string, error) {
	identity, err := Open(folder)
	if err != nil {
		return Identity{}, "", err
	}
	if identity.MayChange() && !replace {
		return Identity{}, "", job.WithExit(job.ExitExists, fmt.Errorf("%s has a token for changes already: with --replace it gets a new one, and the earlier one is refused", folder))
	}
	var token string
	token, identity.changesHash, err = newToken(folder, changesFile)
	return identity, token, err
}

// newToken creates a token, and saves its hash in a file.
func newToken(folder, file string) (token, hash string, err error) {
	token = secret.New()
	hash = secret.Hash(token)
	if err := privatefile.Replace(filepath.Join(folder, file), []byte(hash+"\n")); err != nil {
		return "", "", fmt.Errorf("keep the token: %w", err)
	}
	return token, hash, nil
}

// readHash returns the hash in a file.
func readHash(folder, file string) (string, error) {
	path := filepath.Join(folder, file)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	hash, ends := strings.CutSuffix(string(text), "\n")
	if !ends || len(hash) != len(secret.Hash("")) {
		return "", fmt.Errorf("%s is not the hash of a token: sledge agent init --replace creates a new one", path)
	}
	return hash, nil
}

// Open reads the identity that Init saved in a folder.
func Open(folder string) (Identity, error) {
	hash, err := readHash(folder, tokenFile)
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
	changes, err := readHash(folder, changesFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Identity{}, err
	}
	return Identity{config, folder, hash, changes}, nil
}
