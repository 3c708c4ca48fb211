package tuning

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"sledge/internal/agent"
	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/shell"
)

// Restarting says how to restart a server, for settings that take effect then. The commands are run by
// the system's shell (sh, on Windows cmd).
type Restarting struct {
	Command string            // restarts the server, and fails if it does not start
	File    string            // a configuration file for Sledge's settings, which the server reads last
	Write   string            // writes that file from its standard input; "": File is on this machine
	Agent   *agent.Client     // restarts the server and keeps that file, in place of the others; nil for none
	Say     func(text string) // is told of restarts; any goroutine may call it
}

// possible reports whether the server can be restarted.
func (r Restarting) possible() bool { return r.Command != "" || r.Agent != nil }

// check returns an error if something is missing for a server.
func (r Restarting) check(j plan.Job) error {
	own := j.Server.Tuning.File != nil
	switch {
	case r.Agent != nil && r.Command+r.File+r.Write != "":
		return errors.New("the agent restarts the server and keeps the file of its settings: leave out restart, settings_file and write_settings, or agent")
	case r.Agent != nil:
		return nil
	case r.Command == "" && (r.File != "" || r.Write != ""):
		return errors.New("settings_file and write_settings have no effect without restart: add the command that restarts the server")
	case r.Command != "" && own && r.File != "":
		return fmt.Errorf("settings_file has no effect: %s keeps settings in a file of its own", j.Database.Title)
	case r.File != "" && r.Write != "":
		return errors.New("give settings_file, or write_settings for a file on another machine")
	case r.Command != "" && !own && r.File == "" && r.Write == "":
		return fmt.Errorf("add settings_file, a file that the %s server reads last when it starts, such as one in a folder of !includedir", j.Database.Title)
	}
	return nil
}

// RefusedError says that a server does not start with settings, or uses other ones. It runs.
type RefusedError struct{ err error }

// Error returns the reason's text.
func (e *RefusedError) Error() string { return e.err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.err }

// configuration is a configuration file.
type configuration struct {
	agent.SettingsFile

	// Elsewhere is whether the server keeps the file itself, and it is not proven to be on this machine:
	// another server could have a file with the same path here.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// with returns the file with more lines at its end.
func (c configuration) with(lines string) configuration {
	if c.Text != "" && !strings.HasSuffix(c.Text, "\n") {
		c.Text += "\n"
	}
	c.Text += lines
	c.None = false
	return c
}

// readFile returns the configuration file before the first change.
func (s *Server) readFile(ctx context.Context) (*configuration, error) {
	own := s.plan.Server.Tuning.File
	if s.how.Agent != nil {
		file, err := s.how.Agent.ReadSettings(ctx)
		if err == nil {
			err = s.how.Agent.MayRestart(ctx)
		}
		if err == nil && own != nil {
			err = s.isOwn(ctx, file.Path)
		}
		return &configuration{SettingsFile: file}, err
	}
	if own != nil {
		session, err := s.connect(ctx)
		if err != nil {
			return nil, err
		}
		defer session.Close()
		path, text, here, err := own(ctx, session)
		if err != nil {
			return nil, fmt.Errorf("read the server's file of settings: %w", err)
		}
		return &configuration{agent.SettingsFile{Path: path, Text: text}, !here}, nil
	}
	if s.how.Write != "" {
		return &configuration{SettingsFile: agent.SettingsFile{Path: s.how.File}}, nil
	}
	file, err := agent.ReadSettingsFile(s.how.File)
	return &configuration{SettingsFile: file}, err
}

// isOwn returns an error unless the file that the agent keeps is the one in which the server keeps its settings.
func (s *Server) isOwn(ctx context.Context, path string) error {
	session, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	own, _, _, err := s.plan.Server.Tuning.File(ctx, session)
	if err == nil && own != path {
		err = job.WithExit(job.ExitUsage, fmt.Errorf("agent %s keeps %s, and the server has its settings in another file: start the agent with --allow settings=%s", s.how.Agent.Name(), path, own))
	}
	return err
}

// writeFile writes the configuration file in its place, so that it keeps its owner.
func (s *Server) writeFile(ctx context.Context, file configuration) error {
	if s.how.Agent != nil {
		return s.how.Agent.WriteSettings(ctx, file.SettingsFile)
	}
	if s.how.Write != "" {
		if err := s.runCommand(ctx, s.how.Write, file.Text); err != nil {
			return fmt.Errorf("the command of write_settings: %w", err)
		}
		return nil
	}
	if file.Elsewhere {
		return fmt.Errorf("%s is not on this machine, or cannot be read: restore it by hand (%s has its text), and add agent or write_settings to the plan", file.Path, s.path)
	}
	return file.Write()
}

// startWith restarts the server with settings that are written. If it does not start, the server is
// started with the settings that it had.
func (s *Server) startWith(ctx context.Context, settings []database.Tuned) error {
	var list []string
	for _, one := range settings {
		list = append(list, one.Name+"="+one.Value)
	}
	s.running = nil
	begun := time.Now()
	err := s.restart(ctx)
	if err == nil {
		s.running = settings
		s.how.Say(fmt.Sprintf("restarted the server with %s: %.1f s", strings.Join(list, ", "), time.Since(begun).Seconds()))
		return nil
	}
	if again := s.startAsBefore(ctx); again != nil {
		return errors.Join(err, again)
	}
	return &RefusedError{fmt.Errorf("the server did not start with %s, and was started without: %w", strings.Join(list, ", "), err)}
}

// startAsBefore starts the server with the configuration file that it had.
func (s *Server) startAsBefore(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := s.writeFile(ctx, *s.File); err != nil {
		return err
	}
	if err := s.restart(ctx); err != nil {
		return fmt.Errorf("the server does not start with the settings that it had: %w", err)
	}
	return nil
}

// restart restarts the server, and waits until it answers.
func (s *Server) restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), agent.RestartPatience)
	defer cancel()
	slow := time.AfterFunc(2*time.Second, func() { s.how.Say("waiting for the server to restart") })
	defer slow.Stop()
	begun := time.Now()
	if s.how.Agent != nil {
		if err := s.how.Agent.Restart(ctx); err != nil {
			return err
		}
	} else if err := s.runCommand(ctx, s.how.Command, ""); err != nil {
		return fmt.Errorf("the command of restart: %w", err)
	}
	for ended := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		up, err := s.uptime(ctx)
		_, refused := errors.AsType[*database.PasswordError](err)
		switch {
		case refused || err != nil && ctx.Err() != nil:
			return err
		case err == nil && up <= time.Since(begun)+time.Second:
			return nil
		case err == nil && time.Since(ended) > patience:
			return fmt.Errorf("the command of restart has ended, and the server has been running for %s: it did not restart", up.Round(time.Second))
		}
	}
}

func (s *Server) uptime(ctx context.Context) (time.Duration, error) {
	session, err := s.connect(ctx)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	return s.plan.Server.Tuning.Uptime(ctx, session)
}

// reach returns a session. If the server does not answer, it is first started with the settings that it
// had: an earlier process may have left it in the middle of a restart.
func (s *Server) reach(ctx context.Context) (database.Session, error) {
	session, err := s.connect(ctx)
	_, refused := errors.AsType[*database.PasswordError](err)
	if err == nil || refused || s.File == nil || !s.how.possible() {
		return session, err
	}
	s.how.Say("the server does not answer: start it with the settings that it had")
	if again := s.startAsBefore(ctx); again != nil {
		// The command of the earlier process may have been at work, too.
		if again = s.startAsBefore(ctx); again != nil {
			return nil, errors.Join(err, again)
		}
	}
	return s.connect(ctx)
}

// startLeft starts a server that does not answer if a journal says that its settings are changed, and
// returns a session.
func (s *Server) startLeft(ctx context.Context, folder string, failure error) (database.Session, error) {
	journals, err := filepath.Glob(filepath.Join(folder, "settings", "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range journals {
		kept, err := read(path)
		if err != nil || kept.Target != s.plan.Target() || len(kept.Originals) == 0 {
			continue
		}
		if !s.how.possible() {
			return nil, fmt.Errorf("%w (an earlier experiment has changed settings of this server, and %s has what they were)", failure, path)
		}
		unlock, err := s.lock(path)
		if err != nil {
			return nil, err
		}
		s.path, s.journal = path, kept
		session, err := s.reach(ctx)
		s.journal = journal{}
		unlock()
		return session, err
	}
	return nil, failure
}

// awaitCommands waits for commands that killed processes have left running, by the journals of a server.
func (s *Server) awaitCommands(ctx context.Context, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, agent.RestartPatience)
	defer cancel()
	journals, err := filepath.Glob(filepath.Join(folder, "settings", "*.json"))
	if err != nil {
		return err
	}
	for _, path := range journals {
		kept, err := read(path)
		if err != nil || kept.Target != s.plan.Target() || kept.Command.PID == 0 || !kept.Command.Alive() {
			continue
		}
		s.how.Say("wait for the end of a command that an earlier experiment has left running")
		if err := shell.Await(ctx, kept.Command); err != nil {
			return err
		}
	}
	return nil
}

// runCommand runs a command of the shell with an input. The journal has the command's process while it runs,
// because it outlives this process, and another must not run beside it.
func (s *Server) runCommand(ctx context.Context, command, input string) error {
	return shell.Run(ctx, command, input, func(p host.Process) error {
		s.Command = p
		return s.keep()
	})
}
