package mysql

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
)

// variables are the environment variables that the product's own client reads. Its option files
// override them, unlike PostgreSQL's (MySQL manual, section 6.2.2).
var variables = []struct{ variable, option string }{
	{"MYSQL_HOST", "host"},
	{"MYSQL_TCP_PORT", "port"},
	{"MYSQL_UNIX_PORT", "socket"},
	{"MYSQL_PWD", "password"},
}

// ClientSettings is Options.Client: the settings of the product's own client, from its
// variables and the files called my.cnf.
func (p Product) ClientSettings(from database.Surroundings, _ database.Use, given option.Values) ([]database.ClientSetting, []string, error) {
	c := client{product: p, values: map[string]database.ClientSetting{}}
	for _, v := range variables {
		if value := from.Variable(v.variable); value != "" {
			c.set(v.option, value, v.variable)
		}
	}
	r := optionReader{wanted: c.groups(from.Variable("MYSQL_GROUP_SUFFIX"))}
	for _, path := range p.optionFiles(from) {
		r.read(path, 0)
	}
	for _, o := range r.options {
		c.takeOption(o)
	}
	c.chooseSocket(given)
	c.chooseCertificate(given)

	var found []database.ClientSetting
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		s := c.values[name]
		s.Option = name
		if _, ok := given[s.Option]; ok {
			continue
		}
		if name == "password" && c.exposed != "" {
			r.warnings = append(r.warnings, fmt.Sprintf("ignored the password in %s, because others can read the file: chmod 600 %s", c.exposed, c.exposed))
			continue
		}
		found = append(found, s)
	}
	return found, r.warnings, nil
}

// optionFiles lists the files that the product's own client reads. Later files override earlier
// ones.
func (p Product) optionFiles(from database.Surroundings) []string {
	var paths []string
	if from.System != "" {
		paths = append(paths, filepath.Join(from.System, "my.cnf"), filepath.Join(from.System, "mysql", "my.cnf"))
	}
	for _, name := range p.HomeVariables {
		if folder := from.Variable(name); folder != "" {
			paths = append(paths, filepath.Join(folder, "my.cnf"))
			break
		}
	}
	if home := cmp.Or(from.Variable("HOME"), from.Variable("USERPROFILE")); home != "" {
		paths = append(paths, filepath.Join(home, ".my.cnf"))
	}
	return paths
}

// client collects client settings by the names of options. As in the product's client, the last
// setting of an option wins.
type client struct {
	product Product
	values  map[string]database.ClientSetting
	exposed string // the file that contains the password, if others can read it
}

func (c *client) groups(suffix string) []string {
	groups := slices.Clone(c.product.ClientGroups)
	if suffix != "" {
		for _, g := range c.product.ClientGroups {
			groups = append(groups, g+suffix)
		}
	}
	return groups
}

func (c *client) set(name, value, origin string) {
	c.values[name] = database.ClientSetting{Value: value, Origin: origin}
}

// takeOption converts an option of a file. It ignores the option database: a schema must not be
// built in the user's default database.
func (c *client) takeOption(o fileOption) {
	set := func(name, value string) { c.set(name, value, o.origin()) }
	switch o.name {
	case "host", "port", "user", "socket":
		if o.value != "" {
			set(o.name, o.value)
		}
	case "password":
		if !o.hasValue {
			return // the client would prompt for it
		}
		set("password", cmp.Or(o.value, null))
		c.exposed = ""
		if o.mode&0o077 != 0 {
			c.exposed = o.path
		}
	case "protocol":
		if strings.EqualFold(o.value, "tcp") {
			set("socket", null)
		}
	case "ssl-ca":
		set("ssl", "true")
		set("ssl_ca", absolute(o.value))
	case "ssl-cert":
		set("ssl_cert", absolute(o.value))
		set("ssl_two_way", "true")
	case "ssl-key":
		set("ssl_key", absolute(o.value))
	case "ssl", "enable-ssl":
		c.encrypt(!slices.Contains([]string{"0", "off", "false"}, strings.ToLower(o.value)), o)
	case "skip-ssl", "disable-ssl":
		c.encrypt(false, o)
	case "ssl-mode":
		switch strings.ToUpper(o.value) {
		case "DISABLED":
			c.encrypt(false, o)
		case "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY":
			c.encrypt(true, o)
		}
	}
}

// encrypt turns TLS on or off. Without the certificate of an authority, it turns verification of
// the server off.
func (c *client) encrypt(on bool, o fileOption) {
	if !on {
		c.set("ssl", "false", o.origin())
		return
	}
	c.set("ssl", "true", o.origin())
	if _, ok := c.values["ssl_ca"]; !ok {
		c.set("ssl_ca", null, o.origin())
	}
}

// chooseSocket drops the socket if a setting names a port or a host, because the socket may belong
// to another server. It keeps the socket if the client settings name localhost, which for the
// product's own client means the socket.
func (c *client) chooseSocket(given option.Values) {
	_, givenPort := given["port"]
	_, givenHost := given["host"]
	_, port := c.values["port"]
	host, named := c.values["host"]
	if s, ok := c.values["socket"]; !ok || s.Value == null {
		return
	}
	if givenPort || givenHost || port || named && host.Value != "localhost" {
		delete(c.values, "socket")
	}
}

// chooseCertificate turns two-way TLS off if there is no key, or no TLS.
func (c *client) chooseCertificate(given option.Values) {
	encrypted := c.values["ssl"].Value
	if text, ok := given["ssl"]; ok {
		encrypted = strings.ToLower(text)
	}
	_, key := c.values["ssl_key"]
	if !key || !slices.Contains([]string{"true", "1", "yes", "on"}, encrypted) {
		delete(c.values, "ssl_two_way")
	}
}

// absolute makes a path absolute from the current folder, as the client does. Our options would
// look for a relative path in the folder of certificates.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil && path != "" {
		return whole
	}
	return path
}

// fileOption is a line of an option file.
type fileOption struct {
	name     string // with dashes
	value    string
	hasValue bool
	path     string
	line     int
	mode     fs.FileMode // of the file
}

func (o fileOption) origin() string { return fmt.Sprintf("line %d of %s", o.line, o.path) }
