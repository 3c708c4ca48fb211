package oracle

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	ora "github.com/sijms/go-ora/v2"

	"sledge/internal/database"
	"sledge/internal/listener"
)

// login is the configuration of a connection, with the options that it comes from.
type login struct {
	options                    settings
	user, password             string
	userOption, passwordOption string
	parallel                   int // degree of parallelism of each statement; 0 means the server's default
}

func ownerOf(options settings) login {
	a := options.own()
	l := login{options: options, user: a.User, password: a.Password, userOption: "user", passwordOption: "password"}
	if o, is := options.(*analytic); is {
		l.parallel = o.Parallel
	}
	return l
}

func systemOf(options settings) login {
	s := options.at()
	return login{options: options, user: s.SystemUser, password: s.SystemPassword, userOption: "system_user", passwordOption: "system_password"}
}

// connect is Sessions.Connect. Admins and Observers log in as the system user.
func connect(ctx context.Context, options any, as database.Role) (database.Session, error) {
	l := ownerOf(options.(settings))
	if !as.OwnsSchema() {
		l = systemOf(options.(settings))
	}
	s, err := dial(ctx, l)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// dial opens a session.
func dial(ctx context.Context, l login) (*session, error) {
	at, err := l.options.at().address()
	if err != nil {
		name := l.options.Name
		advice := "check option " + name(where(l.options.at()))
		if l.options.at().Host == "" {
			advice = fmt.Sprintf("set options %s and %s, or %s", name("host"), name("service"), name("instance"))
		}
		return nil, fmt.Errorf("connect to Oracle as user %s: %w: %s", l.user, err, advice)
	}
	first := at.hosts[0]
	connecting := listener.Attempt{
		Network: "tcp", Address: net.JoinHostPort(first.Host, strconv.Itoa(first.Port)), Limit: connectTimeout,
		Expected:   func(listener.Answer) bool { return false }, // an Oracle listener sends nothing first
		FromServer: func(err error) bool { return number(err) != 0 },
	}
	var s *session
	answer, err := connecting.Do(ctx, func(ctx context.Context) (err error) {
		s, err = open(ctx, l, at)
		return err
	})
	switch {
	case err == nil:
		return s, nil
	case answer.What != "":
		return nil, &database.ConnectError{Text: answer.Mistake(connecting.Address, "Oracle", l.options.Name(where(l.options.at())), l.options.Name("port")), Err: err}
	}
	return nil, explain(l, at, err)
}

// where returns the option of the server's address.
func where(s *server) string {
	if s.Host != "" {
		return "host"
	}
	return "instance"
}

// connectTimeout is a variable, because tests use a shorter one.
var connectTimeout = database.ConnectTimeout

// open connects and makes the session ready.
func open(ctx context.Context, l login, at address) (*session, error) {
	if l.password == "" && l.options.at().Wallet == "" {
		return nil, errNoPassword
	}
	source, err := l.source(at)
	if err != nil {
		return nil, err
	}
	config, err := ora.ParseConfig(source)
	if err != nil {
		if _, is := errors.AsType[*url.Error](err); is {
			err = errors.New("the driver cannot read the address") // its own error would contain the password
		}
		return nil, err
	}
	config.Timeout = 0 // wire sets the deadlines
	config.ProgramName = "sledge"
	config.Location = "UTC" // for DATE columns, which have no time zone
	config.SSL = at.tls
	if config.SSL {
		config.Protocol = "tcps"
	}
	if config.Wallet == nil && at.tls {
		if config.TLSConfig, err = l.options.at().tlsConfig(); err != nil {
			return nil, err
		}
	}
	config.SSLVerify = l.options.at().SSLVerify
	dialer := &dialer{}
	config.Dialer = dialer
	conn, err := ora.NewConnection("", config)
	if err != nil {
		return nil, err
	}
	if err := conn.OpenWithContext(ctx); err != nil {
		if dialer.last != nil {
			_ = dialer.last.Close() // the driver leaves it open if the server refuses the login
		}
		return nil, err
	}
	s := newSession(conn, dialer.last, l)
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// errNoPassword is the error of a login without a password, which the driver would turn into a
// login by the operating system.
var errNoPassword = errors.New("the password is empty")

// source returns the connection string for the driver. It contains the password.
func (l login) source(at address) (string, error) {
	s := l.options.at()
	q := url.Values{}
	u := url.URL{Scheme: "oracle", User: url.UserPassword(l.user, l.password), Host: ":0"}
	switch {
	case at.descriptor != "":
		q.Set("connStr", at.descriptor)
	default:
		for _, h := range at.hosts {
			q.Add("server", net.JoinHostPort(h.Host, strconv.Itoa(h.Port)))
		}
		if at.sid != "" {
			q.Set("SID", at.sid)
		}
		u.Path = "/" + at.service
	}
	wallet := s.Wallet
	if wallet == "" && at.tls && s.SSLCA == "" && s.SSLVerify {
		wallet = walletBeside(at.folder)
	}
	if wallet != "" {
		if at.service == "" {
			return "", errors.New("the driver reads a wallet only if the database is named by its service")
		}
		q.Set("wallet", wallet)
		if s.WalletPassword != "" {
			q.Set("wallet password", s.WalletPassword)
		}
		if at.descriptor != "" {
			u.Path = "/" + at.service
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// secretFiles is Options.SecretFiles.
func secretFiles(options any) []string {
	if folder := options.(settings).at().Wallet; folder != "" {
		return []string{filepath.Join(folder, "cwallet.sso"), filepath.Join(folder, "ewallet.p12")}
	}
	return nil
}

// walletBeside returns the folder of a tnsnames.ora if it also contains a wallet, as a cloud
// database's download does.
func walletBeside(folder string) string {
	if folder == "" {
		return ""
	}
	if _, err := os.Stat(filepath.Join(folder, "cwallet.sso")); err != nil {
		return ""
	}
	return folder
}

// tlsConfig returns the TLS configuration for connections without a wallet. The driver adds the
// server's name.
func (s *server) tlsConfig() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: !s.SSLVerify} //nolint:gosec // the user has chosen this
	if s.SSLCA == "" {
		return config, nil
	}
	pem, err := os.ReadFile(s.SSLCA)
	if err != nil {
		return nil, fmt.Errorf("read the certificates of option %s: %w", s.Name("ssl_ca"), err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s, of option %s, contains no certificate in PEM form", s.SSLCA, s.Name("ssl_ca"))
	}
	return config, nil
}

// explain returns an error that names the server, the options of its address, and what to do.
func explain(l login, at address, err error) error {
	cause := err
	if silent, ok := errors.AsType[*listener.SilentError](err); ok {
		cause = silent
	}
	unconnected := &database.ConnectError{
		Text:    fmt.Sprintf("connect to Oracle at %v as user %s: %s: %s", at, l.user, words(cause), advice(l, err)),
		Err:     err,
		Missing: number(err) == errUnknownSID || number(err) == errUnknownService,
		Refused: number(err) != 0,
	}
	if n := number(err); n == errWrongPassword || n == errNoPasswordGiven {
		return &database.PasswordError{Option: l.passwordOption, Called: l.options.Name(l.passwordOption), User: l.user, Err: unconnected}
	}
	return unconnected
}

// words returns the text of an error without the driver's additions to the server's text.
func words(err error) string {
	text, _, _ := strings.Cut(err.Error(), " error occur at position:")
	return database.Short(errors.New(strings.TrimSpace(text))).Error()
}

func advice(l login, err error) string {
	name := l.options.Name
	place := name(where(l.options.at()))
	switch number(err) {
	case errWrongPassword, errNoPasswordGiven:
		return fmt.Sprintf("check options %s and %s; Oracle does not tell a wrong user from a wrong password", name(l.userOption), name(l.passwordOption))
	case errAccountLocked:
		return fmt.Sprintf("unlock it with ALTER USER %s ACCOUNT UNLOCK; wrong passwords lock a user", l.user)
	case errPasswordExpired:
		return fmt.Sprintf("give it a new one with ALTER USER %s IDENTIFIED BY ..., and set %s", l.user, name(l.passwordOption))
	case errNoCreateSession:
		return fmt.Sprintf("run GRANT CREATE SESSION TO %s", l.user)
	case errUnknownSID:
		return fmt.Sprintf("check the SID in option %s, or name the database by its service", cmp.Or(sidOption(l), place))
	case errUnknownService:
		return fmt.Sprintf("check the service in option %s; lsnrctl status lists those that the listener knows", cmp.Or(serviceOption(l), place))
	case errTooManySessions, errTooManyProcesses, errSessionsPerUser, 12516, 12519, 12520:
		return "raise the server's processes and sessions, or the user's SESSIONS_PER_USER, or use fewer virtual users"
	case errAsSysdba:
		return fmt.Sprintf("set %s to another user, such as SYSTEM: SYS can log in only as SYSDBA", name(l.userOption))
	case 1033, 1034, 1089, 1090, 1109, 27101, 12528:
		return "the instance is starting, stopping or not open: start it, and wait until it is open"
	case 28860, 28864, 29024, 29106:
		return fmt.Sprintf("check the options %s and %s", name("wallet"), name("ssl_ca"))
	case 0:
	default:
		return "this is the server's own error: look up its number in Oracle's error messages"
	}
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, errNoPassword):
		return fmt.Sprintf("set option %s", name(l.passwordOption))
	case isCertificate:
		return fmt.Sprintf("check options %s and %s, or set %s to false", name("wallet"), name("ssl_ca"), name("ssl_verify"))
	}
	if l.options.at().Host != "" {
		return fmt.Sprintf("check options %s and %s, and that a listener is running there", place, name("port"))
	}
	return fmt.Sprintf("check option %s, and that a listener is running there", place)
}

func sidOption(l login) string {
	if l.options.at().Host != "" {
		return l.options.Name("sid")
	}
	return ""
}

func serviceOption(l login) string {
	if l.options.at().Host != "" {
		return l.options.Name("service")
	}
	return ""
}
