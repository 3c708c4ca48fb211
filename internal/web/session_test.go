package web

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSessions_LogOutHoldsIfTheFileCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.json")
	s, err := openSessions(path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := s.begin("ann", "proof")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	replace := func(with func() error) {
		t.Helper()
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := with(); err != nil {
			t.Fatal(err)
		}
	}
	replace(func() error { return os.MkdirAll(filepath.Join(path, "full"), 0o700) }) // a folder is not a file
	if err := s.endToken(token); err == nil {
		t.Error("ending a session reported no error, although the file cannot be written")
	}
	if refused, _, err := s.begin("bob", "proof"); err == nil {
		t.Error("a session began although it cannot be saved")
	} else if _, found := s.find(refused); found {
		t.Error("a refused session exists")
	}
	replace(func() error { return os.WriteFile(path, kept, 0o600) }) // the file as it was before the logout
	if _, _, err := s.begin("eve", "proof"); err != nil {
		t.Fatal(err)
	}
	if _, found := s.find(token); found {
		t.Error("the logged-out session is back")
	}
	again, err := openSessions(path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, found := again.find(token); found {
		t.Error("the logged-out session is back in the file")
	}
}

// deadlines records the deadlines of writes.
type deadlines struct {
	*httptest.ResponseRecorder
	last, writing time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error { d.last = t; return nil }

func (d *deadlines) Write(p []byte) (int, error) {
	d.writing = d.last
	return d.ResponseRecorder.Write(p)
}

func TestResponseWriter_HandlersMayShortenTheDeadline(t *testing.T) {
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	a := newResponseWriter(w, time.Minute)
	soon := time.Now().Add(20 * time.Second)
	for _, tt := range []struct{ own, least, most time.Time }{
		{time.Time{}, soon.Add(30 * time.Second), soon.Add(time.Hour)},
		{soon, soon, soon},
		{soon.Add(time.Hour), soon.Add(30 * time.Second), soon.Add(50 * time.Second)},
	} {
		if err := a.SetWriteDeadline(tt.own); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if w.writing.Before(tt.least) || w.writing.After(tt.most) {
			t.Errorf("own deadline %v: written by %v, want from %v to %v", tt.own, w.writing, tt.least, tt.most)
		}
	}
}
