package web

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// policy allows pages to load only what this server sends. It forbids inline scripts and styles.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

// onlyTLS makes a browser use only TLS for a host name for half a year, on every port. Browsers
// ignore it if they do not trust the certificate, so it does not exclude a self-signed one.
const onlyTLS = "max-age=15552000"

// isName reports whether a host, with or without a port, is a name of a machine. Browsers ignore
// onlyTLS for addresses, and it would affect all servers that a developer tries on localhost.
func isName(host string) bool {
	name := bareHost(host)
	_, err := netip.ParseAddr(name)
	return err != nil && name != "localhost" && !strings.HasSuffix(name, ".localhost")
}

// secure sets the security headers of each response.
func (s *Server) secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers send a form's Origin as null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // tells nginx to forward events at once
}

// responseWriter is an http.ResponseWriter that records the status and disconnects clients that do
// not read. Each write has its own deadline, so a stream may last as long as its client reads it.
type responseWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	within  time.Duration // time limit of each write
	until   time.Time     // an earlier deadline that a handler set; zero for none
	status  int
}

func newResponseWriter(w http.ResponseWriter, within time.Duration) *responseWriter {
	return &responseWriter{ResponseWriter: w, control: http.NewResponseController(w), within: within}
}

// begin sets the deadline of a write.
func (w *responseWriter) begin() {
	deadline := time.Now().Add(w.within)
	if !w.until.IsZero() && w.until.Before(deadline) {
		deadline = w.until
	}
	_ = w.control.SetWriteDeadline(deadline) // fails only if the connection is gone
}

// SetWriteDeadline lets a handler set an earlier deadline with http.ResponseController.
func (w *responseWriter) SetWriteDeadline(deadline time.Time) error {
	w.until = deadline
	return w.control.SetWriteDeadline(deadline)
}

// rest removes the deadline between writes, because over HTTP/2 an expired deadline would end the
// request.
func (w *responseWriter) rest() { _ = w.control.SetWriteDeadline(time.Time{}) } // fails only if the connection is gone

// WriteHeader implements http.ResponseWriter.
func (w *responseWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.begin()
	defer w.rest()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *responseWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.begin()
	defer w.rest()
	return w.ResponseWriter.Write(p)
}

// FlushError implements the interface that http.ResponseController uses.
func (w *responseWriter) FlushError() error {
	w.begin()
	defer w.rest()
	return w.control.Flush()
}

// Flush implements http.Flusher.
func (w *responseWriter) Flush() { _ = w.FlushError() } // Flush cannot return an error

// Unwrap implements the interface that http.ResponseController uses.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// limitBody limits the size of a request's body and the time to read it. net/http removes the
// deadline when the body has been read, so handling the request may take longer.
func limitBody(w *responseWriter, r *http.Request, within time.Duration) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return
	}
	most := int64(bodyBytes)
	if r.URL.Path == "/login" || r.URL.Path == passwordPath || r.URL.Path == sharedPath {
		most = formBytes
	}
	_ = w.control.SetReadDeadline(time.Now().Add(within)) // fails only if the connection is gone
	r.Body = http.MaxBytesReader(w.ResponseWriter, r.Body, most)
}

// problem is an error in the format of RFC 9457.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// refuse responds with an error: to programs as a problem, to browsers as a page.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, detail string) {
	if rw, ok := w.(*responseWriter); ok && rw.status != 0 {
		return // the response has begun
	}
	if !isProgram(r) {
		s.page(w, status, http.StatusText(status), detail)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problem{"about:blank", http.StatusText(status), status, detail}) // the client may be gone
}
