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
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/privatefile"
)

// Setting is a setting of a server with a value.
type Setting struct{ Name, Value string }

// Server is a server whose settings change. Its methods are not safe for concurrent use.
type Server struct {
	plan     plan.Job
	path     string             // of the journal
	unlock   func()             // ends the lock of the journal
	accepted map[Setting]string // how the server printed each value when it was first set
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
}

// patience is the time limit for changing or restoring the settings of a server.
const patience = time.Minute

// Open prepares to change settings of the server of a plan. folder holds the journals. If an earlier
// process did not restore the settings, Open does, and says so in sentences. It returns an error if
// another process is changing settings of the server, or if the database has no way to change them.
func Open(ctx context.Context, folder string, j plan.Job) (s *Server, said []string, err error) {
	if j.Server.Tuning == nil {
		return nil, nil, job.WithExit(job.ExitUsage, fmt.Errorf("Sledge cannot change settings of %s servers yet: change them yourself, and label the runs", j.Database.Title)) //nolint:staticcheck // a name
	}
	s = &Server{plan: j, accepted: map[Setting]string{}}
	session, err := s.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer session.Close()
	identity, err := j.Server.Tuning.Identity(ctx, session)
	if err != nil {
		return nil, nil, fmt.Errorf("identify the server: %w", err)
	}
	sum := sha256.Sum256([]byte(j.Database.Name + " " + identity))
	s.path = filepath.Join(folder, "settings", hex.EncodeToString(sum[:8])+".json")
	if s.unlock, err = privatefile.Lock(s.path); err != nil {
		return nil, nil, job.WithExit(job.ExitExists, fmt.Errorf("change settings of %s: %w", j.Target(), err))
	}
	var restored []string
	if s.journal, err = read(s.path); err != nil {
		s.unlock()
		return nil, nil, err
	}
	restored, err = s.restore(ctx, session)
	if len(restored) > 0 {
		said = append(said, fmt.Sprintf("An earlier experiment on %s had not restored %s: restored now.", j.Target(), strings.Join(restored, ", ")))
	}
	switch {
	case err != nil && len(s.Originals) > 0:
		s.unlock()
		return nil, said, err
	case err != nil: // another program has changed a setting meanwhile
		said = append(said, err.Error())
	}
	return s, said, nil
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

// Try sets each setting once and restores it, so that a mistake shows before the first run. Its errors
// name the setting.
func (s *Server) Try(ctx context.Context, all []Setting) error {
	for _, one := range all {
		if err := s.Set(ctx, []Setting{one}); err != nil {
			return job.WithExit(job.ExitUsage, errors.Join(err, s.Restore(ctx)))
		}
	}
	return s.Restore(ctx)
}

// Set sets settings, and returns an error unless new sessions have their values.
func (s *Server) Set(ctx context.Context, settings []Setting) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	session, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	for _, one := range settings {
		if err := s.set(ctx, session, one); err != nil {
			return fmt.Errorf("set %s to %s on the server: %w", one.Name, one.Value, err)
		}
	}
	return s.check(ctx, settings)
}

func (s *Server) set(ctx context.Context, session database.Session, one Setting) error {
	tuning := s.plan.Server.Tuning
	was, err := tuning.Read(ctx, session, one.Name)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(s.Originals, func(o database.Tuned) bool { return o.Name == one.Name }) {
		s.Originals = append(s.Originals, was)
	}
	s.Pending = true
	if err := s.keep(); err != nil {
		return fmt.Errorf("keep what it was: %w", err)
	}
	return tuning.Set(ctx, session, database.Tuned{Name: one.Name, Value: one.Value, Set: true})
}

// keep writes the journal to the disk.
func (s *Server) keep() error {
	s.Target = s.plan.Target()
	return privatefile.ReplaceJSON(s.path, s.journal)
}

// check asks the server, in a new session, whether settings took effect. The first time it notes how
// the server prints each value.
func (s *Server) check(ctx context.Context, settings []Setting) error {
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
		switch {
		case now.DecidedBy != "":
			return fmt.Errorf("set %s to %s on the server: it uses %s, which comes from elsewhere (%s)", one.Name, one.Value, now.InEffect, now.DecidedBy)
		case known && before != now.InEffect:
			return fmt.Errorf("set %s to %s on the server: it uses %s, and used %s before", one.Name, one.Value, now.InEffect, before)
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

// Restore puts back what the settings were, and removes the journal. It works even if ctx has been
// cancelled.
func (s *Server) Restore(ctx context.Context) error {
	if len(s.Originals) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	session, err := s.connect(ctx)
	if err == nil {
		defer session.Close()
		_, err = s.restore(ctx, session)
	}
	if err != nil && len(s.Originals) > 0 {
		return fmt.Errorf("the settings of the server were not restored (%s has them; sledge experiment restore does it later): %w", s.path, err)
	}
	return err
}

// restore puts the settings back in the order in which they were changed, and returns their names.
func (s *Server) restore(ctx context.Context, session database.Session) (names []string, err error) {
	if len(s.Originals) == 0 {
		return nil, nil
	}
	var left []error
	for _, was := range s.Originals {
		now, err := s.plan.Server.Tuning.Read(ctx, session, was.Name)
		switch {
		case err == nil && now == was:
			continue // the server had refused the change
		case err == nil && !s.Pending && !slices.Contains(s.Ours[was.Name], now.InEffect):
			left = append(left, fmt.Errorf("another program has changed %s to %s, so it was not restored to %s", was.Name, now.InEffect, was.InEffect))
			continue
		}
		if err := s.plan.Server.Tuning.Set(ctx, session, was); err != nil {
			return names, fmt.Errorf("restore %s: %w", was.Name, err)
		}
		names = append(names, was.Name)
	}
	fresh, err := s.connect(ctx)
	if err != nil {
		return names, err
	}
	defer fresh.Close()
	for _, was := range s.Originals {
		if !slices.Contains(names, was.Name) {
			continue
		}
		now, err := s.plan.Server.Tuning.Read(ctx, fresh, was.Name)
		if err != nil {
			return names, fmt.Errorf("read %s: %w", was.Name, err)
		}
		if now != was {
			return names, fmt.Errorf("restore %s: the server has %q instead of %q", was.Name, now.InEffect, was.InEffect)
		}
	}
	s.journal = journal{}
	return names, errors.Join(append(left, os.Remove(s.path))...)
}

// Close lets other processes change settings of the server.
func (s *Server) Close() { s.unlock() }
