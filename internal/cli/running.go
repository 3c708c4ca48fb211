package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"sledge/internal/host"
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
}

// runningFile is where a server says that it runs.
func runningFile(folder, port string) string {
	return filepath.Join(folder, "web-running-"+port+".json")
}

// announce says that the site runs, until forget is called. That it cannot be said is no
// reason not to serve.
func (s *site) announce() (forget func()) {
	_, port, _ := net.SplitHostPort(s.Address()) // web.New has split it
	path := runningFile(s.Folder, port)
	self, err := host.Self()
	if err == nil {
		of := runningSite{Process: self, Home: s.Home(), Key: s.Key}
		if s.TLS != nil {
			of.Fingerprint = web.Fingerprint(s.TLS)
		}
		var text []byte
		if text, err = json.Marshal(of); err == nil {
			err = replacePrivate(path, text)
		}
	}
	if err != nil {
		s.Say(fmt.Sprintf("other commands cannot find this server: %v", err))
	}
	return sync.OnceFunc(func() { _ = os.Remove(path) }) // one that stays is of a process that has ended
}

// replacePrivate writes a file that only its owner may read, whatever was there before.
func replacePrivate(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the error that matters is known
	}
	return err
}
