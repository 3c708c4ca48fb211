// Package share keeps shared links. Each shows one thing of a repository, until a date, to people who
// do not log in. The package keeps hashes of their tokens, and knows neither HTTP nor jobs.
package share

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sledge/internal/privatefile"
	"sledge/internal/web/secret"
)

// The kinds of subjects.
const (
	Job        = "job"        // a job, by its ID
	Comparison = "comparison" // several runs, by their IDs
	Board      = "board"      // a board, by its number
)

// Subject is what a link shows.
type Subject struct {
	Kind string   `json:"kind"`
	IDs  []string `json:"ids"` // complete IDs
}

// String returns the kind and the IDs, such as "job 7".
func (s Subject) String() string { return s.Kind + " " + strings.Join(s.IDs, ", ") }

// Link is a shared link, without its token.
type Link struct {
	ID      string    `json:"id"` // public: it is in the address of the shared page
	Subject Subject   `json:"subject"`
	By      string    `json:"by"`             // the user who made it
	Added   time.Time `json:"added,omitzero"` // when that user was added: the link ends when the account is replaced
	Hash    string    `json:"token_sha256"`
	Made    time.Time `json:"made"`
	Until   time.Time `json:"until"`
}

// How long a link may work.
const (
	UsualTime = 30 * 24 * time.Hour
	MostTime  = 366 * 24 * time.Hour
)

// mostLinks limits the file.
const mostLinks = 1000

// Errors that callers distinguish.
var (
	ErrTime    = errors.New("a link works for a year at most, and its end must be in the future")
	ErrMany    = fmt.Errorf("there are %d shared links, which is the limit: revoke some", mostLinks)
	ErrMissing = errors.New("there is no such shared link: it was revoked, or its time has passed")
)

// Store holds the links, which are saved in a file that only its owner may read. Several servers may
// share the file.
type Store struct {
	path string
	now  func() time.Time

	mu    sync.Mutex
	read  fileState // of the file when links was read
	links []Link
	ended map[string]chan struct{} // by ID; closed when the link was revoked here
}

type fileState struct {
	size int64
	at   time.Time
}

// In returns the links that are saved in a folder.
func In(folder string, now func() time.Time) *Store {
	return &Store{path: filepath.Join(folder, "web-shares.json"), now: now, ended: map[string]chan struct{}{}}
}

// List returns the links whose time has not passed, the oldest first.
func (s *Store) List() ([]Link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(s.links), s.isOver), nil
}

// isOver reports whether a link's time has passed, or it was revoked here. The caller holds the lock.
func (s *Store) isOver(l Link) bool {
	select {
	case <-s.endOf(l.ID):
		return true
	default:
		return !s.now().Before(l.Until)
	}
}

// endOf returns the channel that Revoke closes. The caller holds the lock.
func (s *Store) endOf(id string) chan struct{} {
	if s.ended[id] == nil {
		s.ended[id] = make(chan struct{})
	}
	return s.ended[id]
}

// load reads the file if it has changed. The caller holds the lock.
func (s *Store) load() error {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		s.links, s.read = nil, fileState{}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the shared links: %w", err)
	}
	now := fileState{info.Size(), info.ModTime()}
	if now == s.read {
		return nil
	}
	var links []Link
	text, err := os.ReadFile(s.path)
	if err == nil {
		err = json.Unmarshal(text, &links)
	}
	if err != nil {
		return fmt.Errorf("read the shared links: %w (if you delete %s, all shared links end)", err, s.path)
	}
	s.links, s.read = links, now
	return nil
}

// change reads the file, calls how to change the links, and writes the file. The caller holds the lock.
func (s *Store) change(how func() error) error {
	unlock, err := privatefile.Lock(s.path)
	if err != nil {
		return fmt.Errorf("write the shared links: %w", err)
	}
	defer unlock()
	s.read = fileState{} // the file may have changed within the resolution of its time
	if err := s.load(); err != nil {
		return err
	}
	s.links = slices.DeleteFunc(s.links, s.isOver)
	if err := how(); err != nil {
		return err
	}
	s.read = fileState{}
	if err := privatefile.ReplaceJSON(s.path, s.links); err != nil {
		return fmt.Errorf("write the shared links: %w", err)
	}
	return nil
}

// Add adds a link of a user to a subject, and returns it with its token, which is saved nowhere.
func (s *Store) Add(subject Subject, by string, added, until time.Time) (l Link, token string, err error) {
	now := s.now()
	if !until.After(now) || until.After(now.Add(MostTime)) {
		return Link{}, "", ErrTime
	}
	token = secret.New()
	l = Link{
		ID: secret.Random(9), Subject: subject, By: by, Added: added, Hash: secret.Hash(token),
		Made: now.UTC().Truncate(time.Second), Until: until.UTC().Truncate(time.Second),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.change(func() error {
		if len(s.links) >= mostLinks {
			return ErrMany
		}
		s.links = append(s.links, l)
		return nil
	})
	return l, token, err
}

// ByToken returns the link of a token.
func (s *Store) ByToken(token string) (l Link, found bool, err error) {
	links, err := s.List()
	hash := secret.Hash(token)
	for _, one := range links {
		if subtle.ConstantTimeCompare([]byte(one.Hash), []byte(hash)) == 1 {
			l, found = one, true
		}
	}
	return l, found, err
}

// Revoke ends a link at once. If the file cannot be written, the link has ended only until this
// program ends.
func (s *Store) Revoke(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return err
	}
	if !slices.ContainsFunc(s.links, func(l Link) bool { return l.ID == id && !s.isOver(l) }) {
		return ErrMissing
	}
	close(s.endOf(id))
	return s.change(func() error { return nil })
}

// Revoked returns a channel that is closed when this program revokes a link.
func (s *Store) Revoked(id string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.endOf(id)
}

// Left returns the time until a link ends.
func (s *Store) Left(l Link) time.Duration { return l.Until.Sub(s.now()) }
