package pgbench

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/schema"
)

// table is one of pgbench's tables.
type table struct {
	name    string
	columns []schema.Column
	key     string // ""for none
	each    int64  // rows for each unit of the scale factor
	filled  bool   // whether it has a fill factor
}

func integer(name string, null bool) schema.Column {
	return schema.Column{Name: name, Type: schema.Integer, Null: null}
}

// tables returns pgbench's tables, in the order in which it creates them.
func tables(scale int) []table {
	const manyAccounts = 20_000 // from here on, account numbers need 64 bits
	aid := integer("aid", false)
	if scale >= manyAccounts {
		aid.Type = schema.BigInteger
	}
	filler := func(size int) schema.Column {
		return schema.Column{Name: "filler", Type: schema.Char, Size: size, Null: true}
	}
	ofHistory := aid
	ofHistory.Null = true
	return []table{
		{"pgbench_history", []schema.Column{integer("tid", true), integer("bid", true), ofHistory, integer("delta", true), {Name: "mtime", Type: schema.Timestamp, Null: true}, filler(22)}, "", 0, false},
		{"pgbench_tellers", []schema.Column{integer("tid", false), integer("bid", true), integer("tbalance", true), filler(84)}, "tid", 10, true},
		{"pgbench_accounts", []schema.Column{aid, integer("bid", true), integer("abalance", true), filler(84)}, "aid", accountsEach, true},
		{"pgbench_branches", []schema.Column{integer("bid", false), integer("bbalance", true), filler(88)}, "bid", 1, true},
	}
}

const accountsEach = 100_000

// Target is the database that tables are made in.
type Target struct {
	*database.Database
	Session database.Session
}

// hasPostgreSQL reports whether the database has PostgreSQL's statements.
func (t Target) hasPostgreSQL() bool { return t.Name == postgreSQL }

// probe is a query that only a table with pgbench's columns answers.
func (t table) probe() string {
	var names []string
	for _, c := range t.columns {
		names = append(names, c.Name)
	}
	return "SELECT " + strings.Join(names, ", ") + " FROM " + t.name + " WHERE 1 = 0"
}

// exists reports whether a table exists. A table of that name with other columns is an error, because it is not
// pgbench's.
func (t Target) exists(ctx context.Context, of table) (bool, error) {
	if _, err := t.Session.Query(ctx, of.probe(), 1); err == nil {
		return true, nil
	}
	if _, err := t.Session.Query(ctx, "SELECT 1 FROM "+of.name+" WHERE 1 = 0", 1); err == nil {
		return true, fmt.Errorf("the table %s is not pgbench's: it has other columns. Rename it, or choose another database", of.name)
	}
	return false, nil
}

// initialisation is an initialization in progress.
type initialisation struct {
	Target
	*Arguments
	tables []table
	says   io.Writer
}

// step is a step of an initialization.
type step struct {
	title string // in the last line
	do    func(*initialisation, context.Context) error
}

// steps are the steps by their letters in --init-steps.
var steps = map[rune]step{
	'd': {"drop tables", (*initialisation).drop},
	't': {"create tables", (*initialisation).create},
	'g': {"client-side generate", (*initialisation).generate},
	'G': {"server-side generate", (*initialisation).generateOnServer},
	'v': {"vacuum", (*initialisation).vacuum},
	'p': {"primary keys", (*initialisation).primaryKeys},
	'f': {"foreign keys", (*initialisation).foreignKeys},
}

// Initialise makes and fills the tables, as the arguments say, and reports its progress to a writer.
func Initialise(ctx context.Context, a *Arguments, t Target, says io.Writer) error {
	in := &initialisation{Target: t, Arguments: a, tables: tables(a.Scale), says: says}
	if !in.hasPostgreSQL() && (a.FillFactor != 100 || a.Unlogged || a.Partitions > 0 || a.Tablespace+a.IndexTablespace != "" || strings.Contains(a.Steps, "G")) {
		return fmt.Errorf("fill factors, unlogged tables, tablespaces, partitions and the step G are PostgreSQL's: leave them out for %s", t.Title)
	}
	began := time.Now()
	var took []string
	for _, letter := range a.Steps {
		s, is := steps[letter]
		if !is || letter == 'v' && !in.hasPostgreSQL() { // a space; or VACUUM, which other databases do not have or need
			continue
		}
		from := time.Now()
		if err := s.do(in, ctx); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
		took = append(took, fmt.Sprintf("%s %.2f s", s.title, time.Since(from).Seconds()))
	}
	fmt.Fprintf(says, "done in %.2f s (%s).\n", time.Since(began).Seconds(), strings.Join(took, ", "))
	return nil
}

func (in *initialisation) exec(ctx context.Context, statements ...string) error {
	for _, one := range statements {
		if err := in.Session.Exec(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// drop drops the tables that exist, all of which must be pgbench's.
func (in *initialisation) drop(ctx context.Context) error {
	fmt.Fprintln(in.says, "dropping old tables...")
	var exist []string
	for _, name := range []string{"pgbench_history", "pgbench_accounts", "pgbench_tellers", "pgbench_branches"} { // those with foreign keys first
		for _, t := range in.tables {
			if t.name != name {
				continue
			}
			is, err := in.exists(ctx, t)
			if err != nil {
				return err
			}
			if is {
				exist = append(exist, "DROP TABLE "+t.name)
			}
		}
	}
	return in.exec(ctx, exist...)
}

func (in *initialisation) create(ctx context.Context) error {
	fmt.Fprintln(in.says, "creating tables...")
	for _, t := range in.tables {
		var columns []string
		for _, c := range t.columns {
			text := c.Name + " " + in.Dialect.Type(c)
			if !c.Null {
				text += " NOT NULL"
			}
			columns = append(columns, text)
		}
		kind, after := "TABLE", ""
		if in.Unlogged && (t.name != "pgbench_accounts" || in.Partitions == 0 || !in.refusesUnloggedParents(ctx)) {
			kind = "UNLOGGED TABLE"
		}
		switch {
		case in.Partitions > 0 && t.name == "pgbench_accounts":
			after = fmt.Sprintf(" PARTITION BY %s (aid)", in.PartitionMethod)
		case t.filled && in.hasPostgreSQL():
			after = fmt.Sprintf(" WITH (fillfactor = %d)", in.FillFactor)
		}
		if in.Tablespace != "" {
			after += " TABLESPACE " + quoted(in.Tablespace)
		}
		if err := in.exec(ctx, "CREATE "+kind+" "+t.name+" ("+strings.Join(columns, ", ")+")"+after); err != nil {
			return err
		}
	}
	return in.createPartitions(ctx)
}

// refusesUnloggedParents reports whether the server refuses partitioned tables that are unlogged, as PostgreSQL 18
// and later do.
func (in *initialisation) refusesUnloggedParents(ctx context.Context) bool {
	t, err := in.Session.Query(ctx, "SELECT current_setting('server_version_num')::int >= 180000", 1)
	return err == nil && t.Rows[0][0] == "t"
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (in *initialisation) createPartitions(ctx context.Context) error {
	if in.Partitions == 0 {
		return nil
	}
	fmt.Fprintf(in.says, "creating %d partitions...\n", in.Partitions)
	kind := "TABLE"
	if in.Unlogged {
		kind = "UNLOGGED TABLE"
	}
	each := (accountsEach*int64(in.Scale) + int64(in.Partitions) - 1) / int64(in.Partitions)
	for n := range int64(in.Partitions) {
		bounds := fmt.Sprintf("WITH (modulus %d, remainder %d)", in.Partitions, n)
		if in.PartitionMethod == "range" {
			from, to := "minvalue", "maxvalue"
			if n > 0 {
				from = strconv.FormatInt(n*each+1, 10)
			}
			if n < int64(in.Partitions)-1 {
				to = strconv.FormatInt((n+1)*each+1, 10)
			}
			bounds = fmt.Sprintf("FROM (%s) TO (%s)", from, to)
		}
		if err := in.exec(ctx, fmt.Sprintf("CREATE %s pgbench_accounts_%d PARTITION OF pgbench_accounts FOR VALUES %s WITH (fillfactor = %d)", kind, n+1, bounds, in.FillFactor)); err != nil {
			return err
		}
	}
	return nil
}

// empty empties the tables.
func (in *initialisation) empty(ctx context.Context) error {
	if in.hasPostgreSQL() {
		return in.exec(ctx, "TRUNCATE TABLE pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers")
	}
	for _, t := range in.tables {
		if err := in.exec(ctx, "DELETE FROM "+t.name); err != nil {
			return err
		}
	}
	return nil
}

// rows generates the rows of a table, and reports the progress of the accounts.
type rows struct {
	of          *initialisation
	table       table
	next, all   int64
	began, told time.Time
}

// AppendRow implements schema.RowSource.
func (r *rows) AppendRow(buf []byte) ([]byte, bool) {
	if r.next >= r.all {
		return buf, false
	}
	r.next++
	n := r.next
	buf = strconv.AppendInt(buf, n, 10)
	if r.table.name != "pgbench_branches" {
		buf = append(buf, '\t')
		buf = strconv.AppendInt(buf, (n-1)/r.table.each+1, 10)
	}
	buf = append(buf, "\t0\t"...)
	if r.table.name == "pgbench_accounts" {
		r.tell()
	} else {
		buf = append(buf, `\N`...)
	}
	return append(buf, '\n'), true
}

// tell reports the progress: every 100,000 rows, or with --quiet every 5 seconds.
func (r *rows) tell() {
	const rowsEach, pause = 100_000, 5 * time.Second
	if r.next%rowsEach != 0 && r.next != r.all {
		return
	}
	now := time.Now()
	if r.of.Quiet && now.Sub(r.told) < pause {
		return
	}
	r.told = now
	elapsed := now.Sub(r.began).Seconds()
	fmt.Fprintf(r.of.says, "%d of %d tuples (%d%%) done (elapsed %.2f s, remaining %.2f s)\n",
		r.next, r.all, r.next*100/r.all, elapsed, elapsed*float64(r.all-r.next)/float64(r.next))
}

func (in *initialisation) generate(ctx context.Context) error {
	fmt.Fprintln(in.says, "generating data (client-side)...")
	return in.within(ctx, func() error {
		if err := in.empty(ctx); err != nil {
			return err
		}
		for _, t := range in.tables {
			source := &rows{of: in, table: t, all: t.each * int64(in.Scale), began: time.Now(), told: time.Now()}
			if source.all == 0 {
				continue
			}
			if _, err := in.Session.Load(ctx, schema.Table{Name: t.name, Columns: t.columns, Size: source.all}, source); err != nil {
				return err
			}
		}
		return nil
	})
}

// within does some work in a transaction.
func (in *initialisation) within(ctx context.Context, do func() error) error {
	if err := in.Session.Begin(ctx, database.ReadWrite); err != nil {
		return err
	}
	if err := do(); err != nil {
		_ = in.Session.Rollback(ctx) // the error of the work says more
		return err
	}
	return in.Session.Commit(ctx)
}

func (in *initialisation) generateOnServer(ctx context.Context) error {
	fmt.Fprintln(in.says, "generating data (server-side)...")
	return in.within(ctx, func() error {
		if err := in.empty(ctx); err != nil {
			return err
		}
		return in.exec(ctx,
			fmt.Sprintf("INSERT INTO pgbench_branches (bid, bbalance) SELECT bid, 0 FROM generate_series(1, %d) AS bid", in.Scale),
			fmt.Sprintf("INSERT INTO pgbench_tellers (tid, bid, tbalance) SELECT tid, (tid - 1) / 10 + 1, 0 FROM generate_series(1, %d) AS tid", 10*in.Scale),
			fmt.Sprintf("INSERT INTO pgbench_accounts (aid, bid, abalance, filler) SELECT aid, (aid - 1) / %d + 1, 0, '' FROM generate_series(1, %d) AS aid", accountsEach, accountsEach*int64(in.Scale)),
		)
	})
}

func (in *initialisation) vacuum(ctx context.Context) error {
	fmt.Fprintln(in.says, "vacuuming...")
	for _, name := range []string{"pgbench_branches", "pgbench_tellers", "pgbench_accounts", "pgbench_history"} {
		if err := in.exec(ctx, "VACUUM ANALYZE "+name); err != nil {
			return err
		}
	}
	return nil
}

func (in *initialisation) primaryKeys(ctx context.Context) error {
	fmt.Fprintln(in.says, "creating primary keys...")
	for _, name := range []string{"pgbench_branches", "pgbench_tellers", "pgbench_accounts"} {
		for _, t := range in.tables {
			if t.name != name {
				continue
			}
			statement := "ALTER TABLE " + t.name + " ADD PRIMARY KEY (" + t.key + ")"
			if in.Embedded() { // which cannot add a key to a table
				statement = "CREATE UNIQUE INDEX " + t.name + "_pkey ON " + t.name + " (" + t.key + ")"
			}
			if in.IndexTablespace != "" {
				statement += " USING INDEX TABLESPACE " + quoted(in.IndexTablespace)
			}
			if err := in.exec(ctx, statement); err != nil {
				return err
			}
		}
	}
	return nil
}

// foreignKeys are the foreign keys: table, column, and the table whose key it is.
var foreignKeys = [][3]string{
	{"pgbench_tellers", "bid", "pgbench_branches"},
	{"pgbench_accounts", "bid", "pgbench_branches"},
	{"pgbench_history", "bid", "pgbench_branches"},
	{"pgbench_history", "tid", "pgbench_tellers"},
	{"pgbench_history", "aid", "pgbench_accounts"},
}

func (in *initialisation) foreignKeys(ctx context.Context) error {
	fmt.Fprintln(in.says, "creating foreign keys...")
	for _, key := range foreignKeys {
		name := key[0] + "_" + key[1] + "_fkey"
		if err := in.exec(ctx, fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s (%[3]s)", key[0], name, key[1], key[2])); err != nil {
			return err
		}
	}
	return nil
}

// Find reads what a run must know of pgbench's tables.
func Find(ctx context.Context, a *Arguments, t Target) (Tables, error) {
	found := Tables{Scale: max(a.Scale, 1)}
	if !a.HasBuiltin() {
		return found, nil
	}
	count, err := t.Session.Query(ctx, "SELECT COUNT(*) AS branches FROM pgbench_branches", 1)
	if err != nil {
		return found, fmt.Errorf("could not count number of branches: %w (perhaps the tables must be made first: pgbench -i)", err)
	}
	if found.Scale, err = strconv.Atoi(count.Rows[0][0]); err != nil || found.Scale == 0 {
		return found, fmt.Errorf("pgbench_branches has no rows: make the tables again (pgbench -i)")
	}
	if !t.hasPostgreSQL() {
		return found, nil
	}
	const partitions = `SELECT p.partstrat, COUNT(i.inhrelid) FROM pg_class c JOIN pg_partitioned_table p ON p.partrelid = c.oid
LEFT JOIN pg_inherits i ON i.inhparent = c.oid WHERE c.oid = to_regclass('pgbench_accounts') GROUP BY p.partstrat`
	kind, err := t.Session.Query(ctx, partitions, 1)
	if err != nil || len(kind.Rows) == 0 {
		return found, err
	}
	found.PartitionMethod = map[string]string{"r": "range", "h": "hash"}[kind.Rows[0][0]]
	found.Partitions, err = strconv.Atoi(kind.Rows[0][1])
	return found, err
}

// Vacuum vacuums the tables before a run, and empties pgbench_history. Errors are only reported, because a run of
// other scripts need not have the tables.
func Vacuum(ctx context.Context, a *Arguments, t Target, says io.Writer) {
	if a.NoVacuum || !t.hasPostgreSQL() {
		return
	}
	statements := []string{"VACUUM pgbench_branches", "VACUUM pgbench_tellers"}
	if is, err := t.exists(ctx, tables(1)[0]); err == nil && is {
		statements = append(statements, "TRUNCATE pgbench_history")
	}
	if a.VacuumAll {
		statements = append(statements, "VACUUM ANALYZE pgbench_accounts")
	}
	fmt.Fprint(says, "starting vacuum...")
	for _, one := range statements {
		if err := t.Session.Exec(ctx, one); err != nil {
			fmt.Fprintf(says, "%v\n(ignoring this error and continuing anyway)\n", err)
		}
	}
	fmt.Fprintln(says, "end.")
}
