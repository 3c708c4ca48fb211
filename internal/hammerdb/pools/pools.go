// Package pools reads HammerDB's XML files of connection pools.
package pools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sledge/internal/engine/pool"
	"sledge/internal/hammerdb/names"
	"sledge/internal/hammerdb/xmlfile"
	"sledge/internal/option"
)

// Find returns the path of the file for a database. Like HammerDB, it searches config/connectpool
// in the folder above the program's, in the program's folder, and in the working folder.
func Find(database, program string) (string, error) {
	name := names.Of(database).Prefix + "cpool.xml"
	folder, looked := "", []string{}
	for _, above := range []string{filepath.Join(program, ".."), program, "."} {
		f := filepath.Join(above, "config", "connectpool")
		looked = append(looked, f)
		info, err := os.Stat(f)
		if err != nil || !info.IsDir() {
			continue
		}
		folder = f
		if path := filepath.Join(f, name); isThere(path) {
			return path, nil
		}
	}
	if folder == "" {
		return "", fmt.Errorf("Cluster Connect Pool specified but cannot find connectpool directory or XML files: there is none of %s", //nolint:staticcheck // HammerDB's line
			strings.Join(looked, ", "))
	}
	return "", fmt.Errorf("Cluster Connect Pool specified but file %s does not exist", filepath.Join(folder, name)) //nolint:staticcheck // HammerDB's line
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Read parses a file. In the result, options have HammerDB's keys, and transactions HammerDB's
// names. The warnings are about mistakes that HammerDB ignores silently.
func Read(text []byte) (p pool.Pool, warnings []string, err error) {
	root, err := xmlfile.Read(text)
	if err != nil {
		return p, nil, err
	}
	connections, has := root.Find("connections")
	if root.Name != "connpool" || !has {
		return p, nil, errors.New("it is not HammerDB's file of a connect pool, which has connections within connpool")
	}
	for _, c := range connections.Elements {
		values := option.Values{}
		for _, e := range c.Elements {
			if strings.HasSuffix(e.Name, "_ssl_options") {
				if err := sslOptions(strings.TrimSuffix(e.Name, "ssl_options"), e, values); err != nil {
					return p, nil, err
				}
				continue
			}
			if e.Name == "mariadb.socket" { // as in HammerDB's own file for MariaDB
				e.Name = "maria_socket"
			}
			values[e.Name] = e.Text
		}
		p.Connections = append(p.Connections, pool.Connection{Name: c.Name, Options: values})
	}
	transactions, has := root.Find("sprocs")
	if !has {
		return p, nil, errors.New("it does not say which transactions go to which connections: there is no sprocs in it")
	}
	for _, e := range transactions.Elements {
		route, warning, err := readRoute(e)
		if err != nil {
			return p, nil, err
		}
		p.Routes = append(p.Routes, route)
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}
	return p, warnings, nil
}

func readRoute(e xmlfile.Element) (r pool.Route, warning string, err error) {
	list, _ := e.Find("connections")
	policy, _ := e.Find("policy")
	r = pool.Route{Kind: e.Name, Connections: strings.Fields(list.Text)}
	if len(r.Connections) == 0 {
		return r, "", fmt.Errorf("line %d: %s has no connections", e.Line, e.Name)
	}
	if r.Policy, err = pool.ParsePolicy(policy.Text); err != nil {
		r.Policy = pool.First
		warning = fmt.Sprintf("line %d: %s: %v; taken as first_named, as HammerDB does", max(policy.Line, e.Line), e.Name, err)
	}
	return r, warning, nil
}

// sslOptions parses the options that HammerDB passes to its client library: "-ssl true -sslca x".
func sslOptions(prefix string, e xmlfile.Element, values option.Values) error {
	words := strings.Fields(e.Text)
	for len(words) > 0 {
		key := sslKeys[strings.TrimLeft(words[0], "-")]
		if key == "" || len(words) == 1 {
			return fmt.Errorf("line %d: %s is not a list such as -ssl false, of -ssl, -sslca, -sslcert, -sslkey, -sslcapath and -sslcipher, each with a value", e.Line, e.Name)
		}
		values[prefix+key] = words[1]
		words = words[2:]
	}
	return nil
}

var sslKeys = map[string]string{
	"ssl": "ssl", "sslca": "ssl_ca", "sslcert": "ssl_cert", "sslkey": "ssl_key",
	"sslcapath": "ssl_linux_capath", "sslcipher": "ssl_cipher",
}
