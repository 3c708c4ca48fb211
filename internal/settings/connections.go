package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/privatefile"
)

// Connections are connections that are saved by name, with the server's address and the account, in
// a file that only its owner may read. Passwords are saved only on request. It is safe for
// concurrent use, also by several programs.
type Connections struct {
	resolver Resolver
	path     string
}

// Connection is the address of a server with the account to use there.
type Connection struct {
	Name     string        `json:"name"`
	Database string        `json:"database"` // the database's own name
	Values   option.Values `json:"values"`   // options of the server's address and the account, by their own names
}

// mostConnections limits the file, which is read whole.
const mostConnections = 1000

// ConnectionsFile is the name of the file, which is beside the job repository.
const ConnectionsFile = "connections.json"

// ConnectionsIn returns the connections that are saved in a folder.
func (r Resolver) ConnectionsIn(folder string) *Connections {
	return &Connections{resolver: r, path: filepath.Join(folder, ConnectionsFile)}
}

// connectionName matches names of connections, which need no escaping on a command line and in a
// URL.
var connectionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// List returns all connections, sorted by name.
func (c *Connections) List() ([]Connection, error) { return c.read() }

// Get returns the connection of a name, or an error that lists the names.
func (c *Connections) Get(name string) (Connection, error) {
	list, err := c.List()
	if err != nil {
		return Connection{}, err
	}
	var names []string
	for _, one := range list {
		if one.Name == name {
			return one, nil
		}
		names = append(names, one.Name)
	}
	known := "no connection is saved"
	if len(names) > 0 {
		known = "the names are " + strings.Join(names, ", ")
	}
	return Connection{}, job.WithExit(job.ExitMissing, fmt.Errorf("there is no connection %.70q%s (%s in %s)", name, option.Suggest(name, names), known, c.path))
}

// Put saves a connection, and replaces a connection of the same name. The values may use any name
// of an option; an unknown name or an invalid value is an error. Put saves passwords only if
// keepPasswords is true. If it is false, a password among the values is an error, and Put removes a
// saved password. If it is true and the values contain no password, Put keeps the saved password;
// if guarded is also true and the server changes, Put returns an error instead.
func (c *Connections) Put(one Connection, keepPasswords, guarded bool) (Connection, error) {
	kept, err := c.checked(one, keepPasswords)
	if err != nil {
		return kept, job.WithExit(job.ExitUsage, err)
	}
	unlock, err := c.lock()
	if err != nil {
		return kept, err
	}
	defer unlock()
	list, err := c.read()
	if err != nil {
		return kept, err
	}
	at := slices.IndexFunc(list, func(o Connection) bool { return o.Name == kept.Name })
	if at < 0 && len(list) >= mostConnections {
		return kept, job.WithExit(job.ExitUsage, fmt.Errorf("%d connections are saved, which is the limit: remove one", mostConnections))
	}
	if at < 0 {
		return kept, c.write(append(list, kept))
	}
	if keepPasswords && list[at].Database == kept.Database {
		moved := guarded && !c.resolver.sameServer(list[at], kept)
		for _, name := range c.resolver.secretsOf(list[at]) {
			switch _, given := kept.Values[name]; {
			case given:
			case moved:
				return kept, job.WithExit(job.ExitUsage, fmt.Errorf("option %s: the password that is saved with %s is for another server: give the password of this server, or save none", name, kept.Name))
			default:
				kept.Values[name] = list[at].Values[name]
			}
		}
	}
	list[at] = kept
	return kept, c.write(list)
}

// Remove removes the connection of a name.
func (c *Connections) Remove(name string) error {
	if _, err := c.Get(name); err != nil {
		return err
	}
	unlock, err := c.lock()
	if err != nil {
		return err
	}
	defer unlock()
	list, err := c.read()
	if err != nil {
		return err
	}
	return c.write(slices.DeleteFunc(list, func(o Connection) bool { return o.Name == name }))
}

// checked returns a connection with valid values, ready to be saved.
func (c *Connections) checked(one Connection, keepPasswords bool) (Connection, error) {
	if !connectionName.MatchString(one.Name) {
		return one, fmt.Errorf("the name %.70q of a connection: use letters, digits, dots, hyphens and underscores, at most 64, and begin with a letter or a digit", one.Name)
	}
	d, err := c.resolver.Database(one.Database)
	if err != nil {
		return one, fmt.Errorf("db: %w", err)
	}
	one.Database = d.Name
	values := option.Values{}
	for _, name := range slices.Sorted(maps.Keys(one.Values)) {
		o, pair, ok := c.resolver.ofConnection(d.Name, name)
		switch {
		case !ok:
			return one, fmt.Errorf("%.60s is not an option of a connection to %s (%s)", name, d.Title, strings.Join(c.resolver.connectionOptions(d.Name), ", "))
		case o.Secret && !keepPasswords:
			return one, fmt.Errorf("option %s: a password is saved only on request: leave it out, or ask to save it as plain text in %s", name, c.path)
		}
		if _, twice := values[o.Name]; twice {
			return one, fmt.Errorf("option %s is given twice, by two of its names: leave out one", o.Name)
		}
		if _, err := option.Check(pair.Database.Options.New(pair.Workload.Use), o.Name, one.Values[name]); err != nil {
			value := one.Values[name]
			if o.Secret {
				value = ""
			}
			return one, option.Names{o.Name: name}.Wrong(o.Name, value, "%w", err)
		}
		folder, err := os.Getwd() // makes relative paths absolute, because the reader may be in another folder
		if err != nil {
			return one, err
		}
		values[o.Name] = option.In(folder, pair.Database.Options.New(pair.Workload.Use), o.Name, one.Values[name])
	}
	one.Values = values
	return one, nil
}

// ofConnection returns the connection option of a database with the given name, for any workload.
func (r Resolver) ofConnection(database, name string) (option.Description, catalog.Pair, bool) {
	for pair := range r.Pairs() {
		if pair.Database.Name != database {
			continue
		}
		for _, o := range ofConnections(pair) {
			if slices.Contains(Called(pair, o), name) {
				return o, pair, true
			}
		}
	}
	return option.Description{}, catalog.Pair{}, false
}

// connectionOptions lists the names of the options of a connection to a database.
func (r Resolver) connectionOptions(database string) (names []string) {
	for pair := range r.Pairs() {
		if pair.Database.Name != database {
			continue
		}
		for _, name := range optionNames(pair) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// sameServer reports whether two connections to a database have the same server.
func (r Resolver) sameServer(one, other Connection) bool {
	for _, name := range r.connectionOptions(one.Database) {
		o, _, _ := r.ofConnection(one.Database, name)
		if o.Group == option.Connection && !o.Secret && cmp.Or(one.Values[name], o.Default) != cmp.Or(other.Values[name], o.Default) {
			return false
		}
	}
	return true
}

// secretsOf returns the names of a connection's options that are secrets.
func (r Resolver) secretsOf(c Connection) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		if o, _, ok := r.ofConnection(c.Database, name); !ok || o.Secret {
			names = append(names, name)
		}
	}
	return names
}

// Public returns a connection without its passwords, and the names of the saved passwords.
func (r Resolver) Public(c Connection) (public Connection, secrets []string) {
	secrets = r.secretsOf(c)
	public = c
	public.Values = c.Values.Clone()
	for _, name := range secrets {
		delete(public.Values, name)
	}
	return public, secrets
}

// source returns the settings of a connection as a source.
func (c Connection) source() source {
	p := source{}
	origin := "connection " + c.Name
	for name, text := range c.Values {
		p[name] = entry{text: text, key: name, origin: origin}
	}
	p[keyDatabase] = entry{text: c.Database, key: keyDatabase, origin: origin}
	return p
}

// read reads the file. A missing file contains no connections.
func (c *Connections) read() ([]Connection, error) {
	text, err := os.ReadFile(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []Connection
	if err == nil && json.Unmarshal(text, &list) != nil {
		err = errors.New("it is not a list of connections: correct it, or move it away") // the decoder's error would quote the file
	}
	if err != nil {
		return nil, fmt.Errorf("connections in %s: %w", c.path, err)
	}
	slices.SortFunc(list, func(x, y Connection) int { return cmp.Compare(x.Name, y.Name) })
	return list, nil
}

// lock locks the file against changes by other processes until unlock.
func (c *Connections) lock() (unlock func(), err error) {
	if unlock, err = privatefile.Lock(c.path); err != nil {
		return nil, fmt.Errorf("save connections: %w", err)
	}
	return unlock, nil
}

// write replaces the file.
func (c *Connections) write(list []Connection) error {
	if err := privatefile.ReplaceJSON(c.path, list); err != nil {
		return fmt.Errorf("save connections: %w", err)
	}
	return nil
}
