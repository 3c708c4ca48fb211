package sqlschema_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/agent"
	agentserver "sledge/internal/agent/server"
	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/testserver"
	"sledge/internal/tuning"
)

// triesAll tries each setting that sledge experiment suggest may name. s can restart the server.
func triesAll(t *testing.T, p plan.Plan, s *tuning.Server) {
	t.Helper()
	running, _, err := tuning.Open(t.Context(), t.TempDir(), p.Job, tuning.Restarting{})
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	for _, one := range p.Server.Tuning.Matter {
		by := running
		if one.Restart {
			by = s
		}
		for _, value := range one.Values {
			if err := by.Try(t.Context(), []tuning.Setting{{Name: one.Name, Value: value}}); err != nil {
				t.Errorf("%s = %s: %v", one.Name, value, err)
			}
		}
	}
}

// Settings that need a restart are restored after a value with which the server does not start, and after a
// process was killed before or during a restart.
func TestTuning_RestartsTheServer(t *testing.T) {
	for name, tt := range map[string]struct {
		setting, value, show string // takes effect when the server starts
		running, other       string // takes effect at once
		wrong                tuning.Setting
	}{
		"postgresql": {"max_wal_senders", "7", "SHOW max_wal_senders", "work_mem", "9MB", tuning.Setting{Name: "shared_buffers", Value: "8000GB"}},
		"mysql":      {"back_log", "77", "SELECT @@back_log", "sort_buffer_size", "524288", tuning.Setting{Name: "innodb_page_size", Value: "4096"}},
		"mariadb":    {"back_log", "77", "SELECT @@back_log", "sort_buffer_size", "524288", tuning.Setting{Name: "innodb_page_size", Value: "4096"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, included := t.TempDir(), t.TempDir()
			how := tuning.Restarting{Say: func(string) {}}
			options := []testserver.Option{testserver.Own()}
			if name != "postgresql" {
				how.File = filepath.Join(included, "sledge.cnf")
				options = append(options, testserver.Setting("!includedir "+included))
			}
			server := testserver.Open(t, name, options...)
			how.Command = server.RestartCommand()
			p := planOf(t, name, server)
			kept := filepath.Join(server.Dir, "postgresql.auto.conf")
			if how.File != "" {
				kept = how.File
			}
			file := func() string {
				text, err := os.ReadFile(kept)
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				return string(text)
			}
			shown := func() (list [2]string) {
				s, err := p.Database.Sessions.Connect(t.Context(), p.Connection, database.Admin)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				rows, err := s.Query(t.Context(), tt.show, 1)
				if err != nil {
					t.Fatal(err)
				}
				other, err := p.Server.Tuning.Read(t.Context(), s, tt.running)
				if err != nil {
					t.Fatal(err)
				}
				return [2]string{rows.Rows[0][0], other.InEffect}
			}
			open := func() (*tuning.Server, []string) {
				t.Helper()
				s, said, err := tuning.Open(t.Context(), folder, p.Job, how)
				if err != nil {
					t.Fatal(err)
				}
				return s, said
			}
			before, text := shown(), file()
			both := []tuning.Setting{{Name: tt.running, Value: tt.other}, {Name: tt.setting, Value: tt.value}}
			changed := [2]string{tt.value, tt.other}
			asBefore := func() {
				t.Helper()
				if got := shown(); got != before || file() != text {
					t.Errorf("got %s and %q, want %s and %q as before", got, file(), before, text)
				}
			}

			s, _ := open()
			if err := s.Try(t.Context(), []tuning.Setting{tt.wrong, both[1], both[0]}); err != nil {
				t.Fatal(err)
			}
			triesAll(t, p, s)
			asBefore()
			if err := s.Set(t.Context(), both); err != nil {
				t.Fatal(err)
			}
			if got := shown(); got != changed {
				t.Errorf("got %s, want %s", got, changed)
			}
			if name == "mariadb" {
				unread := how
				unread.File = filepath.Join(t.TempDir(), "unread.cnf")
				wantIgnored(t, p, unread)
			}
			if name == "mysql" { // the rest is as on MariaDB, and MySQL takes seconds to start
				if err := s.Restore(t.Context()); err != nil {
					t.Error(err)
				}
				asBefore()
				return
			}
			_, isRefused := errors.AsType[*tuning.RefusedError](s.Set(t.Context(), []tuning.Setting{tt.wrong}))
			if got := shown()[0]; !isRefused || got != before[0] {
				t.Errorf("the server has %s and refused it: %t; want %s as before", got, isRefused, before[0])
			}
			if err := s.Set(t.Context(), both); err != nil {
				t.Fatal(err)
			}
			s.Close() // as if the process were killed: nothing is restored

			s, said := open()
			if len(said) != 1 || !strings.Contains(said[0], tt.running+", "+tt.setting) {
				t.Errorf("got %q, want the settings that were left changed", said)
			}
			asBefore()
			if err := s.Set(t.Context(), both); err != nil {
				t.Fatal(err)
			}
			s.Close()
			// A command that a killed process has left running does not run beside another.
			running := exec.Command("sleep", "0.3")
			if err := running.Start(); err != nil {
				t.Fatal(err)
			}
			process, err := host.ProcessOf(running.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			edit(t, folder, func(kept map[string]any) { kept["command"] = process })
			begun := time.Now()
			s, _ = open()
			if time.Since(begun) < 300*time.Millisecond {
				t.Error("the command of the earlier process was still running")
			}
			_ = running.Wait()
			asBefore()
			if err := s.Set(t.Context(), both); err != nil {
				t.Fatal(err)
			}
			s.Close()
			// Killed after the file was written and before the server was there again.
			if out, err := exec.Command("/bin/sh", "-c", server.StopCommand()).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if how.File != "" {
				if err := os.WriteFile(kept, []byte("[mysqld]\n"+tt.wrong.Name+"="+tt.wrong.Value+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if err := os.WriteFile(kept, []byte(tt.wrong.Name+" = '"+tt.wrong.Value+"'\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := tuning.Open(t.Context(), folder, p.Job, tuning.Restarting{}); err == nil || !strings.Contains(err.Error(), "has what they were") {
				t.Errorf("got %v, want to hear where the settings are kept", err)
			}
			// The file of a server on another machine is not written here.
			left := file()
			elsewhere := func(is bool) {
				edit(t, folder, func(kept map[string]any) { kept["file"].(map[string]any)["elsewhere"] = is })
			}
			elsewhere(true)
			if _, _, err := tuning.Open(t.Context(), folder, p.Job, how); err == nil || !strings.Contains(err.Error(), "add agent or write_settings") || file() != left {
				t.Errorf("got %v and %q, want the file left alone", err, file())
			}
			elsewhere(false)
			s, _ = open()
			asBefore()
			s.Close()
			if left, err := filepath.Glob(filepath.Join(folder, "settings", "*.json")); err != nil || len(left) > 0 {
				t.Errorf("got the journals %v, %v, want none", left, err)
			}
		})
	}
}

// An agent restarts the server and keeps the file of its settings, also when it was itself away.
func TestTuning_RestartsThroughAnAgent(t *testing.T) {
	for name, tt := range map[string]struct {
		setting tuning.Setting
		wrong   tuning.Setting // the server does not start with it
	}{
		"postgresql": {tuning.Setting{Name: "max_wal_senders", Value: "7"}, tuning.Setting{Name: "shared_buffers", Value: "8000GB"}},
		"mariadb":    {tuning.Setting{Name: "back_log", Value: "77"}, tuning.Setting{Name: "innodb_page_size", Value: "4096"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options, file := []testserver.Option{testserver.Own()}, filepath.Join(t.TempDir(), "sledge.cnf")
			if name != "postgresql" {
				options = append(options, testserver.Setting("!includedir "+filepath.Dir(file)))
			}
			server := testserver.Open(t, name, options...)
			if name == "postgresql" {
				file = filepath.Join(server.Dir, "postgresql.auto.conf")
			}
			p, beside := planOf(t, name, server), newAgent(t)
			read := func() string {
				text, err := os.ReadFile(file)
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				return string(text)
			}
			before, folder := read(), t.TempDir()
			open := func() (*tuning.Server, []string, error) {
				return tuning.Open(t.Context(), folder, p.Job, tuning.Restarting{Say: func(string) {}, Agent: agent.NewClient(beside.saved)})
			}
			beside.start(t, agentserver.Allowed{Restart: server.RestartCommand(), Settings: file + ".other"})
			if name == "postgresql" { // it knows its own file
				if _, _, err := open(); job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "--allow settings="+file) {
					t.Errorf("the file of another server: got %v", err)
				}
			}
			beside.stop()
			if _, _, err := open(); job.ExitOf(err) != job.ExitConnect {
				t.Errorf("without an agent: got %v", err)
			}

			allowed := agentserver.Allowed{Restart: server.RestartCommand(), Settings: file}
			beside.start(t, allowed)
			s, _, err := open()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Set(t.Context(), []tuning.Setting{tt.setting}); err != nil {
				t.Fatal(err)
			}
			if got := read(); !strings.Contains(got, tt.setting.Name) {
				t.Errorf("got the file %q, want %s in it", got, tt.setting.Name)
			}
			if _, is := errors.AsType[*tuning.RefusedError](s.Set(t.Context(), []tuning.Setting{tt.wrong})); !is || read() != before {
				t.Errorf("refused: %t, and the file is %q, want %q as before", is, read(), before)
			}
			if err := s.Set(t.Context(), []tuning.Setting{tt.setting}); err != nil {
				t.Fatal(err)
			}
			s.Close() // as if the process were killed

			if out, err := exec.Command("/bin/sh", "-c", server.StopCommand()).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			beside.stop()
			back := time.AfterFunc(time.Second, func() { beside.start(t, allowed) })
			defer back.Stop()
			if s, _, err = open(); err != nil || read() != before {
				t.Fatalf("got %v and the file %q, want the setting restored", err, read())
			}
			s.Close()
			session := opened(t, p)
			if now, err := p.Server.Tuning.Read(t.Context(), session, tt.setting.Name); err != nil || now.InEffect == tt.setting.Value {
				t.Errorf("got %+v, %v, want another value than %s", now, err, tt.setting.Value)
			}
		})
	}
}

// besideServer is an agent that can be stopped and started.
type besideServer struct {
	identity agentserver.Identity
	saved    agent.Saved
	stop     func()
}

// newAgent returns an agent that is not started yet.
func newAgent(t *testing.T) *besideServer {
	t.Helper()
	folder := t.TempDir()
	if _, _, err := agentserver.Init(folder, false); err != nil {
		t.Fatal(err)
	}
	identity, token, err := agentserver.InitChanges(folder, false)
	if err != nil {
		t.Fatal(err)
	}
	return &besideServer{identity, agent.Saved{Name: "db1", Address: "127.0.0.1:0", Fingerprint: identity.Fingerprint(), Token: token}, func() {}}
}

// start starts the agent, each time on the same port.
func (b *besideServer) start(t *testing.T, allowed agentserver.Allowed) {
	listener, err := net.Listen("tcp", b.saved.Address)
	if err != nil {
		t.Error(err)
		return
	}
	b.saved.Address = listener.Addr().String()
	s := agentserver.New(b.identity, "test")
	s.Allow(allowed)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	b.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(cancel)
}

// wantIgnored changes a setting in a file that the server does not read.
func wantIgnored(t *testing.T, p plan.Plan, how tuning.Restarting) {
	t.Helper()
	s, _, err := tuning.Open(t.Context(), t.TempDir(), p.Job, how)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Set(t.Context(), []tuning.Setting{{Name: "innodb_read_only", Value: "TRUE"}})
	if _, isRefused := errors.AsType[*tuning.RefusedError](err); !isRefused || !strings.Contains(err.Error(), "it uses OFF as before") {
		t.Errorf("got %v, want to hear that the server does not read the file", err)
	}
	if err := s.Restore(t.Context()); err != nil {
		t.Error(err)
	}
}

// edit changes the journal of the only server.
func edit(t *testing.T, folder string, change func(kept map[string]any)) {
	t.Helper()
	journals, err := filepath.Glob(filepath.Join(folder, "settings", "*.json"))
	if err != nil || len(journals) != 1 {
		t.Fatalf("got the journals %v, %v", journals, err)
	}
	text, err := os.ReadFile(journals[0])
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]any
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	change(kept)
	if text, err = json.Marshal(kept); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journals[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Settings are restored after the runs. If the process that changed them was killed, the next one restores
// them by its journal.
func TestTuning_RestoresWhatWasThere(t *testing.T) {
	for name, tt := range map[string]struct {
		setting, value, printed string
		other                   string // another value, as the server prints it
		session                 string // shows the setting in a session of the owner
		restart                 string // a setting that needs a restart
		wrong                   tuning.Setting
	}{
		"postgresql": {"work_mem", "9MB", "9MB", "11MB", "SHOW work_mem", "shared_buffers", tuning.Setting{Name: "work_mem", Value: "much"}},
		"mysql":      {"sort_buffer_size", "512K", "524288", "1048576", "SELECT @@sort_buffer_size", "innodb_page_size", tuning.Setting{Name: "sort_buffer_size", Value: "17"}},
		"mariadb":    {"sort_buffer_size", "512K", "524288", "1048576", "SELECT @@sort_buffer_size", "innodb_page_size", tuning.Setting{Name: "sort_buffer_size", Value: "17"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := testserver.Open(t, name)
			p := planOf(t, name, server)
			folder := t.TempDir()
			file := func() string {
				if name != "postgresql" {
					return ""
				}
				text, err := os.ReadFile(filepath.Join(server.Dir, "postgresql.auto.conf"))
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			shown := func() string {
				s, err := p.Database.Sessions.Connect(t.Context(), p.Connection, database.Admin)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				rows, err := s.Query(t.Context(), tt.session, 1)
				if err != nil {
					t.Fatal(err)
				}
				return rows.Rows[0][0]
			}
			open := func() (*tuning.Server, []string) {
				t.Helper()
				s, said, err := tuning.Open(t.Context(), folder, p.Job, tuning.Restarting{})
				if err != nil {
					t.Fatal(err)
				}
				return s, said
			}
			// A value that another program has written is kept, too.
			if name == "postgresql" {
				for _, statement := range []string{"ALTER SYSTEM SET work_mem TO '5MB'", "SELECT pg_reload_conf()"} {
					if err := opened(t, p).Exec(t.Context(), statement); err != nil {
						t.Fatal(err)
					}
				}
				defer func() {
					if err := opened(t, p).Exec(t.Context(), "ALTER SYSTEM RESET work_mem"); err != nil {
						t.Error(err)
					}
				}()
			}
			before, text := shown(), file()

			s, _ := open()
			for _, refused := range []tuning.Setting{tt.wrong, {Name: tt.restart, Value: "8192"}, {Name: "no_such_setting", Value: "1"}} {
				if err := s.Try(t.Context(), []tuning.Setting{{Name: tt.setting, Value: tt.value}, refused}); job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "set "+refused.Name+" to "+refused.Value) {
					t.Errorf("%v: got %v, want a refusal", refused, err)
				}
				if got := shown(); got != before || file() != text {
					t.Errorf("%v was refused, and the server has %s, want %s", refused, got, before)
				}
			}
			if err := s.Set(t.Context(), []tuning.Setting{{Name: tt.setting, Value: tt.value}}); err != nil {
				t.Fatal(err)
			}
			if got := shown(); got != tt.printed {
				t.Errorf("got %s, want %s", got, tt.printed)
			}
			s.Close() // as if the process were killed: nothing is restored

			s, said := open()
			if len(said) != 1 || !strings.Contains(said[0], "had not restored "+tt.setting) {
				t.Errorf("got %v, want the setting that was left changed", said)
			}
			if got := shown(); got != before || file() != text {
				t.Errorf("got %s and %q, want %s and %q as before", got, file(), before, text)
			}
			// What another program has set since is its own.
			if err := s.Set(t.Context(), []tuning.Setting{{Name: tt.setting, Value: tt.value}}); err != nil {
				t.Fatal(err)
			}
			mine := database.Tuned{Name: tt.setting, Value: tt.other, Set: true}
			if err := p.Server.Tuning.Set(t.Context(), opened(t, p), mine); err != nil {
				t.Fatal(err)
			}
			if err := s.Restore(t.Context()); err == nil || !strings.Contains(err.Error(), "another program has changed "+tt.setting) {
				t.Errorf("got %v, want to hear that the setting was left alone", err)
			}
			if got := shown(); got != tt.other {
				t.Errorf("got %s, want %s, which another program has set", got, tt.other)
			}
			mine.Value = before
			if err := p.Server.Tuning.Set(t.Context(), opened(t, p), mine); err != nil {
				t.Fatal(err)
			}
			if left, err := filepath.Glob(filepath.Join(folder, "settings", "*.json")); err != nil || len(left) > 0 {
				t.Errorf("got the journals %v, %v, want none", left, err)
			}
			s.Close()
		})
	}
}
