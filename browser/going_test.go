//go:build browser

package browser

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/repository/repositorytest"
)

// wire is a network between a browser and a site. While it is cut, no data passes and neither side
// notices, as when a laptop loses its network. Data in flight arrives after it is restored.
type wire struct {
	listener net.Listener
	gate     sync.RWMutex // held while it is cut
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l}
	var passing sync.WaitGroup
	passing.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			passing.Go(func() { w.pass(near, to) })
		}
	})
	t.Cleanup(func() { l.Close() })
	return w
}

func (w *wire) pass(near net.Conn, to string) {
	defer near.Close()
	far, err := net.Dial("tcp", to)
	if err != nil {
		return // the client sees a refused connection
	}
	defer far.Close()
	go func() {
		w.copy(far, near)
		far.Close()
	}()
	w.copy(near, far)
}

// copy copies until one side closes its connection.
func (w *wire) copy(to io.Writer, from io.Reader) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		w.gate.RLock()
		_, failed := to.Write(b[:n])
		w.gate.RUnlock()
		if err != nil || failed != nil {
			return
		}
	}
}

// TestPages_ResumeByThemselves follows jobs while the network is cut, the browser sleeps, and the
// server is killed and restarted.
func TestPages_ResumeByThemselves(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.addUser("ann", "act")
	ci := s.as("ci", "act")
	s.start()
	local := func(name string) settings {
		return settings{"db": "sqlite", "dbname": filepath.Join(s.folder, name)}
	}
	for _, name := range []string{"here.sqlite", "elsewhere.sqlite"} {
		if got := ci.finish(ci.begin("build", local(name))); got != "succeeded" {
			t.Fatalf("the build ended as %s", got)
		}
	}
	long := local("here.sqlite")
	long["users"], long["rampup"], long["duration"] = 1, "0s", "30m"
	here := ci.begin("run", long)

	// A run from the command line continues without the server.
	c := exec.Command(program, "run", "--db", "sqlite", "--dbname", filepath.Join(s.folder, "elsewhere.sqlite"), "--users", "1", "--rampup", "0s", "--duration", "30m")
	c.Env = s.environment()
	endWithUs(c)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Signal(os.Interrupt); _ = c.Wait() })
	ci.measuring(here)
	elsewhere := ""
	for elsewhere == "" {
		for _, id := range s.jobs()[:2] {
			if id != here && ci.statusOf(id) == "running" {
				elsewhere = id
			}
		}
	}
	ci.measuring(elsewhere)

	// A third run is simulated: it began an hour ago, and the test controls its progress.
	store, err := repository.Open(s.repository())
	if err != nil {
		t.Fatal(err)
	}
	const begun = 20
	slow, err := repositorytest.Begin(t.Context(), store, job.Spec{Database: "sqlite", Workload: "tprocc"}, time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(slow.End(t.Context(), job.Result{Status: job.Succeeded}), store.Close()); err != nil {
			t.Error(err)
		}
	})
	slow.Seconds(begun)

	w := newWire(t, "127.0.0.1:"+s.port)
	address := fmt.Sprintf("http://%s/", w.listener.Addr())
	play(t, "going.mjs", facts{"address": address, "here": here, "elsewhere": elsewhere, "slow": slow.ID(), "begun": begun}, deeds{
		"cut":   w.gate.Lock,
		"mend":  w.gate.Unlock,
		"kill":  s.kill,
		"start": s.start,

		"hour":   func() { slow.Seconds(3500) },
		"second": func() { slow.Seconds(1) },
	})
}
