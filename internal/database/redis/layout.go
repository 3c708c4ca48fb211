package redis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// The keys about a schema: its catalog, the remains of an interrupted deletion, and the scripts
// that are its routines.
const (
	tablesKey  = "sledge_tables"
	droppedKey = "sledge_dropped"
	scriptsKey = "sledge_scripts"
)

// layout describes how the rows of a table are stored. The catalog, a hash, contains it as JSON
// under the table's name. Columns in a key's name are not stored again. Decimals are whole numbers
// in units of their last digit, such as cents, so that sums are exact. Timestamps are microseconds
// since 1970 in UTC. NULL values are left out.
type layout struct {
	// Kind is hash for a hash per row, or, with Each, for a hash per key that several rows share:
	// the names of its fields end with the row's number, as in ol_amount/3. It is zset for a sorted
	// set of rows, whose last columns are the member, and stream for a stream of rows.
	Kind    string   `json:"kind"`
	Key     []string `json:"key"`
	Each    string   `json:"each,omitempty"`
	Member  []string `json:"member,omitempty"`
	Columns []column `json:"columns"`
	Indexes []index  `json:"indexes,omitempty"`
}

// index is a sorted set that finds rows by other columns. Its members are columns separated by
// slashes. A member that is one number has that number as its score. Other members have score 0, so
// they are in the order of their bytes.
type index struct {
	Name   string   `json:"name"`
	Key    []string `json:"key"`
	Member []string `json:"member"`
}

// column is a column in the catalog.
type column struct {
	Name  string      `json:"name"`
	Type  schema.Type `json:"type"`
	Scale int         `json:"scale,omitempty"`
	Null  bool        `json:"null,omitempty"`
}

// The kinds of layout.
const (
	hashKind   = "hash"
	zsetKind   = "zset"
	streamKind = "stream"
	setKind    = "set" // of the build log
)

// names lists the columns.
func (l layout) names() []string {
	names := make([]string, len(l.Columns))
	for i, c := range l.Columns {
		names[i] = c.Name
	}
	return names
}

// identity returns the columns that identify a row. For a stream, whose rows have no identity, it
// returns the columns of its key.
func (l layout) identity() []string {
	names := slices.Concat(l.Key, l.Member)
	if l.Each != "" {
		names = append(names, l.Each)
	}
	return names
}

// at returns the positions of columns.
func (l layout) at(names []string) ([]int, error) {
	all := l.names()
	list := make([]int, len(names))
	for i, name := range names {
		if list[i] = slices.Index(all, name); list[i] < 0 {
			return nil, fmt.Errorf("there is no column %s", name)
		}
	}
	return list, nil
}

// layoutOf returns the layout of a table from its line in text. Without such a line it is a hash
// for each row, by the table's primary key. Lines are, for example,
//
//	customer HASH (c_w_id, c_d_id, c_id) INDEX customer_name (c_w_id, c_d_id, c_last) (c_first, c_id)
//	order_line HASH (ol_w_id, ol_d_id, ol_o_id) EACH ol_number
//	new_order ZSET (no_w_id, no_d_id) (no_o_id)
//	history STREAM (h_w_id, h_d_id)
func layoutOf(t schema.Table, text string) (layout, error) {
	l := layout{Kind: hashKind, Key: t.Key}
	if len(l.Key) == 0 && len(t.Columns) > 0 {
		l.Key = []string{t.Columns[0].Name}
	}
	for _, c := range t.Columns {
		l.Columns = append(l.Columns, column{c.Name, c.Type, c.Scale, c.Null})
	}
	for _, line := range joined(text) {
		words, err := split(line)
		if err != nil {
			return l, err
		}
		if words[0] == t.Name {
			if l, err = l.read(words[1:]); err != nil {
				return l, fmt.Errorf("the layout %q: %w", line, err)
			}
		}
	}
	for _, names := range [][]string{l.Key, l.Member} {
		if _, err := l.at(names); err != nil {
			return l, fmt.Errorf("the layout of %s: %w", t.Name, err)
		}
	}
	return l, nil
}

// read parses the words of a line.
func (l layout) read(words []string) (layout, error) {
	wrong := errors.New("it is not NAME, then HASH, ZSET or STREAM, columns in parentheses, and its options")
	if len(words) < 2 {
		return l, wrong
	}
	l.Kind, l.Key = strings.ToLower(words[0]), columnList(words[1])
	words = words[2:]
	if l.Kind == zsetKind && len(words) > 0 {
		l.Member, words = columnList(words[0]), words[1:]
	}
	for len(words) > 0 {
		switch {
		case words[0] == "EACH" && len(words) > 1:
			l.Each, words = words[1], words[2:]
		case words[0] == "INDEX" && len(words) > 3:
			l.Indexes = append(l.Indexes, index{words[1], columnList(words[2]), columnList(words[3])})
			words = words[4:]
		default:
			return l, wrong
		}
	}
	return l, nil
}

// columnList parses "(a, b)".
func columnList(text string) []string {
	var names []string
	for name := range strings.SplitSeq(strings.Trim(text, "()"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// statement returns the command that adds a table to the catalog.
func (l layout) statement(name string) (string, error) {
	text, err := json.Marshal(l)
	return fmt.Sprintf("HSET %s() %s\n%s", tablesKey, name, text), err
}

// catalogue reads the tables in the catalog.
func (s *session) catalogue(ctx context.Context) (map[string]layout, error) {
	return s.layoutsAt(ctx, tablesKey)
}

func (s *session) layoutsAt(ctx context.Context, key string) (map[string]layout, error) {
	said, err := s.ask(ctx, "HGETALL", s.options.Key(key))
	if codeOf(err) == "WRONGTYPE" {
		return nil, fmt.Errorf("the key %s belongs to another program: set option %s to another name: %w", s.options.Key(key), s.options.Name("prefix"), err)
	}
	if err != nil {
		return nil, err
	}
	found := map[string]layout{}
	for name, text := range facts(said) {
		var l layout
		err := json.Unmarshal([]byte(text), &l)
		if err == nil && slices.ContainsFunc(l.Columns, func(c column) bool { return c.Scale < 0 || c.Scale >= len(powers) }) {
			err = errors.New("a column has more digits than Sledge supports")
		}
		if err != nil {
			return nil, fmt.Errorf("the key %s belongs to another program: set option %s to another name: its entry for %s is not a layout: %w", s.options.Key(key), s.options.Name("prefix"), name, err)
		}
		found[name] = l
	}
	return found, nil
}

// layout returns the layout of a table.
func (s *session) layout(ctx context.Context, table string) (layout, error) {
	l, known := s.layouts[table]
	if known {
		return l, nil
	}
	all, err := s.catalogue(ctx)
	if err != nil {
		return l, err
	}
	s.layouts = all
	if l, known = all[table]; !known {
		return l, fmt.Errorf("there is no table %s in %s", table, s.options.Prefix)
	}
	return l, nil
}

// owner is the table or the index to which a key belongs.
type owner struct {
	table string
	parts int // number of parts of the key's name after the prefix and the owner's name
}

// owners returns the owners of keys, by the second part of a key's name.
func owners(tables map[string]layout) map[string]owner {
	all := map[string]owner{}
	for name, l := range tables {
		all[name] = owner{name, len(l.Key)}
		for _, i := range l.Indexes {
			all[i.Name] = owner{name, len(i.Key)}
		}
	}
	return all
}

// eachKey calls do for each key with the schema's prefix, with the parts of its name after the
// prefix. A key may occur twice.
func (s *session) eachKey(ctx context.Context, do func(key, name string, parts []string) error) error {
	prefix := s.options.Prefix + ":"
	return s.eachName(ctx, func(name []byte) error {
		key := string(name)
		parts := strings.Split(strings.TrimPrefix(key, prefix), ":")
		return do(key, parts[0], parts[1:])
	})
}

// eachName calls do with the name of each key with the schema's prefix. The name is valid only
// during the call. A key may occur twice, because the server may resize its hash table between two
// SCANs.
func (s *session) eachName(ctx context.Context, do func(name []byte) error) error {
	pattern := s.options.Prefix + ":*"
	for cursor := "0"; ; {
		said, err := s.askRaw(ctx, goredis.NewRawCmd(ctx, "SCAN", cursor, "MATCH", pattern, "COUNT", scanned))
		if err != nil {
			return err
		}
		said.list()
		next, _ := said.value()
		cursor = string(next)
		for range said.list() {
			name, _ := said.value()
			if said.err != nil {
				break
			}
			if err := do(name); err != nil {
				return err
			}
		}
		if said.err != nil || cursor == "0" {
			return said.err
		}
	}
}

// scanned is the number of keys that a SCAN examines, which takes the server some milliseconds.
const scanned = 10000

// newSchema is Database.Schema.
func newSchema(_ *database.Database, sql *sqlfile.Library, plan any) database.Schema {
	k := keeper{sql, plan}
	return database.Schema{
		Relations: relations,
		Objects:   objects,
		Create:    k.create,
		Step:      func(name string) ([]string, error) { return sql.Script(name, plan) },
		Drop:      dropTables,
		BuildLog:  database.BuildLog{Create: createBuildLog, Read: readBuildLog, Write: writeBuildLog, Drop: dropBuildLog},
		Keep:      k.keep,
		Foresee:   foresee,
		Claims:    &database.Claims{Take: claim, Share: share, Holder: holder, Sharers: sharers, Work: work, Orphans: orphans},
	}
}

// keeper creates the tables of a pair.
type keeper struct {
	sql  *sqlfile.Library
	plan any
}

func (k keeper) create(tables []schema.Table) ([]string, error) {
	var statements []string
	for _, t := range tables {
		l, err := layoutOf(t, uncommented(k.sql.Text("schema")))
		if err != nil {
			return nil, err
		}
		statement, err := l.statement(t.Name)
		if err != nil {
			return nil, err
		}
		statements = append(statements, statement)
	}
	return statements, nil
}

// uncommented returns a text without its comment lines.
func uncommented(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "--") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func (k keeper) keep(ctx context.Context, s database.Session, t schema.Table) error {
	statements, err := k.create([]schema.Table{t})
	if err != nil {
		return err
	}
	return s.Exec(ctx, statements[0])
}

// relations is Schema.Relations. Without a catalog, keys with the schema's prefix are foreign.
// relations looks for such keys only then, because that reads the names of all keys on the server.
func relations(ctx context.Context, of database.Session) (map[string]database.Relation, error) {
	s := of.(*session)
	tables, err := s.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	s.layouts = tables
	found := map[string]database.Relation{}
	for name, l := range tables {
		found[name] = database.Relation{Kind: "table", Columns: l.names()}
	}
	if len(found) > 0 {
		return found, nil
	}
	left, err := s.layoutsAt(ctx, droppedKey)
	if err != nil {
		return nil, err
	}
	ours := owners(left)
	err = s.eachKey(ctx, func(_, name string, parts []string) error {
		if o, is := ours[name]; (!is || o.parts != len(parts)) && name != droppedKey {
			found[name] = database.Relation{Kind: "keys"}
		}
		return nil
	})
	return found, err
}

// objects is Schema.Objects. It lists only tables of the schema: keys with other prefixes may
// belong to other programs that share the server.
func objects(ctx context.Context, of database.Session) ([]database.Object, error) {
	tables, err := of.(*session).catalogue(ctx)
	var list []database.Object
	for name := range tables {
		list = append(list, database.Object{What: "table " + name, Bond: database.IsTable, Name: name})
	}
	return list, err
}
