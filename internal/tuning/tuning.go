// Package tuning changes settings of a server for a series of runs, and restores them afterwards. A
// journal, written before the first change, lets a later process restore them after a crash.
package tuning

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/privatefile"
)

// Setting is a setting of a server with a value.
type Setting struct{ Name, Value string }

// Server is a server whose settings change. Its methods are not safe for concurrent use.
type Server struct {
	plan     plan.Job
	how      Restarting
	path     string             // of the journal
	unlock   func()             // ends the lock of the journal
	accepted map[Setting]string // how the server printed each value when it was first set
	original *configuration     // of File, when no setting had changed; nil without a way to restart
	running  []database.Tuned   // the settings with which the server was started
	journal
}

// journal is the file that outlives this process: what the settings were, and what they became.
type journal struct {
	Target    string           `json:"target"`
	Originals []database.Tuned `json:"originals"` // in the order in which they were first changed

	// Ours has the values that were set, by the names of settings, as the server prints them. A setting
	// with another value was changed by another program since, and is left alone. While Pending is
	// set, a value may be missing.
	Ours    map[string][]string `json:"ours"`
	Pending bool                `json:"pending"`

	// File is what the configuration file was whose settings take effect when the server starts. It is
	// nil if the server could not be restarted.
	File *configuration `json:"file,omitempty"`

	// Command is the process of the command that is running.
	Command host.Process `json:"command,omitzero"`
}

// patience is the time limit for changing or restoring the settings of a server.
const patience = time.Minute

// Open prepares to change settings of the server of a plan. folder holds the journals. If an earlier
// process did not restore the settings, Open does, and says so in sentences. It returns an error if
// another process is changing settings of the server, or if the database has no way to change them.
func Open(ctx context.Context, folder string, j plan.Job, how Restarting) (s *Server, said []string, err error) {
	if j.Server.Tuning == nil {
		return nil, nil, job.WithExit(job.ExitUsage, fmt.Errorf("Sledge cannot change settings of %s servers yet: change them yourself, and label the runs", j.Database.Title)) //nolint:staticcheck // a name
	}
	if err := how.check(j); err != nil {
		return nil, nil, job.WithExit(job.ExitUsage, err)
	}
	s = &Server{plan: j, how: how, accepted: map[Setting]string{}}
	if err := s.awaitCommands(ctx, folder); err != nil {
		return nil, nil, err
	}
	session, err := s.connect(ctx)
	if err != nil {
		if session, err = s.startLeft(ctx, folder, err); err != nil {
			return nil, nil, err
		}
	}
	defer func() { _ = session.Close() }()
	identity, err := j.Server.Tuning.Identity(ctx, session)
	if err != nil {
		return nil, nil, fmt.Errorf("identify the server: %w", err)
	}
	sum := sha256.Sum256([]byte(j.Database.Name + " " + identity))
	s.path = filepath.Join(folder, "settings", hex.EncodeToString(sum[:8])+".json")
	if s.unlock, err = s.lock(s.path); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			s.unlock()
		}
	}()
	if s.journal, err = read(s.path); err != nil {
		return nil, nil, err
	}
	restored, err := s.restore(ctx)
	if len(restored) > 0 {
		said = append(said, fmt.Sprintf("An earlier experiment on %s had not restored %s: restored now.", j.Target(), strings.Join(restored, ", ")))
	}
	switch {
	case err != nil && len(s.Originals) > 0:
		return nil, said, err
	case err != nil: // another program has changed a setting meanwhile
		said = append(said, err.Error())
	}
	if how.possible() {
		s.original, err = s.readFile(ctx)
	}
	return s, said, err
}

// lock locks a journal.
func (s *Server) lock(path string) (unlock func(), err error) {
	if unlock, err = privatefile.Lock(path); err != nil {
		return nil, job.WithExit(job.ExitExists, fmt.Errorf("change settings of %s: %w", s.plan.Target(), err))
	}
	return unlock, nil
}

func read(path string) (kept journal, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		err = fmt.Errorf("read what the settings of the server were: %w", err)
	}
	return kept, err
}

func (s *Server) connect(ctx context.Context) (database.Session, error) {
	session, err := target.Connect(ctx, s.plan, database.Admin)
	if err != nil {
		return nil, fmt.Errorf("connect to change settings of the server: %w", err)
	}
	return session, nil
}

// Try sets each setting once and restores it, so that a mistake shows before the first run. It does not
// restart the server. Its errors name the setting.
func (s *Server) Try(ctx context.Context, all []Setting) error {
	for _, one := range all {
		waiting, err := s.write(ctx, []Setting{one})
		if err == nil && len(waiting) == 0 {
			err = s.check(ctx, []Setting{one})
		}
		if err != nil {
			return job.WithExit(job.ExitUsage, errors.Join(err, s.Restore(ctx)))
		}
	}
	return s.Restore(ctx)
}

// Set sets settings, restarts the server if that is needed, and returns an error unless new sessions
// have their values: a *RefusedError if the server does not start with them or uses others.
func (s *Server) Set(ctx context.Context, settings []Setting) error {
	waiting, err := s.write(ctx, settings)
	if err != nil {
		return err
	}
	if len(waiting) > 0 && !slices.Equal(waiting, s.running) {
		if err := s.startWith(ctx, waiting); err != nil {
			return err
		}
		if _, err := s.write(ctx, settings); err != nil { // some lasted until the server stopped
			return err
		}
	}
	return s.check(ctx, settings)
}

// write sets settings, and returns those that wait for the server to start.
func (s *Server) write(ctx context.Context, settings []Setting) (waiting []database.Tuned, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	session, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	for _, one := range settings {
		to := database.Tuned{Name: one.Name, Value: one.Value, Set: true}
		err := s.set(ctx, session, to)
		if errors.Is(err, database.ErrRestart) && s.how.possible() {
			waiting = append(waiting, to)
		} else if err != nil {
			if errors.Is(err, database.ErrRestart) {
				err = fmt.Errorf("%w: give the table experiment of the plan a line restart with the command that does it, or a line agent", err)
			}
			return nil, fmt.Errorf("set %s to %s on the server: %w", one.Name, one.Value, err)
		}
	}
	if len(waiting) > 0 && s.plan.Server.Tuning.File == nil {
		return waiting, s.writeFile(ctx, s.original.with(s.plan.Server.Tuning.Text(waiting)))
	}
	return waiting, nil
}

func (s *Server) set(ctx context.Context, session database.Session, to database.Tuned) error {
	tuning := s.plan.Server.Tuning
	was, err := tuning.Read(ctx, session, to.Name)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(s.Originals, func(o database.Tuned) bool { return o.Name == to.Name }) {
		s.Originals = append(s.Originals, was)
	}
	s.Pending = true
	if err := s.keep(); err != nil {
		return fmt.Errorf("keep what it was: %w", err)
	}
	return tuning.Set(ctx, session, to)
}

// keep writes the journal to the disk.
func (s *Server) keep() error {
	s.Target = s.plan.Target()
	if s.original != nil {
		s.File = s.original
	}
	return privatefile.ReplaceJSON(s.path, s.journal)
}

// check asks the server, in a new session, whether settings took effect. The first time it notes how
// the server prints each value.
func (s *Server) check(ctx context.Context, settings []Setting) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	session, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	for _, one := range settings {
		now, err := s.plan.Server.Tuning.Read(ctx, session, one.Name)
		if err != nil {
			return err
		}
		before, known := s.accepted[one]
		differs := s.plan.Server.Tuning.Differs
		refuse := func(reason string, values ...any) error {
			return &RefusedError{fmt.Errorf("set %s to %s on the server: "+reason, append([]any{one.Name, one.Value}, values...)...)}
		}
		switch {
		case now.DecidedBy != "":
			return refuse("it uses %s, which comes from elsewhere (%s)", now.InEffect, now.DecidedBy)
		case known && before != now.InEffect:
			return refuse("it uses %s, and used %s before", now.InEffect, before)
		case differs != nil && differs(one.Value, now.InEffect):
			return refuse("it uses %s instead: give that", now.InEffect)
		case s.ignored(one, now):
			return refuse("it uses %s as before. Either it does not read the file with its settings last, or it writes the value so: then give that", now.InEffect)
		}
		s.accepted[one] = now.InEffect
		if s.Ours == nil {
			s.Ours = map[string][]string{}
		}
		if !slices.Contains(s.Ours[one.Name], now.InEffect) {
			s.Ours[one.Name] = append(s.Ours[one.Name], now.InEffect)
		}
	}
	s.Pending = false
	return s.keep()
}

// ignored reports whether a server that was started with a setting has the value that it had without. Only a
// server that reads Sledge's file can ignore it.
func (s *Server) ignored(one Setting, now database.Tuned) bool {
	if s.plan.Server.Tuning.File != nil || strings.EqualFold(one.Value, now.InEffect) {
		return false
	}
	if _, err := strconv.ParseFloat(now.InEffect, 64); err == nil { // Differs compares numbers
		return false
	}
	started := slices.ContainsFunc(s.running, func(r database.Tuned) bool { return r.Name == one.Name })
	return started && slices.ContainsFunc(s.Originals, func(was database.Tuned) bool { return was.Name == one.Name && was.InEffect == now.InEffect })
}

// Restore puts back what the settings were, and removes the journal. It works even if ctx has been
// cancelled.
func (s *Server) Restore(ctx context.Context) error {
	if len(s.Originals) == 0 {
		return nil
	}
	_, err := s.restore(context.WithoutCancel(ctx))
	if err != nil && len(s.Originals) > 0 {
		return fmt.Errorf("the settings of the server were not restored (%s has them; sledge experiment restore does it later): %w", s.path, err)
	}
	return err
}

// restore puts the settings back, first those with which the server starts, and returns their names.
func (s *Server) restore(ctx context.Context) (names []string, err error) {
	if len(s.Originals) == 0 {
		return nil, nil
	}
	session, err := s.reach(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	var left []error
	if s.File != nil && s.plan.Server.Tuning.File == nil {
		if err := s.writeFile(ctx, *s.File); err != nil {
			return nil, err
		}
	}
	putBack := func() (waiting []database.Tuned, err error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		for _, was := range s.Originals {
			now, err := s.plan.Server.Tuning.Read(ctx, session, was.Name)
			switch {
			case err == nil && now == was:
				continue // the server had refused the change
			case err == nil && !s.Pending && now.InEffect != was.InEffect && !slices.Contains(s.Ours[was.Name], now.InEffect):
				left = append(left, fmt.Errorf("another program has changed %s to %s, so it was not restored to %s", was.Name, now.InEffect, was.InEffect))
				continue
			}
			err = s.plan.Server.Tuning.Set(ctx, session, was)
			if errors.Is(err, database.ErrRestart) {
				if now.InEffect != was.InEffect {
					waiting = append(waiting, was)
				}
				err = nil
			}
			if err != nil {
				return nil, fmt.Errorf("restore %s: %w", was.Name, err)
			}
			if !slices.Contains(names, was.Name) {
				names = append(names, was.Name)
			}
		}
		return waiting, nil
	}
	waiting, err := putBack()
	if err != nil {
		return names, err
	}
	if len(waiting) > 0 {
		if !s.how.possible() {
			return names, fmt.Errorf("restore %s: %w, and the plan has no line restart or agent in the table experiment", waiting[0].Name, database.ErrRestart)
		}
		_ = session.Close() // the restart ends it
		begun := time.Now()
		if err := s.restart(ctx); err != nil {
			return names, err
		}
		s.how.Say(fmt.Sprintf("restarted the server with its own settings: %.1f s", time.Since(begun).Seconds()))
		if session, err = s.connect(ctx); err != nil {
			return names, err
		}
		left = nil
		if _, err := putBack(); err != nil { // some lasted until the server stopped
			return names, err
		}
	}
	if err := s.confirm(ctx, names); err != nil {
		return names, err
	}
	s.journal, s.running = journal{}, nil
	return names, errors.Join(append(left, os.Remove(s.path))...)
}

// confirm asks the server, in a new session, whether settings are what they were.
func (s *Server) confirm(ctx context.Context, names []string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	session, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	for _, was := range s.Originals {
		if !slices.Contains(names, was.Name) {
			continue
		}
		now, err := s.plan.Server.Tuning.Read(ctx, session, was.Name)
		if err != nil {
			return fmt.Errorf("read %s: %w", was.Name, err)
		}
		if now != was {
			return fmt.Errorf("restore %s: the server has %q instead of %q", was.Name, now.InEffect, was.InEffect)
		}
	}
	return nil
}

// Close lets other processes change settings of the server.
func (s *Server) Close() {
	s.unlock()
	if s.how.Agent != nil {
		s.how.Agent.Close()
	}
}
