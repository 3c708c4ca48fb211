package notice

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sledge/internal/document"
)

// Receiver gets notices of some events, by a webhook or by e-mail.
type Receiver struct {
	Name    string   `json:"name,omitempty" maxLength:"64" readOnly:"true"`
	Events  []string `json:"events" enum:"ended,failed,missed" maxItems:"3" doc:"The events of which it gets notices. ended: a job succeeded or was stopped; failed: a job failed, is not valid, or was killed; missed: a run missed a threshold."`
	Pages   string   `json:"pages,omitempty" maxLength:"300" doc:"Address of the web application for links, as readers reach it."`
	Webhook *Webhook `json:"webhook,omitempty" doc:"Give either this or email."`
	Email   *Email   `json:"email,omitempty"`
}

// Webhook is an address that gets notices by POST.
type Webhook struct {
	URL    string `json:"url,omitempty" maxLength:"2000" doc:"An address with http or https. Responses contain only its beginning, because the rest may be a secret. A request without it keeps the saved one."`
	Secret string `json:"secret,omitempty" maxLength:"100" doc:"The key that signs requests: whsec_ and the base64 form of 24 to 64 random bytes. Responses never contain it. A request without it keeps the saved one."`
}

// Email is a mail server, and the addresses that get notices by it.
type Email struct {
	Host     string   `json:"host" maxLength:"253" doc:"Host name or IP address of the mail server."`
	Port     int      `json:"port,omitempty" minimum:"0" maximum:"65535" doc:"0 is the usual port: 587 for starttls, 465 for tls, 25 for none."`
	Security string   `json:"security,omitempty" enum:"starttls,tls,none" doc:"How the connection is encrypted. starttls, which is the default, and tls check the server's certificate."`
	User     string   `json:"user,omitempty" maxLength:"200"`
	Password string   `json:"password,omitempty" maxLength:"500" doc:"Responses never contain it. A request without it keeps the saved one, if the server and the user are the same."`
	Saved    bool     `json:"password_saved,omitempty" readOnly:"true" doc:"A password is saved."`
	From     string   `json:"from" maxLength:"254"`
	To       []string `json:"to" minItems:"1" maxItems:"10" doc:"The addresses that get the notices."`
}

// The encryption of connections to mail servers.
const (
	StartTLS = "starttls"
	TLS      = "tls"
	NoTLS    = "none"
)

var usualPorts = map[string]int{StartTLS: 587, TLS: 465, NoTLS: 25}

// events are those that receivers can choose.
var events = []string{document.NoticeEnded, document.NoticeFailed, document.NoticeMissed}

var (
	receiverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	hostName     = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9.])?$`)
)

// checked returns a receiver with valid values, ready to be saved in place of one of the same name.
// Secrets that it does not have are those of the saved one.
func (r Receiver) checked(saved Receiver) (Receiver, error) {
	if !receiverName.MatchString(r.Name) {
		return r, fmt.Errorf("the name %.70q of a receiver: use letters, digits, dots, hyphens and underscores, at most 64, and begin with a letter or a digit", r.Name)
	}
	var chosen []string
	for _, event := range events { // in this order, each once
		if slices.Contains(r.Events, event) {
			chosen = append(chosen, event)
		}
	}
	r.Events = chosen
	if len(chosen) == 0 {
		return r, errors.New("events: choose at least one of ended, failed and missed")
	}
	if r.Pages != "" {
		if _, err := checkURL(r.Pages); err != nil {
			return r, fmt.Errorf("pages: %w", err)
		}
	}
	var err error
	switch {
	case (r.Webhook == nil) == (r.Email == nil):
		return r, errors.New("give the settings of either a webhook or an e-mail")
	case r.Webhook != nil:
		r.Webhook, err = r.Webhook.checked(saved.Webhook)
	default:
		r.Email, err = r.Email.checked(saved.Email)
	}
	return r, err
}

func (w Webhook) checked(saved *Webhook) (*Webhook, error) {
	if saved != nil {
		if w.URL == "" || w.URL == saved.public().URL {
			w.URL = saved.URL
		}
		w.Secret = cmp.Or(w.Secret, saved.Secret)
	}
	if _, err := checkURL(w.URL); err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	if _, err := w.key(); err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}
	return &w, nil
}

// checkURL returns an error that does not quote the address, which may be a secret.
func checkURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, errors.New("give an address that begins with http:// or https:// and a host")
	case u.User != nil:
		return nil, errors.New("leave out the user and the password before @: an address must not contain them")
	case u.Fragment != "":
		return nil, errors.New("leave out # and the part after it")
	}
	return u, nil
}

// secretPrefix begins secrets of Standard Webhooks, so that secret scanners recognize them.
const secretPrefix = "whsec_"

// key returns the bytes of the secret.
func (w Webhook) key() ([]byte, error) {
	encoded, is := strings.CutPrefix(w.Secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !is || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, errors.New(`give whsec_ and the base64 form of 24 to 64 random bytes: echo "whsec_$(openssl rand -base64 32)"`)
	}
	return key, nil
}

func (e Email) checked(saved *Email) (*Email, error) {
	e.Saved = false
	if e.Security == "" {
		e.Security = StartTLS
	}
	if e.Port == 0 {
		e.Port = usualPorts[e.Security]
	}
	if net.ParseIP(e.Host) == nil && !hostName.MatchString(e.Host) {
		return nil, errors.New("host: give the host name or the IP address of a mail server")
	}
	if usualPorts[e.Security] == 0 {
		return nil, errors.New("security: choose starttls, tls or none")
	}
	if e.Port < 1 || e.Port > 65535 {
		return nil, errors.New("port: give a number from 1 to 65535")
	}
	var err error
	if e.From, err = checkAddress(e.From); err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	to := slices.Clone(e.To)
	for i := range to {
		if to[i], err = checkAddress(to[i]); err != nil {
			return nil, fmt.Errorf("to: %w", err)
		}
	}
	if e.To = to; len(to) == 0 {
		return nil, errors.New("to: give at least one address")
	}
	if strings.ContainsFunc(e.User+e.Password, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, errors.New("user and password: leave out control characters")
	}
	if e.Password == "" && e.User != "" && saved != nil && saved.Password != "" {
		if e.Host != saved.Host || e.Port != saved.Port || e.Security != saved.Security || e.User != saved.User {
			return nil, errors.New("password: the saved password is for another server or user: give the password of this one")
		}
		e.Password = saved.Password
	}
	switch {
	case (e.User == "") != (e.Password == ""):
		return nil, errors.New("user and password: give both or neither")
	case e.Password != "" && e.Security == NoTLS:
		return nil, errors.New("security: a password needs starttls or tls, because without encryption others could read it")
	}
	return &e, nil
}

// checkAddress returns the address part of an e-mail address, so that it cannot contain further
// headers.
func checkAddress(text string) (string, error) {
	a, err := mail.ParseAddress(text)
	if err != nil || len(a.Address) > 254 || strings.ContainsFunc(a.Address, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "", fmt.Errorf("%.100q is not an e-mail address such as ann@example.com", text)
	}
	return a.Address, nil
}

// Public returns the receiver without its secrets.
func (r Receiver) Public() Receiver {
	if r.Webhook != nil {
		w := r.Webhook.public()
		r.Webhook = &w
	}
	if r.Email != nil {
		e := *r.Email
		e.Saved, e.Password = e.Password != "", ""
		r.Email = &e
	}
	return r
}

func (w Webhook) public() Webhook {
	u, err := checkURL(w.URL)
	if err != nil {
		return Webhook{}
	}
	text := u.Scheme + "://" + u.Host + "/"
	if u.RequestURI() != "/" {
		text += "…"
	}
	return Webhook{URL: text}
}

// to returns the place of a receiver for the log.
func (r Receiver) to() string {
	if r.Webhook != nil {
		return r.Webhook.public().URL
	}
	return strings.Join(r.Email.To, ", ")
}
