// Package pool defines the connections of a virtual user, and chooses the one that serves each
// transaction. It does not know databases and opens no connection.
package pool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sledge/internal/option"
)

// Option is the name of the option that holds a pool or the name of a pool's file.
const Option = "pool_file"

// File is the value of that option: the name of a file, a pool, or None.
type File string

// In implements option.Placed.
func (File) In(folder, text string) string {
	if text == None || IsPool(text) || filepath.IsAbs(text) {
		return text
	}
	return filepath.Join(folder, text)
}

var _ option.Placed = File("")

// None is the value of that option without a pool.
const None = "none"

// Pool is a list of connections and the rules by which they serve each kind of transaction.
type Pool struct {
	Connections []Connection `json:"connections"`
	Routes      []Route      `json:"transactions,omitempty"`

	// Policy is the policy of kinds without a route. They may use all connections.
	Policy Policy `json:"policy,omitempty"`
}

// Connection holds the options of a connection that differ from those of a run without a pool.
type Connection struct {
	Name    string        `json:"name"`
	Options option.Values `json:"options"`
}

// Route lists the connections of a kind of transaction.
type Route struct {
	Kind        string   `json:"kind"`
	Connections []string `json:"connections,omitempty"` // by name; an empty list means all
	Policy      Policy   `json:"policy,omitempty"`
}

// Policy is the rule for choosing one of several connections.
type Policy string

// The policies. RoundRobin is the default.
const (
	First      Policy = "first"
	Last       Policy = "last"
	Random     Policy = "random"
	RoundRobin Policy = "round_robin"
)

// policies lists the names of each policy. The first is its main name.
var policies = []struct {
	is     Policy
	called []string
}{
	{First, []string{"first", "first_named"}},
	{Last, []string{"last", "last_named"}},
	{Random, []string{"random"}},
	{RoundRobin, []string{"round_robin", "round-robin"}},
}

// ParsePolicy returns the policy with the given name.
func ParsePolicy(name string) (Policy, error) {
	var own []string
	for _, p := range policies {
		if slices.Contains(p.called, name) {
			return p.is, nil
		}
		own = append(own, p.called[0])
	}
	return "", fmt.Errorf("%.40q is not a policy%s (choose one of %s)", name, option.Suggest(name, own), strings.Join(own, ", "))
}

// mostConnections limits the connections of a pool, because each virtual user opens all of them.
const mostConnections = 100

// Parse parses a pool in the format of String.
func Parse(text string) (Pool, error) {
	var p Pool
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&p) != nil || d.More() { // the decoder's errors quote the text, which may contain a password
		return Pool{}, errors.New("it begins like the pool of a kept job, but cannot be read: name a file instead")
	}
	return p, nil
}

// IsPool reports whether text is a pool rather than the name of a file.
func IsPool(text string) bool { return strings.HasPrefix(text, "{") }

// String returns the pool on one line, in the format that jobs store.
func (p Pool) String() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // cannot happen: a pool consists of strings
	}
	return string(text)
}

// Public returns the text of a pool without the values of secret or unknown options. Its errors do
// not quote the text.
func Public(text string, known []option.Description) (string, error) {
	p, err := Parse(text)
	if err != nil {
		return "", err
	}
	for i, c := range p.Connections {
		public, _ := c.Options.Split(known)
		maps.DeleteFunc(public, func(name, _ string) bool {
			return !slices.ContainsFunc(known, func(d option.Description) bool { return d.Name == name })
		})
		p.Connections[i].Options = public
	}
	return p.String(), nil
}

// Table is a pool with its names looked up.
type Table struct {
	Connections []Connection // connections that transactions use
	Lanes       []Lane       // one for each kind of transaction
	Unused      []string     // names of connections that no transaction uses
}

// Lane lists the connections of a kind of transaction.
type Lane struct {
	Connections []int // positions in the table; at least one
	Policy      Policy
}

// Table looks up the names of the kinds of transaction and of the connections.
func (p Pool) Table(kinds []string) (Table, error) {
	if len(p.Connections) == 0 {
		return Table{}, errors.New("it has no connections")
	}
	if len(p.Connections) > mostConnections {
		return Table{}, fmt.Errorf("it has %d connections, and each virtual user opens all of them: at most %d are allowed", len(p.Connections), mostConnections)
	}
	var names []string
	for _, c := range p.Connections {
		if slices.Contains(names, c.Name) {
			return Table{}, fmt.Errorf("it has two connections called %.40q", c.Name)
		}
		names = append(names, c.Name)
	}
	routes := make([]Route, len(kinds))
	for i := range routes {
		routes[i].Policy = p.Policy
	}
	given := make([]bool, len(kinds))
	for _, r := range p.Routes {
		kind := slices.IndexFunc(kinds, func(k string) bool { return option.SameName(k, r.Kind) })
		if kind < 0 {
			return Table{}, fmt.Errorf("%.40q is not a kind of transaction%s (choose one of %s)", r.Kind, option.Suggest(r.Kind, kinds), strings.Join(kinds, ", "))
		}
		if given[kind] {
			return Table{}, fmt.Errorf("the transaction %s occurs twice", kinds[kind])
		}
		r.Policy = cmp.Or(r.Policy, p.Policy)
		routes[kind], given[kind] = r, true
	}
	return p.assign(kinds, names, routes)
}

// assign converts routes to lanes, one for each kind.
func (p Pool) assign(kinds, names []string, routes []Route) (Table, error) {
	t := Table{Lanes: make([]Lane, len(kinds))}
	place := map[string]int{} // positions in the table of used connections, by name
	used := func(name string) bool {
		return slices.ContainsFunc(routes, func(r Route) bool { return len(r.Connections) == 0 || slices.Contains(r.Connections, name) })
	}
	for _, c := range p.Connections {
		if !used(c.Name) {
			t.Unused = append(t.Unused, c.Name)
			continue
		}
		place[c.Name] = len(t.Connections)
		t.Connections = append(t.Connections, c)
	}
	for kind, r := range routes {
		lane := &t.Lanes[kind]
		var err error
		if lane.Policy, err = ParsePolicy(string(cmp.Or(r.Policy, RoundRobin))); err != nil {
			return Table{}, fmt.Errorf("the transaction %s: %w", kinds[kind], err)
		}
		list := r.Connections
		if len(list) == 0 {
			list = names
		}
		for _, name := range list {
			at, known := place[name]
			if !known {
				return Table{}, fmt.Errorf("the transaction %s uses the connection %.40q, which does not exist%s (choose one of %s)",
					kinds[kind], name, option.Suggest(name, names), strings.Join(names, ", "))
			}
			lane.Connections = append(lane.Connections, at)
		}
	}
	return t, nil
}
