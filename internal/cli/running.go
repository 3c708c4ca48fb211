package cli

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"sledge/internal/host"
	"sledge/internal/privatefile"
	"sledge/internal/web"
)

// runningSite is a server of the web application that runs, as the file says that it keeps
// beside the job repository: its commands find it there. Only whoever started it may read the
// file, and whoever may read it may end the server.
type runningSite struct {
	Process     host.Process `json:"process"`
	Home        string       `json:"home"` // its address
	Key         string       `json:"key"`
	Fingerprint string       `json:"fingerprint,omitempty"` // of its certificate, where it has one

	path string // of the file
}

// How the files are called: by the address, of which several may have one port.
const runningPrefix = "web-running-"

func runningSuffix(port int) string { return fmt.Sprintf("-%d.json", port) }

// runningFile is where a server says that it runs.
func runningFile(folder string, address *net.TCPAddr) string {
	ip := strings.NewReplacer(":", "_", "%", "_", "-", "_").Replace((&net.IPAddr{IP: address.IP, Zone: address.Zone}).String())
	return filepath.Join(folder, runningPrefix+ip+runningSuffix(address.Port))
}

// announce says that the site runs, until forget is called. That it cannot be said is no
// reason not to serve.
func (s *site) announce() (forget func()) {
	path := runningFile(s.Folder, s.Listener.Addr().(*net.TCPAddr))
	self, err := host.Self()
	if err == nil {
		of := runningSite{Process: self, Home: s.Home(), Key: s.Key}
		if s.TLS != nil {
			of.Fingerprint = web.Fingerprint(s.TLS)
		}
		var text []byte
		if text, err = json.Marshal(of); err == nil {
			err = privatefile.Replace(path, text)
		}
	}
	if err != nil {
		s.Say(fmt.Sprintf("other commands cannot find this server: %v", err))
	}
	return sync.OnceFunc(func() { _ = os.Remove(path) }) // one that stays is of a process that has ended
}

// errNoSite says that no server runs where one was looked for.
var errNoSite = errors.New("no server of this job repository runs on the port")

// findSite finds the server that runs on a port, whoever of this user's commands started it: of
// several that on 127.0.0.1, where the console's own is.
func findSite(folder string, port int) (*runningSite, error) {
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("find out which server runs: %w", err)
	}
	paths := []string{runningFile(folder, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})}
	for _, file := range files {
		if name := file.Name(); strings.HasPrefix(name, runningPrefix) && strings.HasSuffix(name, runningSuffix(port)) {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	for _, path := range paths {
		if of, err := readSite(path); !errors.Is(err, errNoSite) {
			return of, err
		}
	}
	return nil, errNoSite
}

// readSite reads which server a file tells of. The process that started it must still be there:
// the port may be another program's by now.
func readSite(path string) (*runningSite, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoSite
	}
	of := runningSite{path: path}
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err != nil {
		return nil, fmt.Errorf("find out which server runs: %w", err)
	}
	self, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("find the name of this host: %w", err)
	}
	if of.Process.Host != self || !of.Process.Alive() {
		return nil, errNoSite
	}
	return &of, nil
}

// request asks the server for something, and returns what it answers.
func (r *runningSite) request(ctx context.Context, method, path string) (string, error) {
	const patience, most = 10 * time.Second, 1 << 20
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	asks, err := http.NewRequestWithContext(ctx, method, r.Home+path, nil)
	if err != nil {
		return "", err
	}
	asks.Header.Set("Authorization", "Bearer "+r.Key)
	transport := &http.Transport{TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, // it is known by its certificate itself
		VerifyConnection: func(state tls.ConnectionState) error {
			shown := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{state.PeerCertificates[0].Raw}}}}
			if web.Fingerprint(shown) != r.Fingerprint {
				return errors.New("another server answers there: its certificate differs")
			}
			return nil
		},
	}}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(asks)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, most))
	if err != nil {
		return "", err
	}
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers %s: %s", r.Home, answer.Status, strings.TrimSpace(string(text)))
	}
	return strings.TrimRight(string(text), "\n"), nil
}

// Environment says where and what the server is.
func (r *runningSite) Environment(ctx context.Context) (string, error) {
	return r.request(ctx, http.MethodGet, "env")
}

// End asks the server to end, and waits a while until it has stopped jobs that it was asked to
// start.
func (r *runningSite) End(ctx context.Context) error {
	if _, err := r.request(ctx, http.MethodPost, "quit"); err != nil {
		return err
	}
	const most, step = 10 * time.Second, 20 * time.Millisecond
	for range most / step {
		if _, err := os.Stat(r.path); err != nil || !r.Process.Alive() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(step):
		}
	}
	return nil // it will
}
