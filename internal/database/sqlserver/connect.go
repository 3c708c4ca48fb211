package sqlserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"

	"sledge/internal/database"
	"sledge/internal/listener"
	"sledge/internal/loop"
)

// connect is Sessions.Connect. Admins and Observers connect to master, because the schema's
// database need not exist. On Azure SQL they connect to the schema's database, because a login may
// have rights only there.
func connect(ctx context.Context, options any, as database.Role) (database.Session, error) {
	l := options.(settings).common()
	if as == database.Builder {
		l.packetSize = bulkPacketSize
	}
	if !as.OwnsSchema() {
		l.maxDOP = 0
	}
	open := l.inDatabase
	if !as.OwnsSchema() && !l.Azure {
		open = l.inMaster
	}
	s, err := open(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}

const master = "master"

// bulkPacketSize is the packet size in bytes of a session that loads tables. Other sessions use the
// driver's 4096, because the server holds three packets for each session. 16383 is the server's
// limit with TLS; Babelfish needs multiples of 4.
const bulkPacketSize = 16380

// inDatabase opens a session in the schema's database.
func (l login) inDatabase(ctx context.Context) (*session, error) { return dial(ctx, l, l.Database) }

// inMaster opens a session in the server's own database. It refuses Azure SQL Database, where
// master is on another server than the schema: its counters do not count the schema's transactions,
// and creating a database there costs money.
func (l login) inMaster(ctx context.Context) (*session, error) {
	s, err := dial(ctx, l, master)
	if err != nil {
		return nil, err
	}
	t, err := s.Query(ctx, "SELECT CASE WHEN CAST(SERVERPROPERTY('EngineEdition') AS int) IN (5, 6, 11, 12) THEN 'Azure' ELSE '' END", 1)
	if err == nil && len(t.Rows) == 1 && t.Rows[0][0] == "Azure" {
		err = l.Wrong("azure", "false", "%s is Azure SQL: set it to true, and name an existing database in %s", l.at(), l.Name("dbname"))
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// dial opens a session in the given database.
func dial(ctx context.Context, l login, in string) (*session, error) {
	s := &session{bulk: l.Bulk, folder: l.folder(), maxDOP: l.maxDOP}
	s.Open()
	connector, err := l.connector(in, s)
	if err != nil {
		return nil, l.explain(in, err)
	}
	open := func(ctx context.Context) error {
		// The driver obeys the context while it dials, but not while it logs in.
		stop := context.AfterFunc(ctx, s.interruptCall)
		defer stop()
		conn, err := connector.Connect(ctx)
		if err != nil {
			if ctx.Err() != nil {
				err = errors.Join(ctx.Err(), err)
			}
			return err
		}
		s.conn = conn.(*mssql.Conn)
		return nil
	}
	if l.byBrowser() { // the address is not known in advance
		limited, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		if err := open(limited); err != nil {
			return nil, l.explain(in, err)
		}
		return s, nil
	}
	attempt := listener.Attempt{
		Network: "tcp", Address: l.at(), Limit: connectTimeout,
		Expected: func(a listener.Answer) bool { return a.What == "" },
		FromServer: func(err error) bool {
			_, isOurs := errors.AsType[*database.ConnectError](err) // an error about the token: the server has been identified
			return isOurs || number(err) != 0
		},
	}
	answer, err := attempt.Do(ctx, open)
	switch {
	case answer.What != "":
		return nil, &database.ConnectError{Text: answer.Mistake(l.at(), "SQL Server", l.Name(l.hostOption()), l.Name("port")), Err: err}
	case err != nil:
		return nil, l.explain(in, err)
	}
	return s, nil
}

// connectTimeout is a variable, because tests use a shorter one.
var connectTimeout = database.ConnectTimeout

// connector returns the driver's connector for the session.
func (l login) connector(in string, s *session) (*mssql.Connector, error) {
	config, err := l.config(in)
	if err != nil {
		return nil, err
	}
	c := mssql.NewConnectorConfig(config)
	if l.authentication() == byEntra {
		if c, err = mssql.NewSecurityTokenConnector(config, l.token); err != nil {
			return nil, err
		}
	}
	c.Dialer = dialer{s, l.machine()}
	return c, nil
}

func (s *server) machine() string {
	machine, _ := s.place()
	return machine
}

// config returns the driver's configuration.
func (l login) config(in string) (msdsn.Config, error) {
	machine, instance := l.place()
	u := url.URL{Scheme: "sqlserver", Host: machine}
	if strings.Contains(machine, ":") {
		u.Host = "[" + machine + "]"
	}
	values := url.Values{
		"database": {in}, "app name": {"sledge"}, "protocol": {"tcp"}, "disableretry": {"true"},
		"encrypt": {l.Encrypt}, "TrustServerCertificate": {strconv.FormatBool(l.TrustServer)},
	}
	if l.byBrowser() {
		u.Path = "/" + instance
	} else {
		u.Host = net.JoinHostPort(machine, strconv.Itoa(l.Port))
	}
	if l.packetSize > 0 {
		values.Set("packet size", strconv.Itoa(l.packetSize))
	}
	if l.Certificate != "" {
		values.Set("certificate", l.Certificate)
	}
	if l.CertificateHost != "" {
		values.Set("hostNameInCertificate", l.CertificateHost)
	}
	switch l.authentication() {
	case bySQL:
		u.User = url.UserPassword(l.User, l.Password)
	case byWindows:
		if strings.Contains(l.User, `\`) {
			u.User = url.UserPassword(l.User, l.Password)
			values.Set("authenticator", "ntlm")
		} else {
			values.Set("authenticator", "winsspi")
		}
	}
	u.RawQuery = values.Encode()
	return msdsn.Parse(u.String())
}

// dialer dials for the driver, and keeps the connection for interrupts.
type dialer struct {
	session *session
	machine string
}

// HostName makes the driver leave name resolution to the dialer.
func (d dialer) HostName() string { return d.machine }

// DialContext implements mssql.Dialer. The driver queries the SQL Server Browser over UDP.
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !strings.HasPrefix(network, "tcp") {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	conn, err := loop.Dial(ctx, new(net.Dialer), network, address)
	if err == nil {
		d.session.mu.Lock()
		defer d.session.mu.Unlock()
		d.session.network = conn
	}
	return conn, err
}

// explain returns an error that says in one line why a connection failed and which options to
// check.
func (l login) explain(in string, err error) error {
	if _, is := errors.AsType[*database.ConnectError](err); is {
		return err
	}
	cause := err
	var fromServer mssql.Error
	if silent, is := errors.AsType[*listener.SilentError](err); is {
		cause = silent
	} else if errors.As(err, &fromServer) {
		cause = errors.New(fromServer.Message)
	}
	text := strings.Join(strings.Fields(beginning.ReplaceAllString(database.Short(cause).Error(), "")), " ")
	if l.Password != "" {
		text = strings.ReplaceAll(text, url.QueryEscape(l.Password), "****")
	}
	unconnected := &database.ConnectError{
		Text:    fmt.Sprintf("connect to SQL Server, database %s on %s, as %s: %s: %s", in, l.at(), l.account(), text, l.advice(err)),
		Err:     err,
		Missing: lacksDatabase(err),
		Refused: number(err) != 0,
	}
	if number(err) == errLoginFailed && l.authentication() != byEntra {
		return &database.PasswordError{Option: "password", Called: l.Name("password"), User: l.User, Err: unconnected}
	}
	return unconnected
}

// beginning matches the beginnings of the driver's errors that repeat the message.
var beginning = regexp.MustCompile(`^(mssql: )?(login error: )?(unable to open tcp connection with host '[^']*': )?`)

// account describes the account that logs in.
func (l login) account() string {
	switch {
	case l.authentication() == byEntra:
		return "the owner of a token"
	case l.authentication() == byWindows && !strings.Contains(l.User, `\`):
		return "the user of this program"
	}
	return "user " + l.User
}

// advice returns what to do about a failed connection.
func (l login) advice(err error) string {
	name := l.Name
	var isAuthority x509.UnknownAuthorityError
	var isHost x509.HostnameError
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	text := err.Error() // the driver keeps only the text of a TLS error
	switch n := number(err); {
	case lacksDatabase(err):
		return fmt.Sprintf("check option %s, create the database with sledge build, or let the login use it", name("dbname"))
	case n == errLoginFailed && l.authentication() == byEntra:
		return "the database must have a user for the token's identity, and the token must be for https://database.windows.net/ and not have expired: most tokens expire within an hour"
	case n == errLoginLocked:
		return "unlock the login, or wait until the server does"
	case n == errLoginFailed, n == errLoginDisabled, n == errPasswordExpired, n == errPasswordMustChange:
		return fmt.Sprintf("check options %s and %s, and that the server accepts SQL logins besides Windows accounts", name("user"), name("password"))
	case n == errLoginUntrusted:
		return fmt.Sprintf("check options %s and %s: the server does not know the account's domain", name(l.authenticationOption()), name("user"))
	case n == errFirewall, n == errVirtualNetwork, n == errPublicNetwork:
		return "allow this machine's address, or its network, in the firewall of the Azure SQL server"
	case n == errDatabaseUnavailable:
		return "the database is being moved or resumed: try again in a minute"
	case n != 0:
		return "this is the server's own message: check its log"
	case errors.As(err, &isAuthority), errors.As(err, &isHost), isCertificate, strings.Contains(text, "x509:"), strings.Contains(text, "certificate"):
		advice := fmt.Sprintf("check options %s and %s", name("ssl_ca"), name("certificate_host"))
		if l.Encrypt != strict {
			advice += ", or set " + name("trust_server_cert") + " to true"
		}
		return advice
	case strings.Contains(text, "TLS Handshake"), strings.Contains(text, "support encryption"):
		return fmt.Sprintf("check option %s", name("encrypt"))
	case l.byBrowser():
		return fmt.Sprintf("check option %s, and that the SQL Server Browser runs there and UDP port 1434 is open; or name the port in %s and set %s",
			name(l.hostOption()), name("port"), name("tcp"))
	}
	return fmt.Sprintf("check options %s and %s, and that the server accepts TCP connections there", name(l.hostOption()), name("port"))
}

// lastWords is the time limit for sending the end of a session.
const lastWords = 2 * time.Second
