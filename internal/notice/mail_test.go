package notice

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// mailbox is a mail server that accepts one user.
type mailbox struct {
	port     int
	roots    *x509.CertPool
	messages chan message
}

type message struct {
	from, text string
	to         []string
	login      bool
}

// newMailbox starts a mail server. If implicit, connections begin with TLS.
func newMailbox(t *testing.T, implicit bool) *mailbox {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS() // makes a certificate for 127.0.0.1
	config := &tls.Config{Certificates: certified.TLS.Certificates}
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	certified.Close()
	b := &mailbox{roots: roots, messages: make(chan message, 9)}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{box: b}, nil }))
	server.Domain, server.TLSConfig, server.ErrorLog = "localhost", config, log.New(io.Discard, "", 0)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.port = listener.Addr().(*net.TCPAddr).Port
	if implicit {
		listener = tls.NewListener(listener, config)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-ended; err != nil && !errors.Is(err, smtp.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return b
}

// session is a session of a mailbox.
type session struct {
	box *mailbox
	message
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "load" || password != "planted" {
			return smtp.ErrAuthFailed
		}
		s.login = true
		return nil
	}), nil
}

func (s *session) Reset()        { s.message = message{login: s.login} }
func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.text = string(text)
	s.box.messages <- s.message
	return err
}

func TestEmail_ArrivesEncryptedAndInPlainText(t *testing.T) {
	for security, implicit := range map[string]bool{StartTLS: false, TLS: true} {
		b := newMailbox(t, implicit)
		n := open(t, t.TempDir(), newClock(), Receiver{Pages: "https://load.example", Email: &Email{
			Host: "127.0.0.1", Port: b.port, Security: security, User: "load", Password: "planted",
			From: "Sledge <sledge@example.com>", To: []string{"Ann <ann@example.com>", "bob@example.com"},
		}})
		n.roots = b.roots
		n.Post(failedRun())
		n.Deliver(t.Context())
		d := last(t, n)
		if d.Status != Delivered || d.To != "ann@example.com, bob@example.com" {
			t.Fatalf("%s: got %+v", security, d)
		}
		got := <-b.messages
		if !got.login || got.from != "sledge@example.com" || strings.Join(got.to, " ") != "ann@example.com bob@example.com" {
			t.Errorf("%s: got %+v", security, got)
		}
		m, err := mail.ReadMessage(strings.NewReader(got.text))
		if err != nil {
			t.Fatal(err)
		}
		if m.Header.Get("Subject") != "Sledge: Run failed (PostgreSQL, TPROC-C)" || m.Header.Get("Bcc") != "" || m.Header.Get("Message-Id") != "<"+d.ID+"@sledge>" ||
			m.Header.Get("Content-Type") != "text/plain; charset=UTF-8" || m.Header.Get("Auto-Submitted") != "auto-generated" {
			t.Errorf("%s: got the headers %v", security, m.Header)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Run failed (PostgreSQL, TPROC-C)\r\n", "Reason:    ERROR: <!channel> @all Bcc: eve@example.com \\x1b[2J\\u202e x", "Label:     kernel=6.11 Bcc: eve@example.com\r\n", "\r\nhttps://load.example/#/jobs/6B02470C10A26D3B4C4E2F1A\r\n"} {
			if !strings.Contains(string(body), want) {
				t.Errorf("%s: %q is not in %q", security, want, body)
			}
		}

		n.roots = x509.NewCertPool() // trusts no certificate
		if d, err := n.Test(t.Context(), "ops"); err != nil || d.Status != Failed || !strings.Contains(d.Error, "certificate") {
			t.Errorf("%s: got %+v, %v, want that the certificate is refused", security, d, err)
		}
	}
}

func TestEmail_RefusesServersWithoutTLSAndHangingOnes(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	plain := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{box: &mailbox{messages: make(chan message, 9)}}, nil
	}))
	go plain.Serve(listener) //nolint:errcheck // it ends with the test
	defer plain.Close()
	to := &Email{Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, From: "a@example.com", To: []string{"b@example.com"}}
	n := open(t, t.TempDir(), newClock(), Receiver{Email: to})
	if d, err := n.Test(t.Context(), "ops"); err != nil || d.Status != Failed || !strings.Contains(d.Error, "STARTTLS") {
		t.Errorf("got %+v, %v, want that the server has no STARTTLS", d, err)
	}
	to.Security = NoTLS
	if _, err := n.Put(Receiver{Name: "ops", Events: events, Email: to}); err != nil {
		t.Fatal(err)
	}
	if d, err := n.Test(t.Context(), "ops"); err != nil || d.Status != Delivered {
		t.Errorf("got %+v, %v, want it delivered without encryption", d, err)
	}

	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	to.Port, n.limit = silent.Addr().(*net.TCPAddr).Port, 50*time.Millisecond
	if _, err := n.Put(Receiver{Name: "ops", Events: events, Email: to}); err != nil {
		t.Fatal(err)
	}
	if d, err := n.Test(t.Context(), "ops"); err != nil || d.Status != Failed || d.Error != "it did not accept the message within 50ms" {
		t.Errorf("got %+v, %v, want the time limit", d, err)
	}
}
