package redis

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
)

// Options holds the server, the account, and how to build the schema.
type Options struct {
	server   `dict:"connection" group:"connection"`
	account  `group:"accounts"`
	Prefix   string `opt:"prefix" group:"schema" flag:"dbname" for:"build|run|check|delete" needs:"nothing" help:"name of the schema; the names of all its keys begin with it"`
	Routines string `opt:"routines" group:"schema" choices:"functions|scripts" for:"build" help:"form of the stored routines: functions, which the server stores and FCALL calls; scripts, Lua scripts that EVALSHA calls"`
	Pipeline int    `opt:"pipeline" group:"load" min:"1" max:"100000" unit:"commands" for:"build|delete" help:"number of commands that a load sends before it reads their answers"`
}

// account holds the account that connects.
type account struct {
	User     string `opt:"user" flag:"user" help:"user in the server's access control list (ACL); default is the server's default user"`
	Password string `opt:"password" secret:"true" help:"password of that user; null connects without a password"`
}

// server holds the options of the server's address and of the connection.
type server struct {
	option.Naming
	Host    string `opt:"host" address:"true" flag:"host" main:"true" help:"name or address of the server"`
	Port    int    `opt:"port" flag:"port" min:"1" max:"65535" help:"TCP port of the server"`
	Socket  string `opt:"socket" instead:"host|port" help:"path of the server's Unix socket, used instead of host and port; null uses TCP"`
	Number  int    `opt:"db_number" min:"0" max:"1000000" help:"number of the database that holds the keys (SELECT)"`
	SSL     bool   `opt:"ssl" help:"encrypt the connection with TLS"`
	SSLCA   string `opt:"ssl_ca" needs:"ssl" help:"PEM file of the authority that signed the server's certificate; system uses the authorities that the operating system trusts; null encrypts without verifying the server"`
	SSLCert string `opt:"ssl_cert" needs:"ssl" help:"PEM file of the client's certificate, if the server asks for one; null sends no certificate"`
	SSLKey  string `opt:"ssl_key" needs:"ssl" help:"PEM file of the key of the client's certificate"`
}

// The values for "none" and for the certificates of the operating system.
const (
	null   = "null"
	system = "system"
)

func newOptions(use database.Use) any {
	return &Options{
		server:   server{Host: "127.0.0.1", Port: 6379, Socket: null, SSLCA: system, SSLCert: null, SSLKey: null},
		account:  account{User: "default", Password: null},
		Prefix:   use.Name,
		Routines: functions,
		Pipeline: 1000,
	}
}

// The forms of routines.
const (
	functions = "functions"
	scripts   = "scripts"
)

// Validate implements option.Validator.
func (o *Options) Validate(names option.Names) error {
	switch {
	case strings.Contains(o.Host, ","):
		return names.Wrong("host", o.Host, "it names several servers: name the one that accepts writes. Cluster and Sentinel are not supported, because the keys of a transaction must be on one server")
	case o.Socket != null && o.SSL:
		return names.Wrong("socket", o.Socket, "nothing is encrypted on a Unix socket: set %s to false", names.Of("ssl"))
	case !isWord(o.Prefix):
		return names.Wrong("prefix", o.Prefix, "%q is not a word of letters, digits and _, which the names of functions require too", o.Prefix)
	case (o.SSLCert == null) != (o.SSLKey == null):
		return names.Wrong("ssl_cert", o.SSLCert, "a certificate and its key belong together: set both it and %s", names.Of("ssl_key"))
	}
	return nil
}

// isWord reports whether text can be part of a function's name.
func isWord(text string) bool {
	for _, c := range []byte(text) {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return text != ""
}

// address returns the server's address, for messages and for dialing.
func (o *Options) address() string {
	if o.Socket != null {
		return o.Socket
	}
	return net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
}

func (o *Options) network() string {
	if o.Socket != null {
		return "unix"
	}
	return "tcp"
}

// whereNames returns the names of the options of the server's address.
func (o *Options) whereNames() string {
	if o.Socket != null {
		return "option " + o.Name("socket")
	}
	return fmt.Sprintf("options %s and %s", o.Name("host"), o.Name("port"))
}

// password returns the password to connect with.
func (o *Options) password() string {
	if o.Password == null {
		return ""
	}
	return o.Password
}

// Key returns the name of a key of the schema, with colons between the parts. The .redis files call
// it.
func (o *Options) Key(parts ...string) string {
	return o.Prefix + ":" + strings.Join(parts, ":")
}

// Library returns the name of the library with the schema's functions. It contains the number of
// the database, because the databases of a server share one list of libraries.
func (o *Options) Library() string { return fmt.Sprintf("%s_%d", o.Prefix, o.Number) }

// function returns the name of a function of the schema.
func (o *Options) function(name string) string { return o.Library() + "_" + name }

// fromURL is Options.FromURL: redis://user:password@host:port/number, and rediss: for TLS. A
// path that is not a number is the schema's name.
func fromURL(u *url.URL) (option.Values, error) {
	values, name, err := database.URLOptions(u, nil)
	if err != nil {
		return nil, err
	}
	if name != "" {
		to := "db_number"
		if _, err := strconv.Atoi(name); err != nil {
			to = "prefix"
		}
		values[to] = name
	}
	if u.Scheme == "rediss" {
		values["ssl"] = "true"
	}
	return values, nil
}

// clientSettings is Options.Client. It reads the environment variables of redis-cli.
func clientSettings(from database.Surroundings, _ database.Use, given option.Values) ([]database.ClientSetting, []string, error) {
	const variable = "REDISCLI_AUTH"
	password := from.Variable(variable)
	if _, ok := given["password"]; ok || password == "" {
		return nil, nil, nil
	}
	return []database.ClientSetting{{Option: "password", Value: password, Origin: variable}}, nil, nil
}
