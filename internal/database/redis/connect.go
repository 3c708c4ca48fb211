package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"sledge/internal/database"
	"sledge/internal/listener"
	"sledge/internal/loop"
)

// connect is Sessions.Connect.
func connect(ctx context.Context, options any, as database.Role) (database.Session, error) {
	o := options.(*Options)
	s := &session{options: o}
	var encrypted *tls.Config
	if o.SSL {
		var err error
		if encrypted, err = o.tlsConfig(); err != nil {
			return nil, err
		}
	}
	connecting := listener.Attempt{
		Network: o.network(), Address: o.address(), Limit: connectTimeout,
		Expected: func(a listener.Answer) bool {
			if o.SSL {
				return a.OnlyTLS
			}
			return a.Choose == listener.Redis
		},
		FromServer: func(err error) bool { return codeOf(err) != "" || errors.Is(err, errUnfit) },
	}
	answer, err := connecting.Do(ctx, func(ctx context.Context) error { return s.open(ctx, as, encrypted) })
	if err == nil {
		return s, nil
	}
	s.abandon()
	if answer.What != "" {
		return nil, &database.ConnectError{Text: mistake(o, answer), Err: err}
	}
	return nil, explain(o, err)
}

// mistake returns a message about a server that does not match the options.
func mistake(o *Options, answer listener.Answer) string {
	host, port, ssl := o.Name("host"), o.Name("port"), o.Name("ssl")
	switch {
	case o.Socket != null:
		return fmt.Sprintf("the server on %s is %s, not a %s server: check %s", o.Socket, answer.What, title, o.whereNames())
	case answer.OnlyTLS:
		return fmt.Sprintf("the server on %s speaks only TLS: if it is a %s server, set %s to true, else check %s and %s", o.address(), title, ssl, host, port)
	case answer.Choose == listener.Redis:
		return fmt.Sprintf("the %s server on %s does not encrypt: set %s to false, or set %s to the port on which it does (its setting tls-port)", title, o.address(), ssl, port)
	}
	return answer.Mistake(o.address(), title, host, port)
}

// connectTimeout is a variable, because tests use a shorter one.
var connectTimeout = database.ConnectTimeout

// errUnfit is the error of a server that cannot hold all keys of a transaction and write to them.
var errUnfit = errors.New("the server cannot hold a schema")

// errNotLetIn means that the server closed the connection after it had requested a client
// certificate.
var errNotLetIn = errors.New("the server requested a client certificate and closed the connection")

// errGone means that the connection was lost, and with it the watched keys and the open
// transaction.
var errGone = errors.New("the connection is lost")

// open connects, logs in and checks the kind of the server.
func (s *session) open(ctx context.Context, as database.Role, encrypted *tls.Config) error {
	o := s.options
	network, err := loop.Dial(ctx, new(net.Dialer), o.network(), o.address())
	if err != nil {
		return err
	}
	s.network = network
	conn, asked := network, false
	if encrypted != nil {
		config := encrypted.Clone()
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			asked = true
			if len(encrypted.Certificates) > 0 {
				return &encrypted.Certificates[0], nil
			}
			return new(tls.Certificate), nil
		}
		secured := tls.Client(network, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			return notLetIn(ctx, asked, err)
		}
		conn = secured
	}
	s.client = s.newClient(&bounded{Bounded: database.Bounded{Conn: conn}})
	s.conn = s.client.Conn()
	said, err := s.ask(ctx, "HELLO")
	if err != nil {
		return notLetIn(ctx, asked, err)
	}
	return s.meet(facts(said), as)
}

// notLetIn replaces the error of a connection if the server had requested a certificate before: in
// TLS 1.3 the server verifies the certificate after the handshake, and may end the connection
// before its reason arrives.
func notLetIn(ctx context.Context, asked bool, err error) error {
	_, ours := errors.AsType[*tls.CertificateVerificationError](err)
	if !asked || ours || ctx.Err() != nil || codeOf(err) != "" {
		return err
	}
	return errors.Join(err, errNotLetIn)
}

// newClient makes the driver use one connection only.
func (s *session) newClient(conn net.Conn) *goredis.Client {
	const unbounded = -2 // no deadline is ever set
	used := false
	return goredis.NewClient(&goredis.Options{
		Addr: s.options.address(), Username: s.user(), Password: s.options.password(), DB: s.options.Number,
		Protocol: 2, DisableIdentity: true, MaxRetries: -1, PoolSize: 1, DialerRetries: 1,
		ReadTimeout: unbounded, WriteTimeout: unbounded,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			if used {
				return nil, errGone
			}
			used = true
			return conn, nil
		},
	})
}

// user returns the name to log in with. Without a password, no name is needed.
func (s *session) user() string {
	if s.options.password() == "" && s.options.User == "default" {
		return ""
	}
	return s.options.User
}

// meet takes the connection's id and the server's version from HELLO, and checks that the server
// can hold a schema.
func (s *session) meet(facts map[string]string, as database.Role) error {
	s.id = facts["id"]
	major, _, _ := strings.Cut(facts["version"], ".")
	n, _ := strconv.Atoi(major)
	s.readsOnly = n >= 7
	switch {
	case facts["mode"] == "cluster":
		return fmt.Errorf("%w: it is part of a cluster, in which the keys of a transaction are on several servers: name a server that is not part of a cluster", errUnfit)
	case facts["mode"] == "sentinel":
		return fmt.Errorf("%w: it is a Sentinel, which holds no keys: name the primary that it watches", errUnfit)
	case facts["role"] != "master" && as.OwnsSchema():
		return fmt.Errorf("%w: it is a replica, which accepts no writes: name its primary", errUnfit)
	}
	return nil
}

// facts converts a reply of alternating names and values into a map.
func facts(said any) map[string]string {
	found := map[string]string{}
	list, _ := said.([]any)
	for i := 0; i+1 < len(list); i += 2 {
		found[fmt.Sprint(list[i])] = fmt.Sprint(list[i+1])
	}
	return found
}

// secretFiles is Options.SecretFiles.
func secretFiles(options any) []string {
	if o := options.(*Options); o.SSL && o.SSLCert != null {
		return []string{o.SSLKey}
	}
	return nil
}

// tlsConfig returns the TLS configuration of the ssl options.
func (o *Options) tlsConfig() (*tls.Config, error) {
	c := &tls.Config{ServerName: o.Host, MinVersion: tls.VersionTLS12}
	switch o.SSLCA {
	case null:
		c.InsecureSkipVerify = true
	case system:
	default:
		pem, err := os.ReadFile(o.SSLCA)
		if err != nil {
			return nil, o.Wrong("ssl_ca", o.SSLCA, "%w: name the file of the authority that signed the server's certificate, or null to encrypt without verifying the server", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, o.Wrong("ssl_ca", o.SSLCA, "%s holds no certificate in PEM form", o.SSLCA)
		}
	}
	if o.SSLCert != null {
		pair, err := tls.LoadX509KeyPair(o.SSLCert, o.SSLKey)
		if err != nil {
			return nil, fmt.Errorf("options %s and %s: %w", o.Name("ssl_cert"), o.Name("ssl_key"), err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// explain returns an error that names the server, the options of its address, and what to do.
func explain(o *Options, err error) error {
	cause := err
	if errors.Is(err, errNotLetIn) {
		cause = errNotLetIn
	}
	if silent, ok := errors.AsType[*listener.SilentError](err); ok {
		cause = silent
	}
	if codeOf(err) == "NOAUTH" { // the server's own message names protocol commands
		cause = errors.New("NOAUTH: it requires a password")
	}
	text := strings.TrimSuffix(strings.ReplaceAll(database.Short(cause).Error(), "\n", " "), ".")
	unconnected := &database.ConnectError{
		Text:    fmt.Sprintf("connect to %s at %s as user %s: %s: %s", title, o.address(), o.User, text, advice(o, err)),
		Err:     err,
		Refused: codeOf(err) != "",
	}
	if isOfPassword(err) {
		return &database.PasswordError{Option: "password", Called: o.Name("password"), User: o.User, Err: unconnected}
	}
	return unconnected
}

// isOfPassword reports whether the server refused the password, requires one, or has none
// configured.
func isOfPassword(err error) bool {
	word := codeOf(err)
	return word == "WRONGPASS" || word == "NOAUTH" || strings.Contains(err.Error(), "without any password configured")
}

func advice(o *Options, err error) string {
	name := o.Name
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	switch word := codeOf(err); {
	case errors.Is(err, errUnfit):
		return "check " + o.whereNames()
	case isOfPassword(err):
		return fmt.Sprintf("check options %s and %s", name("user"), name("password"))
	case word == "LOADING":
		return "wait until it has read its file"
	case word == "DENIED":
		return "it is in protected mode: set a password on the server, or allow other hosts in its configuration"
	case strings.Contains(err.Error(), "DB index is out of range"):
		return fmt.Sprintf("check option %s, or raise the server's setting databases", name("db_number"))
	case strings.Contains(err.Error(), "max number of clients reached"):
		return "raise the server's maxclients, or use fewer virtual users"
	case isUnknown(err):
		return "check " + o.whereNames()
	case word != "":
		return "this is the server's own message: check its log"
	case errors.Is(err, errNotLetIn) && o.SSLCert == null:
		return fmt.Sprintf("set options %s and %s to send a certificate, or the server's tls-auth-clients to no", name("ssl_cert"), name("ssl_key"))
	case errors.Is(err, errNotLetIn):
		return fmt.Sprintf("the certificate in option %s must be signed by an authority in the server's tls-ca-cert-file", name("ssl_cert"))
	case isCertificate:
		return fmt.Sprintf("check option %s, and that the server's certificate is for the host in option %s", name("ssl_ca"), name("host"))
	case o.SSL:
		return fmt.Sprintf("check %s, that the server is running there, and the %s options", o.whereNames(), name("ssl"))
	case o.Socket != null:
		return fmt.Sprintf("check %s, and that the server is running there (its setting unixsocket)", o.whereNames())
	}
	return fmt.Sprintf("check %s, that the server is running there, and option %s if it wants TLS", o.whereNames(), name("ssl"))
}
