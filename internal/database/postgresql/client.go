package postgresql

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/jackc/pgpassfile"
	"github.com/jackc/pgservicefile"

	"sledge/internal/database"
	"sledge/internal/option"
)

// variables maps libpq's variables, and the parameters of its service files, to our options. PGUSER
// and PGDATABASE set the superuser's login, not the schema's owner and database, because a user of
// psql sets them to an account and a database that exist. (PostgreSQL manual, sections 34.15 and
// 34.17.)
var variables = []struct{ variable, parameter, option string }{
	{"PGHOSTADDR", "hostaddr", "host"}, // libpq prefers this address to the host name
	{"PGHOST", "host", "host"},
	{"PGPORT", "port", "port"},
	{"PGSSLMODE", "sslmode", "ssl_mode"},
	{"PGSSLROOTCERT", "sslrootcert", "ssl_ca"},
	{"PGSSLCERT", "sslcert", "ssl_cert"},
	{"PGSSLKEY", "sslkey", "ssl_key"},
	{"PGUSER", "user", "superuser"},
	{"PGDATABASE", "dbname", "superuser_dbname"},
	{"PGPASSWORD", "password", ""},
}

// client collects client settings.
type client struct {
	database.Surroundings
	given    option.Values
	defaults option.Values
	found    []database.ClientSetting
	warnings []string
}

// clientSettings is Options.Client. It reads the settings that libpq reads.
func clientSettings(from database.Surroundings, use database.Use, given option.Values) ([]database.ClientSetting, []string, error) {
	c := client{Surroundings: from, given: given, defaults: option.Values{}}
	for _, o := range option.Describe(newOptions(use)) {
		c.defaults[o.Name] = o.Default
	}
	said, err := c.said()
	if err != nil {
		return nil, nil, err
	}
	for _, v := range variables {
		value, ok := said[v.parameter]
		switch {
		case !ok || v.option == "":
			continue
		case v.option == "superuser" && value.Value == c.value("user"):
			continue // PGUSER is the schema's owner, not the superuser
		case v.option == "superuser_dbname" && value.Value == c.value("dbname"):
			continue // the schema's database may not exist yet, and cannot be dropped over a connection to it
		}
		c.take(v.option, value)
	}
	c.password(said)
	c.passwordFile(said["host"].Value)
	return c.found, c.warnings, nil
}

// said returns the parameters by libpq's names: those of the service that PGSERVICE names, and
// otherwise those of the environment.
func (c *client) said() (map[string]database.ClientSetting, error) {
	said := map[string]database.ClientSetting{}
	service, file, origin, err := c.service()
	if err != nil {
		return nil, err
	}
	for _, v := range variables {
		if v.parameter == "hostaddr" && service["hostaddr"] == "" && service["host"] != "" {
			continue // the service names another server than PGHOSTADDR
		}
		if value := service[v.parameter]; value != "" && v.parameter == "password" && othersRead(file) {
			c.warnings = append(c.warnings, fmt.Sprintf("ignored the password in %s, because others can read the file: chmod 600 %s", file, file))
		} else if value != "" {
			said[v.parameter] = database.ClientSetting{Value: value, Origin: origin}
		} else if value := c.Variable(v.variable); value != "" {
			said[v.parameter] = database.ClientSetting{Value: value, Origin: v.variable}
		}
	}
	return said, nil
}

// service reads the parameters of the service that PGSERVICE names.
func (c *client) service() (parameters map[string]string, path, origin string, err error) {
	name := c.Variable("PGSERVICE")
	if name == "" {
		return nil, "", "", nil
	}
	path = c.Variable("PGSERVICEFILE")
	if path == "" {
		path = c.inHome(".pg_service.conf", ".pg_service.conf")
	}
	file, err := pgservicefile.ReadServicefile(path)
	if err != nil {
		return nil, "", "", fmt.Errorf("PGSERVICE is set, but the service file cannot be read: %w", err)
	}
	service, err := file.GetService(name)
	if err != nil {
		return nil, "", "", fmt.Errorf("PGSERVICE names the service %q, which is not in %s: correct or unset it", name, path)
	}
	return service.Settings, path, fmt.Sprintf("service %s of %s", name, path), nil
}

// othersRead reports whether users other than the owner can read a file.
func othersRead(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// inHome returns the path of one of libpq's files, which has another folder and name on Windows.
func (c *client) inHome(name, onWindows string) string {
	folder := c.Variable("HOME")
	if runtime.GOOS == "windows" {
		folder, name = c.Variable("APPDATA"), filepath.Join("postgresql", onWindows)
	}
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, name)
}

// value returns the value of an option: given, found, or the default.
func (c *client) value(name string) string {
	if value, ok := c.given[name]; ok {
		return value
	}
	for _, f := range c.found {
		if f.Option == name && !f.Fallback {
			return f.Value
		}
	}
	return c.defaults[name]
}

// isSet reports whether any source has set an option.
func (c *client) isSet(name string) bool {
	if _, ok := c.given[name]; ok {
		return true
	}
	for _, f := range c.found {
		if f.Option == name && !f.Fallback {
			return true
		}
	}
	return false
}

// take uses a setting unless the option is already set.
func (c *client) take(name string, s database.ClientSetting) {
	if !c.isSet(name) {
		s.Option = name
		c.found = append(c.found, s)
	}
}

// password uses PGPASSWORD as the password of PGUSER, or of the superuser if PGUSER is not set. The
// schema's owner does not get it, because a build would then create the owner with an
// administrator's password. For the owner it is only a fallback, in case the server refuses the
// default password.
func (c *client) password(said map[string]database.ClientSetting) {
	password, ok := said["password"]
	if !ok {
		return
	}
	user, named := said["user"]
	owner := c.value("user")
	if named && user.Value == owner || c.value("superuser") == owner || c.alone() {
		c.take("password", password)
	}
	if !named || user.Value == c.value("superuser") {
		c.take("superuser_password", password)
	}
	if !named && !c.isSet("password") {
		password.Option, password.Fallback = "password", true
		c.found = append(c.found, password)
	}
}

// alone reports whether no_superuser is set.
func (c *client) alone() bool {
	return slices.Contains([]string{"true", "1", "yes", "on"}, strings.ToLower(c.value("no_superuser")))
}

// passwordFile looks up missing passwords in libpq's password file. Like libpq, it ignores a file
// that other users can read (PostgreSQL manual, section 34.16). called is the host name in the
// client settings, or "".
func (c *client) passwordFile(called string) {
	if c.isSet("password") && c.isSet("superuser_password") {
		return
	}
	path := c.Variable("PGPASSFILE")
	if path == "" {
		path = c.inHome(".pgpass", "pgpass.conf")
	}
	info, err := os.Stat(path)
	switch {
	case path == "", errors.Is(err, fs.ErrNotExist):
		return
	case err == nil && !info.Mode().IsRegular():
		return // such as /dev/null
	case othersRead(path):
		c.warnings = append(c.warnings, fmt.Sprintf("ignored the password file %s, because others can read it: chmod 600 %s", path, path))
		return
	}
	file, err := pgpassfile.ReadPassfile(path)
	if err != nil {
		c.warnings = append(c.warnings, fmt.Sprintf("ignored the password file: %v", err))
		return
	}
	host := c.value("host")
	if _, given := c.given["host"]; !given && called != "" {
		host = called // libpq looks up the name, even if PGHOSTADDR gives the address
	}
	if filepath.IsAbs(host) {
		host = "localhost" // libpq's name for all sockets
	}
	for _, account := range []struct{ password, user, database string }{
		{"password", "user", "dbname"},
		{"superuser_password", "superuser", "superuser_dbname"},
	} {
		password := file.FindPassword(host, c.value("port"), c.value(account.database), c.value(account.user))
		if password != "" {
			c.take(account.password, database.ClientSetting{Value: password, Origin: path})
		}
	}
}
