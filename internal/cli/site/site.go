// Package site contains the commands that serve or follow something until they are stopped: web
// and watch.
package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"sledge/internal/cli/program"
	"sledge/internal/hammerdb/console"
	"sledge/internal/hammerdb/webservice"
	"sledge/internal/metrics"
	"sledge/internal/notice"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
	"sledge/internal/web"
	"sledge/internal/web/api"
	"sledge/internal/web/pages"
)

// ConsoleRepository opens the job repository at path, or the default one if path is "". If it
// cannot be written, it is opened for reading, and saving a job in it fails.
func ConsoleRepository(p *program.Program, path string) (*repository.Store, error) {
	store, err := p.OpenRepositoryOr(path, settings.EnvRepository)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		if read, err := p.ReadRepository(path); err == nil {
			return read, nil
		}
	}
	return store, err
}

// Site is a server of the web application with everything that it serves. It is started by sledge
// web, by a command of the console, or by hammerdbws.
type Site struct {
	*web.Server
	program *program.Program
	Store   *repository.Store
	Verbs   *api.API
	notices *notice.Notices
	quits   atomic.Int32  // the number of requests to end
	asked   chan struct{} // closed by the first request
	again   chan struct{} // closed by the second request
	forget  func()        // removes the file by which other commands find the site
}

// openSite creates a site for a listener and a job repository. Close closes the repository. configuration
// is the configuration file for jobs that the site starts. From then on other commands of the same
// user can find the site. The caller must call Close, even after Serve.
func openSite(p *program.Program, config web.Config, store *repository.Store, configuration string, scripts *bool, otlp *metrics.OTLP) (s *Site, err error) {
	s = &Site{program: p, Store: store, asked: make(chan struct{}), again: make(chan struct{}), forget: func() {}}
	config.Say = func(line string) { fmt.Fprintf(p.Stderr, "sledge: %s\n", report.Printable(line)) }
	scripting, err := ScriptingOf(p, config, store, scripts)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	config.Private, config.Owned, config.Plain = api.Private, api.Owned, append(slices.Clone(api.Plain), "/metrics")
	s.notices = notice.New(notice.Config{Folder: config.Folder, Say: config.Say})
	config.Shares = web.SharesIn(config.Folder)
	exported := metrics.NewRegistry(p.Version)
	exported.OTLP = otlp
	s.Verbs = api.New(api.Config{
		Resolver: settings.Resolver{Catalog: p.Resolver.WithoutFolders()}, Runner: cmp.Or(p.Workers, p.Runner), Store: s.Store,
		ConfigFile: cmp.Or(configuration, p.Environment(settings.EnvConfig)), Environ: p.Environ, System: p.System,
		Scripting:   scripting,
		DataFolder:  filepath.Join(config.Folder, "datagen"),
		Connections: p.Resolver.ConnectionsIn(config.Folder), Version: p.Version,
		Notices: s.notices, Metrics: exported,
		Serving: s.serving, Users: s.users, UserName: web.UserName, Projects: web.Projects, Note: web.Note, Shares: config.Shares,
		Say: config.Say,
	})
	config.API, config.Shows, config.Within = s.Verbs, s.Verbs.Shows, s.Verbs.Within
	old := webservice.New(webservice.Config{
		Catalog: p.Resolver.Catalog, Store: s.Store, Version: p.Version, Logs: console.TempDir(p.Environ),
		Home: func() string { return s.Home() }, Quit: s.Quit, Note: web.Note, Say: config.Say,
	})
	config.Others = map[string]http.Handler{"/metrics": exported.Handler()}
	for _, path := range webservice.Paths {
		config.Others[path] = old
	}
	if files, built := pages.FS(); built {
		config.Pages = files
	}
	config.Key = web.NewKey()
	if s.Server, err = web.New(config); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.forget = s.announce()
	s.notices.Start()
	return s, nil
}

// Start creates a site on a port of 127.0.0.1, which other machines cannot reach.
func Start(p *program.Program, repository string, port int) (*Site, error) {
	folder, err := webFolder(p, repository)
	if err != nil {
		return nil, err
	}
	listener, err := program.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return nil, err
	}
	store, err := ConsoleRepository(p, repository)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s, err := openSite(p, web.Config{Listener: listener, Folder: folder}, store, "", nil, nil)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return s, nil
}

// ownSite is a site that serves in the background until Quit is called.
type ownSite struct {
	*Site
	ended <-chan error
}

// StartWeb serves a site for a console.
func StartWeb(p *program.Program, repository string, port int) (console.OwnWeb, error) {
	s, err := Start(p, repository, port)
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background()) }()
	return ownSite{s, ended}, nil
}

// Link implements console.OwnWeb.
func (o ownSite) Link() (address string, logsIn bool) { return o.URL(), o.HasLink() }

// Wait implements console.OwnWeb.
func (o ownSite) Wait() error { return errors.Join(<-o.ended, o.Close()) }

// FindWeb returns the running site of a port.
func FindWeb(p *program.Program, repository string, port int) (console.Web, error) {
	folder, err := webFolder(p, repository)
	if err != nil {
		return nil, err
	}
	return Find(folder, port)
}

// Quit ends the site as Ctrl-C does. The first call stops everything that the site started, the
// second aborts it.
func (s *Site) Quit() {
	s.Verbs.Interrupt()
	switch s.quits.Add(1) {
	case 1:
		close(s.asked)
	case 2:
		close(s.again)
	}
}

// Serve serves until quit is called and the jobs that the site started have ended. It continues to
// serve while they end, so that browsers show their progress.
func (s *Site) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- s.Server.Serve(ctx) }()
	select {
	case err := <-served:
		return err
	case <-s.asked:
	}
	s.await()
	s.forget() // before another server can have its port
	cancel()
	return <-served
}

// reminder is the time between two messages about what await waits for.
const reminder = 10 * time.Second

// await waits until everything that the site started has ended, and prints what it waits for.
func (s *Site) await() {
	say := func(format string) {
		if going := s.Verbs.Active(); len(going) > 0 {
			fmt.Fprintf(s.program.Stderr, format+"\n", report.Printable(strings.Join(going, ", ")))
		}
	}
	say("Stopping %s; then the server ends. Press Ctrl-C again to abort.")
	ended := make(chan struct{})
	go func() {
		s.Verbs.Wait()
		close(ended)
	}()
	tick := time.NewTicker(reminder)
	defer tick.Stop()
	for again, still := s.again, "Still waiting for %s. Press Ctrl-C again to abort."; ; {
		select {
		case <-ended:
			return
		case <-again:
			again, still = nil, "Still waiting for %s."
			say("Aborting %s.")
		case <-tick.C:
			say(still)
		}
	}
}

// Close releases the resources of the site.
func (s *Site) Close() error {
	s.forget()
	s.Verbs.Close()
	s.notices.Close()
	return s.Store.Close()
}

// ScriptingOf decides whether a site may run scripts, which can do everything that this user can. If
// other machines can reach the site, it runs scripts only if --scripts was given. may is the value of
// the flag, or nil.
func ScriptingOf(p *program.Program, c web.Config, store *repository.Store, may *bool) (api.Scripting, error) {
	s := api.Scripting{Folder: filepath.Join(c.Folder, "scripts")}
	address, isTCP := c.Listener.Addr().(*net.TCPAddr)
	reached := !isTCP || web.Reachable(address) || len(c.Proxies) > 0
	switch {
	case c.ReadOnly:
		s.Why = "scripts do not run here: the server was started with --read-only"
	case may != nil && !*may:
		s.Why = "scripts do not run here: the server was started with --scripts=false"
	case may == nil && reached:
		s.Why = "scripts do not run here, because other machines can reach this server, and scripts can do everything that the account which started the server can do: to allow that to every user who may act, start sledge web with --scripts"
	default:
		return s, mayRun(p, &s, store)
	}
	return s, nil
}

// mayRun sets the program and the environment with which a site runs scripts.
func mayRun(p *program.Program, s *api.Scripting, store *repository.Store) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program, which runs scripts: %w", err)
	}
	environ := slices.Clone(p.Environ)
	for name, path := range map[string]string{settings.EnvRepository: store.Path(), settings.EnvSettings: p.Environment(settings.EnvSettings)} {
		if path == "" {
			continue
		}
		whole, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		environ = append(environ, name+"="+whole)
	}
	s.Program = func(arguments ...string) *exec.Cmd {
		command := exec.Command(program, arguments...)
		command.Env = environ
		return command
	}
	return nil
}
