package web

import (
	"encoding/json"
	"net/http"
	"time"
)

// policy lets pages have what this server sends, and nothing else: no script, style or font
// from outside or from within a page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

// secure sets what browsers are told about each answer. HSTS is not among it: it would hold
// for each port of the machine, and shut out a self-signed certificate.
func (s *Server) secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // without any, browsers would send a form's Origin as null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx is to pass events on as they come
}

// answer writes an answer, knows its status afterwards, and lets go of clients that do not
// take it. A stream may last for ever if it is read.
type answer struct {
	http.ResponseWriter
	control *http.ResponseController
	within  time.Duration // each piece is to be taken
	until   time.Time     // a handler's own deadline, if it is sooner; zero for none
	status  int
}

func newAnswer(w http.ResponseWriter, within time.Duration) *answer {
	return &answer{ResponseWriter: w, control: http.NewResponseController(w), within: within}
}

// begin gives the client its time for a piece.
func (a *answer) begin() {
	deadline := time.Now().Add(a.within)
	if !a.until.IsZero() && a.until.Before(deadline) {
		deadline = a.until
	}
	_ = a.control.SetWriteDeadline(deadline) // a connection that is gone needs none
}

// SetWriteDeadline is what http.ResponseController asks for: a handler may give a client less
// time than all have.
func (a *answer) SetWriteDeadline(deadline time.Time) error {
	a.until = deadline
	return a.control.SetWriteDeadline(deadline)
}

// rest takes the limit away: over HTTP/2 it would end a request that is still worked on.
func (a *answer) rest() { _ = a.control.SetWriteDeadline(time.Time{}) } // as above

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
	a.begin()
	defer a.rest()
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.begin()
	defer a.rest()
	return a.ResponseWriter.Write(p)
}

// FlushError is what http.ResponseController asks for.
func (a *answer) FlushError() error {
	a.begin()
	defer a.rest()
	return a.control.Flush()
}

// Flush implements http.Flusher.
func (a *answer) Flush() { _ = a.FlushError() } // an http.Flusher has nobody to tell

// Unwrap is what http.ResponseController asks for.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// limitBody bounds how large a request's body is, and how long it may take to come: net/http
// takes the limit of time away when it has been read, and what is done about it may take longer.
func limitBody(w *answer, r *http.Request, within time.Duration) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return
	}
	most := int64(bodyBytes)
	if r.URL.Path == "/login" || r.URL.Path == passwordPath {
		most = formBytes
	}
	_ = w.control.SetReadDeadline(time.Now().Add(within)) // a connection that is gone needs none
	r.Body = http.MaxBytesReader(w.ResponseWriter, r.Body, most)
}

// problem is an error for programs: RFC 9457.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// refuse answers with an error: for programs as a problem, for people as a page.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, detail string) {
	if a, ok := w.(*answer); ok && a.status != 0 {
		return // something was answered already
	}
	if !isProgram(r) {
		s.page(w, status, http.StatusText(status), detail)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problem{http.StatusText(status), status, detail}) // who asked may be gone
}
