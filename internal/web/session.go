package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"
	"time"

	"sledge/internal/privatefile"
	"sledge/internal/web/secret"
)

// session is the login of a user in a browser.
type session struct {
	User  string    `json:"user"`
	Proof string    `json:"proof,omitempty"` // of the user's password at the login
	Ends  time.Time `json:"ends"`
}

// sessionFor is the lifetime of a session. A load test of a week needs only one login.
const sessionFor = 7 * 24 * time.Hour

// mostSessions limits the file. A new session beyond the limit ends the session that would expire
// first.
const mostSessions = 1000

// linkUser is the name of a client that logged in with the link.
const linkUser = "link"

// sessions holds the sessions and saves them in a file, so that they survive a restart of the
// server. The file contains hashes of the tokens, which do not allow a login. Servers may share a
// file.
type sessions struct {
	path string
	now  func() time.Time

	mu     sync.Mutex
	byHash map[string]session
	ended  map[string]bool // hashes of sessions that ended here but may still be in the file
}

func openSessions(path string, now func() time.Time) (*sessions, error) {
	s := &sessions{path: path, now: now, ended: map[string]bool{}}
	return s, s.read()
}

// read loads the file.
func (s *sessions) read() error {
	byHash := map[string]session{}
	text, err := os.ReadFile(s.path)
	if err == nil {
		err = json.Unmarshal(text, &byHash)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the sessions: %w (if you delete %s, all users must log in again)", err, s.path)
	}
	maps.DeleteFunc(byHash, func(hash string, _ session) bool { return s.ended[hash] })
	s.byHash = byHash
	return nil
}

// change reads the file again, because another server may have changed it, calls how to change the
// sessions, and writes the file. If the file cannot be written, sessions that ended stay ended, and
// no session begins.
func (s *sessions) change(how func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := privatefile.Lock(s.path)
	if err != nil {
		err = fmt.Errorf("write the sessions: %w", err)
	} else {
		defer unlock()
		err = s.read()
	}
	before := maps.Clone(s.byHash)
	how()
	if err == nil {
		err = s.write()
	}
	if err == nil {
		clear(s.ended)
		return nil
	}
	for hash := range before {
		if _, goesOn := s.byHash[hash]; !goesOn {
			s.ended[hash] = true
		}
	}
	maps.DeleteFunc(s.byHash, func(hash string, _ session) bool { _, was := before[hash]; return !was })
	return err
}

// begin begins a session and returns its token.
func (s *sessions) begin(user, proof string) (token string, ends time.Time, err error) {
	err = s.change(func() { token, ends = s.add(user, proof) })
	return token, ends, err
}

// add begins a session. The caller holds the lock.
func (s *sessions) add(user, proof string) (token string, ends time.Time) {
	token, ends = secret.New(), s.now().Add(sessionFor)
	s.prune()
	s.byHash[secret.Hash(token)] = session{User: user, Proof: proof, Ends: ends}
	return token, ends
}

// renew ends all sessions of a user and begins one with a new proof.
func (s *sessions) renew(user, proof string) (token string, ends time.Time, err error) {
	err = s.change(func() {
		maps.DeleteFunc(s.byHash, func(_ string, of session) bool { return of.User == user })
		token, ends = s.add(user, proof)
	})
	return token, ends, err
}

// others returns the number of a user's sessions, without the session of a token.
func (s *sessions) others(user, proof, token string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := secret.Hash(token)
	for hash, of := range s.byHash {
		if hash != own && of.User == user && of.Proof == proof && !s.now().After(of.Ends) {
			n++
		}
	}
	return n
}

// endOthers ends a user's sessions, except the session of a token.
func (s *sessions) endOthers(user, token string) error {
	own := secret.Hash(token)
	return s.change(func() {
		maps.DeleteFunc(s.byHash, func(hash string, of session) bool { return of.User == user && hash != own })
	})
}

// prune removes sessions that have ended, and makes room for one more. It is O(n) for each login.
func (s *sessions) prune() {
	first := ""
	for hash, of := range s.byHash {
		if s.now().After(of.Ends) {
			delete(s.byHash, hash)
			continue
		}
		if first == "" || of.Ends.Before(s.byHash[first].Ends) {
			first = hash
		}
	}
	if len(s.byHash) >= mostSessions {
		delete(s.byHash, first)
	}
}

// find returns the session of a token.
func (s *sessions) find(token string) (of session, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, found = s.byHash[secret.Hash(token)]
	return of, found && !s.now().After(of.Ends)
}

// endToken ends the session of a token.
func (s *sessions) endToken(token string) error {
	return s.change(func() { delete(s.byHash, secret.Hash(token)) })
}

// end ends the sessions for which the function which returns true.
func (s *sessions) end(which func(session) bool) error {
	if s.has(which) {
		return s.change(func() {
			maps.DeleteFunc(s.byHash, func(_ string, of session) bool { return which(of) })
		})
	}
	return nil
}

func (s *sessions) has(which func(session) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.byHash {
		if which(of) {
			return true
		}
	}
	return false
}

func (s *sessions) write() error {
	text, err := json.Marshal(s.byHash)
	if err == nil {
		err = privatefile.Replace(s.path, text)
	}
	if err != nil {
		return fmt.Errorf("write the sessions: %w", err)
	}
	return nil
}
