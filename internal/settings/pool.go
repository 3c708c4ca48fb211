package settings

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/engine/pool"
	"sledge/internal/hammerdb/names"
	"sledge/internal/hammerdb/pools"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/privatefile"
)

// poolSwitch is the option that turns pools on, if the path of the file is in another option.
const poolSwitch = "connect_pool"

// readPool replaces the file name of a pool in a spec by the content of the file. It returns the
// path, or "" if it has read no file. Only runs have pools.
func readPool(pair catalog.Pair, spec *job.Spec) (path string, warnings []string, err error) {
	path, asked := spec.Options[pool.Option], poolSwitch
	switch on, _ := option.ParseBool(spec.Options[poolSwitch]); { // binding refuses other values
	case spec.Action != job.Run || pool.IsPool(path):
		return "", nil, nil
	case path != "" && path != pool.None:
		asked = pool.Option
	case !on:
		return "", nil, nil
	}
	value := spec.Options[asked]
	if asked == poolSwitch {
		program, _ := os.Executable() // if that fails, the working folder is used
		path, err = pools.Find(pair.Database.Name, filepath.Dir(program))
	}
	var p pool.Pool
	if err == nil {
		p, warnings, err = readPoolFile(pair, path)
	}
	if err != nil {
		return "", nil, spec.Names.Wrong(asked, value, "%w", err)
	}
	spec.Options = spec.Options.Clone()
	spec.Options[pool.Option] = p.String()
	return path, warnings, nil
}

// readPoolFile reads a pool, with all options by their own names. Its errors quote no
// values, which may be passwords.
func readPoolFile(pair catalog.Pair, path string) (pool.Pool, []string, error) {
	text, err := option.ReadFile(path)
	if err != nil {
		return pool.Pool{}, nil, err
	}
	var p pool.Pool
	var warnings []string
	lenient := false
	switch strings.ToLower(filepath.Ext(path)) {
	case ".xml":
		lenient = true
		p, warnings, err = pools.Read(text)
	case ".toml":
		p, err = parsePool(parseTOML(string(text)))
	case ".yaml", ".yml":
		p, err = parsePool(parseYAML(string(text)))
	default:
		err = errors.New("its name must end in .xml, .toml, .yaml or .yml")
	}
	for i, c := range p.Connections {
		if err != nil {
			break
		}
		var more []string
		p.Connections[i].Options, more, err = ownNames(pair, c, filepath.Dir(path), lenient)
		warnings = append(warnings, more...)
		if err == nil && privatefile.Exposed(path) && holdsSecret(pair, c) {
			problem := fmt.Sprintf("connection %s has a password, and others can read the file: run chmod 600 %s", c.Name, path)
			if lenient { // files of another program are used as they are
				warnings = append(warnings, problem)
			} else {
				err = errors.New(problem + ", or name a file that holds the password in password_file")
			}
		}
	}
	if err == nil {
		var t pool.Table
		if t, err = p.Table(pair.Workload.KindNames()); err == nil && len(t.Unused) > 0 {
			warnings = append(warnings, fmt.Sprintf("no transaction goes to %s: no user connects there", strings.Join(t.Unused, ", ")))
		}
	}
	if err != nil {
		return pool.Pool{}, nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range warnings {
		warnings[i] = path + ": " + warnings[i]
	}
	return p, warnings, nil
}

// ownNames returns the options of a connection by their own names. Unknown options are errors,
// except in formats that have always ignored them.
func ownNames(pair catalog.Pair, c pool.Connection, folder string, lenient bool) (values option.Values, warnings []string, err error) {
	in := source{}
	given := slices.Sorted(maps.Keys(c.Options))
	for _, name := range given {
		low := strings.ToLower(name)
		if _, twice := in[low]; twice {
			return nil, nil, fmt.Errorf("connection %s: %.40q is given twice, in upper and lower case: leave out one", c.Name, low)
		}
		in[low] = entry{text: c.Options[name], folder: folder, origin: "the pool"}
	}
	values = option.Values{}
	known := source{}
	var all []string
	for _, o := range ofConnections(pair) {
		called := Called(pair, o)
		e, name, err := in.find(o, called)
		if err != nil {
			return nil, nil, fmt.Errorf("connection %s: %w", c.Name, err)
		}
		if warning := exposed(e.file); warning != "" {
			warnings = append(warnings, fmt.Sprintf("connection %s: %s", c.Name, warning))
		}
		if name != "" && (!lenient || !names.Unused(pair.Database.Name, o.Name, e.text)) {
			values[o.Name] = e.text
		}
		all = append(all, called...)
		for _, n := range called {
			known[n] = entry{}
			if o.Secret {
				known[n+secretFile] = entry{}
			}
		}
	}
	for _, o := range ofConnections(pair) {
		_, given := values[o.Name]
		if !given && slices.ContainsFunc(o.Instead, func(other string) bool { _, named := values[other]; return named }) {
			values[o.Name] = o.Default // the value of the run leads to another server
		}
	}
	if pair.Database.Options.Implied != nil && !lenient {
		implied, err := pair.Database.Options.Implied(values, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("connection %s: %w", c.Name, err)
		}
		maps.Copy(values, implied)
	}
	for _, name := range given {
		if _, is := known[strings.ToLower(name)]; is {
			continue
		}
		if !lenient {
			return nil, nil, fmt.Errorf("connection %s: %.40q is not an option of a connection%s (%s)", c.Name, name, option.Suggest(name, all), strings.Join(optionNames(pair), ", "))
		}
		warnings = append(warnings, fmt.Sprintf("connection %s: %.40q is ignored: it is not an option of a connection", c.Name, name))
	}
	return values, warnings, nil
}

// holdsSecret reports whether a connection in a file contains a password. The name of a file with a
// password does not count.
func holdsSecret(pair catalog.Pair, c pool.Connection) bool {
	for _, o := range ofConnections(pair) {
		if !o.Secret {
			continue
		}
		for _, name := range Called(pair, o) {
			for given, text := range c.Options {
				if strings.EqualFold(given, name) && meansSomething(text) {
					return true
				}
			}
		}
	}
	return false
}

// ofConnections lists the options that may differ between the connections of a pool.
func ofConnections(pair catalog.Pair) (list []option.Description) {
	for _, o := range option.Describe(pair.Database.Options.New(pair.Workload.Use)) {
		if (o.Group == option.Connection || o.Group == option.Accounts) && !o.Soon {
			list = append(list, o)
		}
	}
	return list
}

func optionNames(pair catalog.Pair) (names []string) {
	for _, o := range ofConnections(pair) {
		names = append(names, o.Name)
	}
	return names
}

// The keys of a pool file, except in XML.
const (
	poolConnections  = "connections"
	poolTransactions = "transactions"
	poolPolicy       = "policy"
)

// parsePool turns the parsed items of a file into a pool.
func parsePool(items []item, err error) (p pool.Pool, _ error) {
	if err != nil {
		return p, err
	}
	for _, i := range items {
		switch {
		case i.key == poolPolicy:
			p.Policy, err = i.policy()
		case i.key == poolConnections && i.what == isTable:
			err = i.each(func(c item) error {
				values, err := c.options()
				p.Connections = append(p.Connections, pool.Connection{Name: c.key, Options: values})
				return err
			})
		case i.key == poolTransactions && i.what == isTable:
			err = i.each(func(t item) error {
				route, err := t.route()
				p.Routes = append(p.Routes, route)
				return err
			})
		default:
			known := []string{poolConnections, poolTransactions, poolPolicy}
			err = i.wrong("%.40q is not one of the tables %s and %s, or the value %s%s", i.key, known[0], known[1], known[2], option.Suggest(i.key, known))
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// each calls do for each table in a table.
func (i item) each(do func(item) error) error {
	for _, within := range i.table {
		if within.what != isTable {
			return within.wrong("%s.%.40s is not a table: write [%s.NAME] and a line for each of its values below", i.key, within.key, i.key)
		}
		if err := do(within); err != nil {
			return err
		}
	}
	return nil
}

// options returns the values of a connection.
func (i item) options() (option.Values, error) {
	values := option.Values{}
	for _, within := range i.table {
		if within.what != isValue || within.list {
			return nil, within.wrong("%.40s of the connection %.40s must be text, a number, true or false", within.key, i.key)
		}
		values[within.key] = within.values[0]
	}
	return values, nil
}

// route returns the connections and the policy of a kind of transaction.
func (i item) route() (r pool.Route, err error) {
	r.Kind = i.key
	for _, within := range i.table {
		switch {
		case within.key == poolPolicy:
			r.Policy, err = within.policy()
		case within.key == poolConnections && within.what == isValue && len(within.values) > 0:
			for _, value := range within.values { // a list, or names in one text
				r.Connections = append(r.Connections, strings.Fields(value)...)
			}
		default:
			known := []string{poolConnections, poolPolicy}
			err = within.wrong("%.40s of the transaction %.40s is neither a list of connections nor a policy%s", within.key, i.key, option.Suggest(within.key, known))
		}
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

func (i item) policy() (pool.Policy, error) {
	if i.what != isValue || i.list {
		return "", i.wrong("%s must be text", i.key)
	}
	p, err := pool.ParsePolicy(i.values[0])
	if err != nil {
		return "", i.wrong("%w", err)
	}
	return p, nil
}
