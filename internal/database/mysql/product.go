package mysql

import (
	"cmp"
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/listener"
	"sledge/internal/loop"
	"sledge/internal/option"
	"sledge/internal/sqlschema"
)

// Product describes MySQL or a variant of it. Its methods are members of a database.Database; their
// parameter options is Options, or a struct that embeds Options.
type Product struct {
	Title    string
	Password string // default password of the user root, as in the console

	HistoryKeySince string // the first version that has invisible columns

	// ClientGroups are the groups in my.cnf that the product's own client reads. HomeVariables are
	// environment variables with the folder of a further my.cnf; the first one that is set is used.
	ClientGroups  []string
	HomeVariables []string
}

type settings interface{ common() *Options }

// FromURL is Options.FromURL. A URL contains the address of a server, so the socket is used only
// if the URL names one.
func (p Product) FromURL(u *url.URL) (option.Values, error) {
	values, name, err := database.URLOptions(u, nil)
	if err != nil {
		return nil, err
	}
	if name != "" {
		values["dbname"] = name
	}
	if password, given := values["password"]; given && password == "" {
		values["password"] = null
	}
	values["socket"] = cmp.Or(values["socket"], null)
	return values, nil
}

// Target is Options.Target.
func (p Product) Target(options any) string {
	o := options.(settings).common()
	var all []string
	for _, one := range o.each() {
		_, address := one.address()
		all = append(all, address)
	}
	return fmt.Sprintf("%s on %s", o.Database, strings.Join(all, ", "))
}

// address returns the network and the address for dialing the server.
func (o *Options) address() (network, address string) {
	local := o.Host == "127.0.0.1" || o.Host == "localhost"
	if local && o.Socket != null && runtime.GOOS != "windows" {
		return "unix", o.Socket
	}
	return "tcp", net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
}

// Create is Container.Create. The database uses latin1, in which an index on c_last takes a third of
// its size in utf8mb4.
func (p Product) Create(ctx context.Context, options any, tell func(job.Event)) error {
	o := options.(settings).common()
	name := o.Database
	if isServersOwn(name) {
		return o.Wrong("dbname", name, "%q is the server's own, %w: choose another database", name, database.ErrUnfit)
	}
	return p.administer(ctx, options, func(s database.Session) error {
		if err := p.checkHistoryKey(ctx, options, s, tell); err != nil {
			return err
		}
		if found, err := exists(ctx, s, name); err != nil || found {
			return err
		}
		err := s.Exec(ctx, "CREATE DATABASE "+identifier(name)+" CHARACTER SET latin1 COLLATE latin1_swedish_ci")
		switch {
		case number(err) == errDatabaseExists: // another build created it meanwhile, and records it
			return nil
		case err != nil:
			return err
		}
		return sqlschema.RecordCreation(ctx, s, identifier(name)+".", name)
	})
}

// exists reports whether the database exists.
func exists(ctx context.Context, s database.Session, name string) (bool, error) {
	found, err := s.Query(ctx, "SELECT 1 FROM information_schema.schemata WHERE schema_name = "+string(appendText(nil, name)), 1)
	return len(found.Rows) > 0, err
}

// isServersOwn reports whether a database of this name belongs to the server.
func isServersOwn(name string) bool {
	return slices.Contains([]string{"mysql", "information_schema", "performance_schema", "sys", "ndbinfo"}, strings.ToLower(name))
}

// checkHistoryKey emits an event if the server is too old for the requested key of history. It
// refuses a server that requires primary keys if history would have none. Like schema.sql, it tests
// the version by comments that only newer servers execute.
func (p Product) checkHistoryKey(ctx context.Context, options any, s database.Session, tell func(job.Event)) error {
	o, hasHistory := options.(interface{ HistoryKeyFits() bool })
	if !hasHistory {
		return nil
	}
	answer, err := s.Query(ctx, "SELECT 0 /*!80030 + 1 */ /*M!100303 + 1 */", 1)
	if err != nil {
		return err
	}
	young := answer.Rows[0][0] == "1"
	switch {
	case o.HistoryKeyFits() && young:
		return nil
	case o.HistoryKeyFits():
		tell(job.Event{Step: &job.Step{Name: job.StepHistoryKey, Stage: job.LeftOut, Of: p.Title, Needs: p.HistoryKeySince}})
	}
	wants, err := s.Query(ctx, "SHOW VARIABLES WHERE value = 'ON' AND variable_name IN ('sql_require_primary_key', 'innodb_force_primary_key', 'sql_generate_invisible_primary_key')", 0)
	if err != nil || len(wants.Rows) == 0 || slices.ContainsFunc(wants.Rows, func(row []string) bool { return row[0] == "sql_generate_invisible_primary_key" }) {
		return err
	}
	common, advice := options.(settings).common(), "turn that off for the build"
	if young {
		advice += ", or set this option to true"
	}
	return common.Wrong("history_pk", strconv.FormatBool(common.HistoryKey), "the server's %s is ON, and the table history would have no primary key, %w: %s", wants.Rows[0][0], database.ErrUnfit, advice)
}

// Drop is Container.Drop. There is no account to drop, because Create creates none.
func (p Product) Drop(ctx context.Context, options any, d database.DropOptions) ([]database.DropResult, error) {
	name := options.(settings).common().Database
	fate := database.DropResult{Kind: "database", Name: name}
	switch {
	case len(d.Others) > 0 && d.Leftover:
		return nil, nil
	case isServersOwn(name):
		fate.Stays = "it is the server's own"
	case len(d.Others) > 0:
		fate.Stays = database.AlsoHolds(d.Others)
	}
	if fate.Stays != "" {
		return []database.DropResult{fate}, nil
	}
	var unknown bool
	err := p.administer(ctx, options, func(s database.Session) error {
		return repeated(ctx, func() (err error) {
			unknown, fate.Stays, err = dropDatabase(ctx, s, name, d)
			return err
		})
	})
	if unknown {
		return nil, err
	}
	return []database.DropResult{fate}, err
}

// dropDatabase drops the database, or returns the reason to keep it. unknown means that there is
// nothing to report: the database does not exist, or it held no schema and nothing shows that a
// build created it.
func dropDatabase(ctx context.Context, s database.Session, name string, d database.DropOptions) (unknown bool, stays string, err error) {
	created, err := wasCreated(ctx, s, name)
	if err != nil {
		return false, "", err
	}
	if !d.Drops(created) {
		found, err := exists(ctx, s, name)
		return !found || d.Leftover, database.NotCreated("DROP DATABASE " + identifier(name)), err
	}
	if stays, err = hidden(ctx, s, name); err != nil || stays != "" || d.Dry {
		return false, stays, err
	}
	claimed, err := claim(ctx, s, name)
	if err != nil {
		return false, "", err
	}
	found, err := exists(ctx, s, name)
	if err != nil || !found { // if it does not exist, another deletion has dropped it
		return true, "", err
	}
	built, err := hasTables(ctx, s, name)
	if err != nil {
		return false, "", err
	}
	if !claimed || built {
		return false, "another job works in it", nil
	}
	err = s.Exec(ctx, "DROP DATABASE IF EXISTS "+identifier(name))
	if number(err) == errDatabaseAccessDenied {
		return false, "the user may not drop it", nil
	}
	return false, "", err
}

// claim claims the database like a build (build.sql), so that no other build begins in it until the
// session ends. It reports false if another job has the claim. The server releases a claim
// shortly after its session has closed, so claim waits for that.
func claim(ctx context.Context, s database.Session, name string) (bool, error) {
	t, err := s.Query(ctx, "SELECT GET_LOCK(CONCAT('sledge.build.', MD5("+string(appendText(nil, name))+")), 3)", 1)
	return err == nil && t.Rows[0][0] == "1", err
}

// hasTables reports whether the database has a table other than sqlschema.CreationTable.
func hasTables(ctx context.Context, s database.Session, name string) (bool, error) {
	t, err := s.Query(ctx, "SELECT 1 FROM information_schema.tables WHERE table_schema = "+string(appendText(nil, name))+
		" AND table_name <> '"+sqlschema.CreationTable+"' LIMIT 1", 1)
	return len(t.Rows) > 0, err
}

// repeated calls do, and repeats it if it fails because another deletion drops the same database.
// do must check whether the database still exists.
func repeated(ctx context.Context, do func() error) error {
	const tries, pause = 20, 50 * time.Millisecond
	for try := 1; ; try++ {
		err := do()
		switch number(err) {
		case errDeadlock, errNoSuchTable, errUnknownDatabase:
		default:
			return err
		}
		if try == tries {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// wasCreated reports whether a build created the database.
func wasCreated(ctx context.Context, s database.Session, name string) (bool, error) {
	exists := "SELECT 1 FROM information_schema.tables WHERE table_schema = " + string(appendText(nil, name)) + " AND table_name = '" + sqlschema.CreationTable + "'"
	return sqlschema.WasCreated(ctx, s, identifier(name)+".", exists, name)
}

// hidden names the rights that the user lacks to see everything in a database, or returns "". A
// server shows routines, events and triggers only to users with these rights, but DROP DATABASE
// drops them for any user.
func hidden(ctx context.Context, s database.Session, name string) (string, error) {
	lacking, err := lacks(ctx, s, name, "EVENT", "EXECUTE", "TRIGGER")
	if err != nil || len(lacking) == 0 {
		return "", err
	}
	return fmt.Sprintf("the user lacks the rights %s, so it may contain objects that the user cannot see", strings.Join(lacking, ", ")), nil
}

// Lacking is Container.Lacking. It ignores rights that come from a role.
func (Product) Lacking(ctx context.Context, options any, s database.Session) ([]string, error) {
	return lacks(ctx, s, schemaName(options), "CREATE", "DROP", "INSERT", "SELECT", "UPDATE", "DELETE", "CREATE ROUTINE")
}

// lacks lists the given rights that the user lacks on a database.
func lacks(ctx context.Context, s database.Session, name string, rights ...string) (lacking []string, err error) {
	granted, err := s.Query(ctx, `SELECT DISTINCT privilege_type FROM (
			SELECT grantee, privilege_type FROM information_schema.user_privileges
			UNION ALL SELECT grantee, privilege_type FROM information_schema.schema_privileges WHERE `+string(appendText(nil, name))+` LIKE table_schema
		) AS granted WHERE grantee = CONCAT(CHAR(39), SUBSTRING_INDEX(CURRENT_USER(), '@', CHAR_LENGTH(CURRENT_USER()) - CHAR_LENGTH(REPLACE(CURRENT_USER(), '@', ''))),
			CHAR(39), '@', CHAR(39), SUBSTRING_INDEX(CURRENT_USER(), '@', -1), CHAR(39))`, 0)
	if err != nil {
		return nil, err
	}
	for _, right := range rights {
		if !slices.ContainsFunc(granted.Rows, func(row []string) bool { return row[0] == right }) {
			lacking = append(lacking, right)
		}
	}
	return lacking, nil
}

// SchemaName is Options.SchemaName. A schema is its own database and has no owner.
func SchemaName(options any) database.SchemaName {
	return database.SchemaName{Name: schemaName(options)}
}

func schemaName(options any) string { return options.(settings).common().Database }

func (p Product) administer(ctx context.Context, options any, do func(database.Session) error) error {
	s, err := p.Connect(ctx, options, database.Admin)
	if err != nil {
		return err
	}
	if err := do(s); err != nil {
		if o := options.(settings).common(); !errors.Is(err, database.ErrUnfit) {
			err = fmt.Errorf("create or drop the database %s of option %s: %w", o.Database, o.Name("dbname"), err)
		}
		return errors.Join(err, s.Close())
	}
	return s.Close()
}

func identifier(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Connect is Sessions.Connect. Sessions of Admin and Observer use no database.
func (p Product) Connect(ctx context.Context, options any, as database.Role) (database.Session, error) {
	return database.ConnectFirst(options.(settings).common().each(), func(o *Options) (database.Session, error) {
		return p.connect(ctx, o, as)
	})
}

func (p Product) connect(ctx context.Context, o *Options, as database.Role) (database.Session, error) {
	s := &session{prepareCalls: o.Prepared, writes: o.oneOf}
	c := mysql.NewConfig()
	c.Net, c.Addr = o.address()
	c.User, c.Passwd = o.User, o.password()
	if as.OwnsSchema() {
		c.DBName = o.Database
	}
	c.MultiStatements = true
	c.ClientFoundRows = true // an update counts if it found its row, even if it changed nothing, as in other databases
	c.Logger = &mysql.NopLogger{}
	if o.SSL {
		var err error
		if c.TLS, err = o.tlsConfig(); err != nil {
			return nil, err
		}
	}
	var err error
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return &database.Bounded{Conn: conn}, err // it has no effect with TLS, which the driver puts above it
	}
	if s.another, err = mysql.NewConnector(c); err != nil {
		return nil, p.explain(o, err)
	}
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := loop.Dial(ctx, new(net.Dialer), network, address)
		s.network = &database.Bounded{Conn: conn}
		return s.network, err
	}
	if s.connector, err = mysql.NewConnector(c); err != nil {
		return nil, p.explain(o, err)
	}
	connecting := listener.Attempt{
		Network: c.Net, Address: c.Addr, Limit: connectTimeout,
		Expected:   func(a listener.Answer) bool { return a.Choose == listener.MySQL || a.Choose == listener.MariaDB },
		FromServer: func(err error) bool { return number(err) != 0 },
	}
	answer, err := connecting.Do(ctx, s.open)
	switch {
	case answer.What != "":
		_, address := o.address()
		return nil, &database.ConnectError{Text: answer.Mistake(address, p.Title, o.Name("host"), o.Name("port")), Err: err}
	case err != nil:
		return nil, p.explain(o, err)
	}
	return s, nil
}

// connectTimeout is a variable, because tests use a shorter one.
var connectTimeout = database.ConnectTimeout

// open connects and makes the session ready.
func (s *session) open(ctx context.Context) error {
	conn, err := s.connector.Connect(ctx)
	if err != nil {
		return s.cause(err)
	}
	s.conn = conn.(connection)
	if err := s.begin(ctx); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// connection is the interface of the driver's connections. Sledge uses them without database/sql,
// whose pool would cost as much time as the driver itself.
type connection interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.QueryerContext
	driver.ExecerContext
}

// explain returns an error that names the server, the options to check, and what to do.
func (p Product) explain(o *Options, err error) error {
	_, address := o.address()
	cause := err
	if silent, ok := errors.AsType[*listener.SilentError](err); ok {
		cause = silent
	}
	unconnected := &database.ConnectError{
		Text:    fmt.Sprintf("connect to %s at %s as user %s: %v: %s", p.Title, address, o.User, short(cause), p.advice(o, err)),
		Err:     err,
		Missing: number(err) == errUnknownDatabase,
		Refused: number(err) != 0,
	}
	if number(err) == errAccessDenied {
		return &database.PasswordError{Option: "password", Called: o.Name("password"), User: o.User, Err: unconnected}
	}
	return unconnected
}

func (p Product) advice(o *Options, err error) string {
	name := o.Name
	if errors.Is(err, errReadOnly) {
		return fmt.Sprintf("name a server that accepts writes in option %s", name("host"))
	}
	switch number(err) {
	case errAccessDenied, errAccessDeniedNoPassword:
		advice := fmt.Sprintf("check options %s and %s", name("user"), name("password"))
		if !o.SSL { // the server's error is the same for an account with REQUIRE SSL
			advice += fmt.Sprintf(", and set %s if the user needs TLS", name("ssl"))
		}
		return advice
	case errDatabaseAccessDenied:
		return fmt.Sprintf("grant the user of option %s rights on the database of option %s", name("user"), name("dbname"))
	case errUnknownDatabase:
		return fmt.Sprintf("check option %s, or create the database with sledge build", name("dbname"))
	case errTooManyConnections:
		return "raise the server's max_connections, or use fewer virtual users"
	case errUserConnections, errUserLimit:
		return fmt.Sprintf("raise this limit for the user of option %s, or use fewer virtual users", name("user"))
	case errPasswordExpired, errMustChangePassword:
		return fmt.Sprintf("set a new password with ALTER USER ... IDENTIFIED BY in the server's own client, then set option %s", name("password"))
	case errAccountLocked:
		return "unlock it with ALTER USER ... ACCOUNT UNLOCK, or choose another user in option " + name("user")
	case errSecureTransport:
		return fmt.Sprintf("set option %s", name("ssl"))
	case 0:
	default:
		return "this is the server's own message: check its log"
	}
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, mysql.ErrNoTLS):
		return fmt.Sprintf("set option %s to false, or give the server a certificate", name("ssl"))
	case isCertificate:
		return fmt.Sprintf("check option %s, and that the server's certificate is for the host in option %s", name("ssl_ca"), name("host"))
	case hasNoCommonSuite(err):
		return fmt.Sprintf("the server accepts none of the cipher suites: an old server may accept AES128-GCM-SHA256 in option %s", name("ssl_cipher"))
	case o.SSL:
		return fmt.Sprintf("check options %s and %s, that the server is running there, and the %s options", name("host"), name("port"), name("ssl"))
	}
	if network, _ := o.address(); network == "unix" {
		return fmt.Sprintf("check option %s, and that the server is running there; null in that option uses options %s and %s", name("socket"), name("host"), name("port"))
	}
	return fmt.Sprintf("check options %s and %s, and that the server is running there", name("host"), name("port"))
}
