package site

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

// Running describes a running server of the web application. The server writes it to a file
// beside the job repository, where other commands find it. Only the user who started the server can
// read the file. Its key lets a command end the server.
type Running struct {
	Process     host.Process `json:"process"`
	Home        string       `json:"home"` // the server's address
	Key         string       `json:"key"`
	Fingerprint string       `json:"fingerprint,omitempty"` // of the server's certificate, if it has one

	path string // of the file
}

// runningPrefix begins the names of the files. The names contain the address, because several
// addresses may have the same port.
const runningPrefix = "web-running-"

func runningSuffix(port int) string { return fmt.Sprintf("-%d.json", port) }

// RunningFile returns the path of the file of a server.
func RunningFile(folder string, address *net.TCPAddr) string {
	ip := strings.NewReplacer(":", "_", "%", "_", "-", "_").Replace((&net.IPAddr{IP: address.IP, Zone: address.Zone}).String())
	return filepath.Join(folder, runningPrefix+ip+runningSuffix(address.Port))
}

// announce writes the file of the site, which forget removes. If it fails, it prints a message and
// the site runs without the file.
func (s *Site) announce() (forget func()) {
	path := RunningFile(s.Folder, s.Listener.Addr().(*net.TCPAddr))
	self, err := host.Self()
	if err == nil {
		of := Running{Process: self, Home: s.Home(), Key: s.Key}
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
	return sync.OnceFunc(func() { _ = os.Remove(path) }) // a file that stays is ignored once the process has ended
}

// errNoSite is returned if no server of the repository runs on a port.
var errNoSite = errors.New("no server of this job repository runs on the port")

// Find returns the server that runs on a port, which any command of this user may have started.
// If several addresses have this port, it prefers 127.0.0.1, where the console's own server is.
func Find(folder string, port int) (*Running, error) {
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("find the running server: %w", err)
	}
	paths := []string{RunningFile(folder, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})}
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

// readSite reads the file of a server. It returns errNoSite if the server's process has ended,
// because another program may use the port by now.
func readSite(path string) (*Running, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoSite
	}
	of := Running{path: path}
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err != nil {
		return nil, fmt.Errorf("find the running server: %w", err)
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

// request sends a request to the server and returns the body of the response.
func (r *Running) request(ctx context.Context, method, path string) (string, error) {
	const patience, most = 10 * time.Second, 1 << 20
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	asks, err := http.NewRequestWithContext(ctx, method, r.Home+path, nil)
	if err != nil {
		return "", err
	}
	asks.Header.Set("Authorization", "Bearer "+r.Key)
	transport := &http.Transport{TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, // VerifyConnection compares the fingerprint instead
		VerifyConnection: func(state tls.ConnectionState) error {
			shown := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{state.PeerCertificates[0].Raw}}}}
			if web.Fingerprint(shown) != r.Fingerprint {
				return errors.New("another server answers at this address: its certificate differs")
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

// Environment returns the server's description of itself.
func (r *Running) Environment(ctx context.Context) (string, error) {
	return r.request(ctx, http.MethodGet, "env")
}

// End asks the server to end, and waits up to 10 s while it stops its jobs.
func (r *Running) End(ctx context.Context) error {
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
	return nil // the server ends later
}
