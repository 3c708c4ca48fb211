package redis

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// said is a server's error, as the driver returns it.
type said string

func (e said) Error() string { return string(e) }
func (said) RedisError()     {}

func TestErrorsAreClassed(t *testing.T) {
	for _, tt := range []struct {
		err   error
		class meter.Class
	}{
		{errConflict, meter.Serialization},
		{fmt.Errorf("commit: %w", errConflict), meter.Serialization},
		{said("OOM command not allowed when used memory > 'maxmemory'."), meter.Resource},
		{said("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk."), meter.Resource},
		{said("NOREPLICAS Not enough good replicas to write."), meter.Resource},
		{said("ERR max number of clients reached"), meter.Resource},
		{said("NOAUTH Authentication required."), meter.Permission},
		{said("WRONGPASS invalid username-password pair or user is disabled."), meter.Permission},
		{said("NOPERM this user has no permissions to run the 'fcall' command"), meter.Permission},
		{said("DENIED Redis is running in protected mode"), meter.Permission},
		{said("READONLY You can't write against a read only replica."), meter.Permission},
		{said("WRONGTYPE Operation against a key holding the wrong kind of value"), meter.Constraint},
		{said("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."), meter.Busy},
		{said("TRYAGAIN Multiple keys request during rehashing of slot"), meter.Busy},
		{said("LOADING Redis is loading the dataset in memory"), meter.Connection},
		{said("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."), meter.Connection},
		{said("CLUSTERDOWN The cluster is down"), meter.Connection},
		{said("UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"), meter.Connection},
		{said("NOMASTERLINK Can't SYNC while not connected with my master"), meter.Connection},
		{said("NOSCRIPT No matching script. Please use EVAL."), meter.Other},
		{said("EXECABORT Transaction discarded because of previous errors."), meter.Other},
		{said("NOTBUSY No scripts in execution right now."), meter.Other},
		{said("UNKILLABLE Sorry the script already executed write commands against the dataset."), meter.Other},
		{said("MOVED 3999 127.0.0.1:6381"), meter.Other},
		{said("ASK 3999 127.0.0.1:6381"), meter.Other},
		{said("CROSSSLOT Keys in request don't hash to the same slot"), meter.Other},
		{said("ERR unknown command 'SELEKT'"), meter.Other},
		{said("SOMETHING unheard of"), meter.Other},
		{io.EOF, meter.Connection},
		{os.ErrDeadlineExceeded, meter.Connection},
		{database.ErrInterrupted, meter.Connection},
		{errGone, meter.Connection},
		{errors.New("anything"), meter.Other},
	} {
		if got := classify(tt.err); got != tt.class {
			t.Errorf("%v: got class %v, want %v", tt.err, got, tt.class)
		}
	}
	if !classify(errConflict).Retryable() {
		t.Error("a conflict is not classed as serialization, so it would not be retried")
	}
}

func TestDurability(t *testing.T) {
	for _, tt := range []struct {
		appendonly, appendfsync, more string
		want                          bool
	}{
		{"yes", "always", "", true},
		{"yes", "everysec", "", false},
		{"yes", "no", "", false},
		{"no", "always", "", false},
		{"", "", "", false},
		{"yes", "always", "no-appendfsync-on-rewrite", false},
	} {
		settings := map[string]string{"appendonly": tt.appendonly, "appendfsync": tt.appendfsync}
		if tt.more != "" {
			settings[tt.more] = "yes"
		}
		if got, why := durability(settings); got != tt.want || why == "" {
			t.Errorf("%v: got %t because %q, want %t", settings, got, why, tt.want)
		}
	}
	for _, tt := range []struct {
		policy, maxmemory string
		loses             bool
	}{
		{"noeviction", "1000000", false},
		{"volatile-lru", "1000000", false}, // no key of a schema expires
		{"allkeys-lru", "0", false},        // no limit
		{"allkeys-lfu", "1000000", true},
	} {
		settings := map[string]string{"appendonly": "yes", "appendfsync": "always", "maxmemory": tt.maxmemory, "maxmemory-policy": tt.policy}
		if got, why := durability(settings); got == tt.loses {
			t.Errorf("%v: got %t because %q", settings, got, why)
		}
	}
}

// A build refuses a server that evicts rows before it loads any, and the error of a server that
// lacks a command says what to do.
func TestUnfitServersAreRefused(t *testing.T) {
	server := testserver.Open(t, "redis", testserver.Setting("maxmemory=100mb"), testserver.Setting("maxmemory-policy=allkeys-lru"), testserver.Setting(`rename-command=FUNCTION ""`))
	bound := func(more option.Values) *Options {
		values := option.Values(server.Values()).Clone()
		maps.Copy(values, more)
		o := newOptions(database.Use{Name: "unfit"})
		if err := option.Bind(option.Names{}, values, o); err != nil {
			t.Fatal(err)
		}
		return o.(*Options)
	}
	err := create(t.Context(), bound(nil), nil)
	if !errors.Is(err, database.ErrUnfit) || !strings.Contains(err.Error(), "noeviction") {
		t.Errorf("a server that evicts keys: got %v", err)
	}
	s, err := connect(t.Context(), bound(option.Values{"socket": server.Socket}), database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Exec(t.Context(), "CONFIG SET maxmemory-policy noeviction"); err != nil {
		t.Fatal(err)
	}
	if err := create(t.Context(), bound(nil), nil); err != nil {
		t.Errorf("a server that evicts no keys: got %v", err)
	}
	if err := s.Exec(t.Context(), "#!lua name=unfit_0\nlocal a"); err == nil || !strings.Contains(err.Error(), "set option routines to scripts") {
		t.Errorf("a server without functions: got %v", err)
	}
	if _, err := s.(*session).routines(t.Context(), &command{}); err != nil {
		t.Errorf("got %v, want no routines on a server without functions", err)
	}
}

func TestURLs(t *testing.T) {
	for text, want := range map[string]string{
		"redis://h":                "map[host:h]",
		"redis://h:1/3":            "map[db_number:3 host:h port:1]",
		"rediss://u:p@h":           "map[host:h password:p ssl:true user:u]",
		"redis://h/mine":           "map[host:h prefix:mine]",
		"redis://h/3?prefix=x":     "map[db_number:3 host:h prefix:x]",
		"rediss://h?ssl_ca=/a.pem": "map[host:h ssl:true ssl_ca:/a.pem]",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		values, err := fromURL(u)
		got := fmt.Sprint(map[string]string(values))
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestClientSettings(t *testing.T) {
	from := database.Surroundings{Variable: func(name string) string { return map[string]string{"REDISCLI_AUTH": "hidden"}[name] }}
	found, _, err := clientSettings(from, database.Use{}, option.Values{})
	if err != nil || len(found) != 1 || found[0].Option != "password" || found[0].Value != "hidden" || found[0].Origin != "REDISCLI_AUTH" {
		t.Errorf("got %+v, %v", found, err)
	}
	if found, _, _ = clientSettings(from, database.Use{}, option.Values{"password": "given"}); len(found) != 0 {
		t.Errorf("with a given password: got %+v", found)
	}
}

func TestOptionsAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, value, says string }{
		{"host", "a,b", "Cluster and Sentinel"},
		{"prefix", "two words", "not a word"},
		{"prefix", "", "not a word"},
		{"ssl_cert", "a.pem", "belong together"},
		{"socket", "/redis.sock", "nothing is encrypted on a Unix socket"},
	} {
		values := option.Values{tt.name: tt.value}
		if tt.name == "socket" {
			values["ssl"] = "true"
		}
		err := option.Bind(option.Names{}, values, newOptions(database.Use{Name: "suite"}))
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s=%s: got %v, want it to say %q", tt.name, tt.value, err, tt.says)
		}
	}
	if Database.Refuses(database.Use{Analytic: true}) == "" || Database.Refuses(database.Use{}) != "" {
		t.Error("want analytic workloads refused and others accepted")
	}
}

func TestScaledDecimals(t *testing.T) {
	for _, tt := range []struct {
		text  string
		scale int
		want  string
	}{
		{"30000.00", 2, "3000000"},
		{"-10.00", 2, "-1000"},
		{"0.1234", 4, "1234"},
		{"0.00", 2, "0"},
		{"0.05", 2, "5"},
		{"7", 2, "700"},
		{"1.5", 2, "150"},
		{"-0.50", 2, "-50"},
	} {
		got := string(scaled([]byte(tt.text), tt.scale))
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
		if back := string(appendDecimal(nil, got, tt.scale)); strings.TrimRight(back, "0.") != strings.TrimRight(tt.text, "0.") {
			t.Errorf("%s: it is printed as %s", tt.text, back)
		}
	}
}

// connected returns a session whose schema has the given prefix.
func connected(t *testing.T, prefix string) *session {
	t.Helper()
	s, err := connect(t.Context(), options(t, prefix, nil), database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*session)
}

func options(t *testing.T, prefix string, more option.Values) *Options {
	t.Helper()
	values := option.Values(testserver.Open(t, "redis").Values()).Clone()
	values["prefix"] = prefix
	for name, value := range more {
		values[name] = value
	}
	o := newOptions(database.Use{Name: prefix})
	if err := option.Bind(option.Names{}, values, o); err != nil {
		t.Fatal(err)
	}
	return o.(*Options)
}

func prepared(t *testing.T, s *session, text string, in, out any) database.Statement {
	t.Helper()
	q, err := sqlfile.Parse("test", text, Database.Dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.Prepare(t.Context(), q, in, out)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func run(t *testing.T, st database.Statement) int64 {
	t.Helper()
	n, err := st.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A transaction reads its own writes, and other sessions see them only after the commit. If another
// client changes a watched key, the commit does nothing.
func TestTransactions(t *testing.T) {
	a, b := connected(t, "transactions"), connected(t, "transactions")
	in := struct {
		ID int64 `sql:"id"`
		N  int64 `sql:"n"`
	}{ID: 1}
	var out struct {
		N int64 `sql:"n"`
	}
	read := prepared(t, a, "WATCH counter(:id)\nHMGET counter(:id) n", &in, &out)
	set := prepared(t, a, "HSET counter(:id) n :n", &in, nil)
	add := prepared(t, a, "HINCRBY counter(:id) n :n", &in, nil)
	alone := prepared(t, b, "HMGET counter(:id) n", &in, &out)
	in.N = 5
	run(t, set)
	begin := func() {
		t.Helper()
		if err := a.Begin(t.Context(), database.ReadWrite); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []struct {
		do   func(context.Context) error
		want int64
	}{{a.Rollback, 5}, {a.Commit, 13}} {
		begin()
		run(t, read)
		in.N = 10
		run(t, set)
		in.N = 3
		run(t, add)
		if run(t, read); out.N != 13 {
			t.Errorf("a transaction reads %d after it has written 13", out.N)
		}
		if run(t, alone); out.N != 5 {
			t.Errorf("another session reads %d before the commit, want 5", out.N)
		}
		if err := end.do(t.Context()); err != nil {
			t.Fatal(err)
		}
		if run(t, alone); out.N != end.want {
			t.Errorf("after the end: got %d, want %d", out.N, end.want)
		}
	}
	before, err := counter(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	begin()
	run(t, read)
	if err := b.Exec(t.Context(), "HINCRBY counter(1) n 100"); err != nil {
		t.Fatal(err)
	}
	in.N = 0
	run(t, set)
	if err := a.Commit(t.Context()); !errors.Is(err, errConflict) {
		t.Errorf("a commit after another client changed what was read: got %v, want %v", err, errConflict)
	}
	if err := a.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
	if run(t, alone); out.N != 113 {
		t.Errorf("after a conflict: got %d, want 113", out.N)
	}
	if after, err := counter(t.Context(), b); err != nil || after != before {
		t.Errorf("a transaction with a conflict was counted: %d, %v, want %d", after, err, before)
	}
	in.ID = 77
	if n := run(t, alone); n != 0 {
		t.Errorf("a missing key: got %d rows", n)
	}
	if err := a.Exec(t.Context(), "DEL counter(1)"); err != nil {
		t.Error(err)
	}
}

// columns has every type that tables of workloads have.
var columns = []schema.Column{
	{Name: "id"},
	{Name: "n"},
	{Name: "amount", Type: schema.Decimal, Size: 12, Scale: 2, Null: true},
	{Name: "words", Type: schema.Varchar, Size: 50, Null: true},
	{Name: "moment", Type: schema.Timestamp, Null: true},
}

// rows are load text.
type rows []string

func (r *rows) AppendRow(buf []byte) ([]byte, bool) {
	if len(*r) == 0 {
		return buf, false
	}
	row := (*r)[0]
	*r = (*r)[1:]
	return append(buf, row...), true
}

// loads creates a table with the given layout and loads four rows.
func loads(t *testing.T, s *session, name, layout string) schema.Table {
	t.Helper()
	table := schema.Table{Name: name, Columns: columns, Key: []string{"id"}}
	l, err := layoutOf(table, layout)
	if err != nil {
		t.Fatal(err)
	}
	statement, err := l.statement(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	r := rows{
		"1\t1\t-0.05\tit's \\t\\\\ a\\nb\t2026-01-02 03:04:05\n", "1\t2\t1234.50\t\t2026-01-02 03:04:05\n",
		"2\t3\t\\N\t\\N\t\\N\n", "10\t4\t7.00\tü\t1970-01-01 00:00:00\n",
	}
	if n, err := s.Load(t.Context(), table, &r); err != nil || n != 4 {
		t.Fatalf("got %d rows, %v, want 4", n, err)
	}
	return table
}

// SQL reads loaded rows in every layout, and sees later changes.
func TestSQLIsAnswered(t *testing.T) {
	s := connected(t, "answers")
	for name, layout := range map[string]string{
		"hashes": "hashes HASH (id, n) INDEX by_words (amount) (words, id)", "lines": "lines HASH (id) EACH n",
		"streams": "streams STREAM (id)", "members": "members ZSET (id) (n, amount, moment, words)",
	} {
		loads(t, s, name, layout)
		t.Cleanup(func() {
			if err := dropTables(context.Background(), connectedAgain(t, "answers"), []string{name}, nil); err != nil {
				t.Error(err)
			}
		})
		got, err := s.Query(t.Context(), "SELECT id, n, amount, words, moment FROM "+name+" ORDER BY n", 0)
		want := "[[1 1 -0.05 it's \t\\ a\nb 2026-01-02 03:04:05] [1 2 1234.5  2026-01-02 03:04:05] [2 3 NULL NULL NULL] [10 4 7 ü 1970-01-01 00:00:00]]"
		if name == "members" { // a member cannot tell NULL from an empty text
			if err != nil || len(got.Rows) != 4 {
				t.Errorf("%s: got %v, %v, want 4 rows", name, got.Rows, err)
			}
			continue
		}
		if err != nil || fmt.Sprint(got.Rows) != want {
			t.Errorf("%s: got %v, %v\nwant %s", name, got.Rows, err, want)
		}
	}
	count := func() string {
		t.Helper()
		got, err := s.Query(t.Context(), "SELECT COUNT(*) FROM hashes", 0)
		if err != nil {
			t.Fatal(err)
		}
		return got.Rows[0][0]
	}
	if n := count(); n != "4" {
		t.Errorf("got %s rows, want 4", n)
	}
	if err := connected(t, "answers").Exec(t.Context(), "DEL hashes(1,1)"); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != "3" {
		t.Errorf("after another session removed a row: got %s rows, want 3", n)
	}
	in := struct {
		ID int64 `sql:"id"`
	}{1}
	var out struct {
		N int64 `sql:"n"`
	}
	if n := run(t, prepared(t, s, "SELECT n FROM lines WHERE id = :id AND n > :id", &in, &out)); n != 1 || out.N != 2 {
		t.Errorf("a prepared statement: got %d rows and %d, want 1 and 2", n, out.N)
	}
}

// An error about a key that is not a valid row names the key.
func TestStrangeKeysAreNamed(t *testing.T) {
	s := connected(t, "strange")
	loads(t, s, "hashes", "hashes HASH (id, n)")
	t.Cleanup(func() {
		if err := dropTables(context.Background(), connectedAgain(t, "strange"), []string{"hashes"}, nil); err != nil {
			t.Error(err)
		}
	})
	for _, tt := range []struct{ makes, says string }{
		{"HSET hashes(1,x) amount 1", `strange:hashes:1:x is named like the key of a row, but "x"`},
		{"HSET hashes(1,05) amount 1", `but "05" is not a whole number`},
		{"SET hashes(7,7) x", "strange:hashes:7:7 does not have the form of a row of hashes: WRONGTYPE"},
		{"HSET hashes(7,7) amount much", `column amount of hashes contains "much"`},
	} {
		if err := s.Exec(t.Context(), tt.makes); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Query(t.Context(), "SELECT amount FROM hashes", 0); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("after %s: got %v, want it to say %q", tt.makes, err, tt.says)
		}
		if err := s.Exec(t.Context(), "DEL "+strings.Fields(tt.makes)[1]); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Query(t.Context(), "SELECT amount FROM hashes", 0); err != nil || len(got.Rows) != 4 {
		t.Errorf("after they were removed: got %v, %v", got, err)
	}
}

func TestRepliesAreTakenApart(t *testing.T) {
	r := &reply{rest: []byte("*4\r\n$2\r\na\r\r\n$-1\r\n:17\r\n$0\r\n\r\n")}
	n := r.list()
	var got []string
	for range n {
		text, there := r.value()
		got = append(got, fmt.Sprintf("%q %t", text, there))
	}
	if want := `["a\r" true "" false "17" true "" true]`; fmt.Sprint(got) != want || r.err != nil || len(r.rest) != 0 {
		t.Errorf("got %v, %v, and %q left; want %s", got, r.err, r.rest, want)
	}
	for _, wrong := range []string{"", "*", "*1\r", "*x\r\n", "$5\r\nab\r\n", "-ERR no\r\n", "%1\r\n"} {
		r := &reply{rest: []byte(wrong)}
		for range r.list() {
			r.value()
		}
		if r.err == nil {
			t.Errorf("%q is accepted as a reply", wrong)
		}
	}
}

func connectedAgain(t *testing.T, prefix string) *session {
	t.Helper()
	s, err := connect(context.Background(), options(t, prefix, nil), database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s.(*session)
}

// A delete removes only keys of the schema's tables, and the next delete completes one that was
// killed.
func TestOnlyOursIsRemoved(t *testing.T) {
	const prefix = "removal"
	s := connected(t, prefix)
	for _, strange := range []string{"SET other(1) x", "SET hashes(1) x", "SET hashes(1,2,3) x", "SET stranger() x"} {
		if err := s.Exec(t.Context(), strange); err != nil {
			t.Fatal(err)
		}
	}
	found, err := relations(t.Context(), s)
	if err != nil || found["hashes"].Kind != "keys" || found["other"].Kind != "keys" {
		t.Errorf("foreign keys: got %v, %v, want them reported", found, err)
	}
	loads(t, s, "hashes", "hashes HASH (id, n)")
	if found, err = relations(t.Context(), s); err != nil || found["hashes"].Kind != "table" {
		t.Errorf("got %v, %v, want a table", found, err)
	}
	// The state after a delete was killed between its two steps.
	left, err := s.ask(t.Context(), "RENAME", "removal:sledge_tables", "removal:sledge_dropped")
	if err != nil || left != "OK" {
		t.Fatal(left, err)
	}
	if fates, err := dropRest(t.Context(), options(t, prefix, nil), database.DropOptions{Leftover: true, Dry: true}); err != nil || len(fates) != 1 {
		t.Errorf("the remains would not be dropped: %v, %v", fates, err)
	}
	if _, err := dropRest(t.Context(), options(t, prefix, nil), database.DropOptions{Leftover: true}); err != nil {
		t.Error(err)
	}
	keys, err := s.ask(t.Context(), "KEYS", prefix+":*")
	if got := texts(keys); err != nil || len(got) != 4 {
		t.Errorf("got the keys %q, %v, want the four foreign keys", got, err)
	}
	if _, err := s.ask(t.Context(), append([]any{"DEL"}, keys.([]any)...)...); err != nil {
		t.Error(err)
	}
}

// A catalog that Sledge did not write is refused, and the error names its key.
func TestAStrangeCatalogue(t *testing.T) {
	const prefix = "strange"
	s := connected(t, prefix)
	for _, command := range []string{
		"SET sledge_tables() mine",
		"HSET sledge_tables() warehouse mine",
		`HSET sledge_tables() warehouse` + "\n" + `{"kind":"hash","columns":[{"name":"w_tax","type":3,"scale":99}]}`,
	} {
		if err := s.Exec(t.Context(), command); err != nil {
			t.Fatal(err)
		}
		if found, err := relations(t.Context(), s); err == nil || !strings.Contains(err.Error(), "the key strange:sledge_tables belongs to another program") {
			t.Errorf("after %q: got %v, %v", command, found, err)
		}
		if err := s.Exec(t.Context(), "DEL sledge_tables()"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestErrors_AreShort(t *testing.T) {
	s := connected(t, "errors")
	const raise = "return redis.error_reply('ERR ' .. string.rep('x', 500000))"
	_, err := s.Query(t.Context(), raise, 1)
	_, asked := s.ask(t.Context(), "EVAL", raise, 0)
	for way, err := range map[string]error{"query": err, "asked": asked} {
		if err == nil || len(err.Error()) > 5000 || !strings.Contains(err.Error(), " KiB more") {
			t.Errorf("%s: got an error of %d bytes, want a short one", way, len(fmt.Sprint(err)))
		}
	}
}

func TestQuery_EndsTheSessionAtATooLongReply(t *testing.T) {
	for _, script := range []string{
		"return redis.error_reply('ERR ' .. string.rep('x', 2000000))",
		"return string.rep('x', 2000000)",
		`return string.rep('\n', 2000000)`,
	} {
		s := connected(t, "errors")
		if _, err := s.Query(t.Context(), script, 1); !errors.Is(err, database.ErrTooLong) || classify(err) != meter.Connection {
			t.Errorf("%s: got %.300v, want %v", script, err, database.ErrTooLong)
		}
	}
}

// A claim outlasts the time after which the server closes idle connections.
func TestClaims_OutlastIdleTimeout(t *testing.T) {
	a, b := connected(t, "claims"), connectedAgain(t, "claims")
	if taken, err := share(t.Context(), a); err != nil || !taken {
		t.Fatalf("got %t, %v, want the claim", taken, err)
	}
	if err := b.Exec(t.Context(), "CONFIG SET timeout 1"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := connected(t, "claims").Exec(context.Background(), "CONFIG SET timeout 0"); err != nil {
			t.Error(err)
		}
	}()
	closed := func() bool { return a.Exec(t.Context(), "PING") != nil }
	time.Sleep(3500 * time.Millisecond) // the server checks for idle connections at intervals
	if !closed() {
		t.Error("the server did not close a connection that was idle")
	}
	if taken, err := claim(t.Context(), connected(t, "claims")); err != nil || taken {
		t.Errorf("got %t, %v, want no claim beside a run", taken, err)
	}
}

func TestBackground_NamesASnapshot(t *testing.T) {
	server := testserver.Open(t, "redis", testserver.Own(), testserver.Setting("rdb-key-save-delay=10000000")) // 10 s for each key
	s, err := connect(t.Context(), options(t, "background", server.Values()), database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	command := func(text string) {
		if err := s.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	works := func() string {
		list, err := background(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(list)
	}
	command("SET slow 1")
	if got := works(); got != "[]" {
		t.Errorf("got %s before a snapshot", got)
	}
	command("BGSAVE")
	if got, want := works(), "[{snapshot The server saves a snapshot The snapshot is saved snapshot 0s}]"; got != want {
		t.Errorf("got %s during a snapshot, want %s", got, want)
	}
}

// A session ends with the connection of its claim, so that its user notices and claims again.
func TestClaims_EndTheirSessionIfLost(t *testing.T) {
	a, b := connected(t, "claims"), connectedAgain(t, "claims")
	if taken, err := share(t.Context(), a); err != nil || !taken {
		t.Fatalf("got %t, %v, want the claim", taken, err)
	}
	if _, err := b.ask(t.Context(), "CLIENT", "KILL", "ID", a.claimant.id); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		err := a.Exec(t.Context(), "PING")
		if err != nil && classify(err) == meter.Connection {
			break
		}
		if err != nil || time.Now().After(end) {
			t.Fatalf("got %v, want the session to end", err)
		}
	}
	if taken, err := claim(t.Context(), b); err != nil || !taken {
		t.Errorf("got %t, %v, want the claim of a lost session free", taken, err)
	}
}

// Two builds cannot work at the same time, and the holder of the claim sees sessions of builds that
// were killed.
func TestClaims(t *testing.T) {
	a, b, c := connected(t, "claims"), connectedAgain(t, "claims"), connected(t, "claims")
	take := func(s *session, want bool) {
		t.Helper()
		if taken, err := claim(t.Context(), s); err != nil || taken != want {
			t.Errorf("got %t, %v, want %t", taken, err, want)
		}
	}
	take(a, true)
	take(b, false)
	if who, err := holder(t.Context(), b); err != nil || !strings.Contains(who, "client "+a.claimant.id) {
		t.Errorf("got the holder %q, %v, want client %s", who, err, a.claimant.id)
	}
	if err := work(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	left, err := orphans(t.Context(), a)
	if err != nil || len(left) != 1 || left[0].Name != "client "+b.id {
		t.Fatalf("got %v, %v, want client %s", left, err, b.id)
	}
	if err := left[0].End(t.Context(), a); err != nil {
		t.Error(err)
	}
	if err := b.Exec(t.Context(), "PING"); classify(err) != meter.Connection {
		t.Errorf("the ended session: got %v", err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	for range 100 {
		if taken, _ := claim(t.Context(), c); taken {
			return
		}
	}
	t.Error("the claim is still held after its session was closed")
}

// The error about a missing right contains the rule that grants all rights needed, and that
// rule works.
func TestRefusal_NamesNeededRule(t *testing.T) {
	admin := connected(t, "rights")
	as := option.Values{"user": "sledge_rights", "password": "secret-7541"}
	set := func(rules ...any) {
		t.Helper()
		if _, err := admin.ask(t.Context(), append([]any{"ACL", "SETUSER", as["user"]}, rules...)...); err != nil {
			t.Fatal(err)
		}
	}
	set("reset", "on", ">"+as["password"], "~other:*", "+@all", "-function", "-fcall")
	t.Cleanup(func() {
		if _, err := connectedAgain(t, "rights").ask(context.Background(), "ACL", "DELUSER", as["user"]); err != nil {
			t.Error(err)
		}
	})
	s, err := connect(t.Context(), options(t, "rights", as), database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	of := s.(*session)
	const rule = "ACL SETUSER sledge_rights ~rights:* +@all -@admin +client|list +client|kill"
	refused := map[string]func() error{
		"a key":      func() error { return s.Exec(t.Context(), "HSET hashes(1,1) n 1") },
		"a command":  func() error { _, err := of.routines(t.Context(), &command{}); return err },
		"a function": func() error { _, err := prepared(t, of, "FCALL none", nil, nil).Run(t.Context(), nil); return err },
		"a key that is read": func() error {
			_, err := prepared(t, of, "HMGET hashes(1,1) n", nil, nil).Run(t.Context(), nil)
			return err
		},
	}
	for name, do := range refused {
		if err := do(); err == nil || !strings.Contains(err.Error(), rule) || classify(err) != meter.Permission {
			t.Errorf("%s: got %v, want it to say %q", name, err, rule)
		}
	}
	fields := strings.Fields(rule)[3:]
	words := make([]any, len(fields))
	for i, word := range fields {
		words[i] = word
	}
	set(words...)
	for name, do := range refused {
		if err := do(); classify(err) == meter.Permission {
			t.Errorf("%s: got %v although the rule was granted", name, err)
		}
	}
	if _, err := holder(t.Context(), s); err != nil {
		t.Error(err)
	}
	if err := s.Exec(t.Context(), "DEL hashes(1,1)"); err != nil {
		t.Error(err)
	}
	if err := of.advised(said("OOM command not allowed when used memory > 'maxmemory'.")); !strings.Contains(err.Error(), "Raise") || classify(err) != meter.Resource {
		t.Errorf("out of memory: got %v", err)
	}
}

func TestConnectErrors(t *testing.T) {
	server := option.Values(testserver.Open(t, "redis").Values())
	for _, tt := range []struct {
		name   string
		change option.Values
		class  meter.Class
		says   string
	}{
		{"a wrong password", option.Values{"password": "wrong-7541"}, meter.Permission, "check options"},
		{"no password", option.Values{"password": "null"}, meter.Permission, "check options"},
		{"nobody", option.Values{"user": "nobody", "password": "wrong-7541"}, meter.Permission, "check options"},
		{"no server", option.Values{"port": fmt.Sprint(testserver.FreePort(t))}, meter.Connection, "that the server is running there"},
		{"no such number", option.Values{"db_number": "4711"}, meter.Other, "db_number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := connect(t.Context(), options(t, "x", tt.change), database.Owner)
			if err == nil {
				t.Fatal("it connected")
			}
			if text := err.Error(); !strings.Contains(text, tt.says) || strings.Contains(text, "wrong-7541") ||
				strings.Contains(text, "\n") || len(server["password"]) > 6 && strings.Contains(text, server["password"]) {
				t.Errorf("got %q, want it in one line to say %q, and no password", text, tt.says)
			}
			_, password := errors.AsType[*database.PasswordError](err)
			if class := classify(err); class != tt.class || password != (tt.class == meter.Permission) {
				t.Errorf("got class %v of %v, want %v", class, err, tt.class)
			}
		})
	}
}

// Each mistake in connecting to a server with TLS and client certificates has an error of its own.
func TestTLS(t *testing.T) {
	ours, theirs := testserver.NewAuthority(t), testserver.NewAuthority(t)
	ours.Issue("server", &x509.Certificate{IPAddresses: []net.IP{net.ParseIP("127.0.0.1")}})
	ours.Issue("client", &x509.Certificate{})
	theirs.Issue("client", &x509.Certificate{})
	port := fmt.Sprint(testserver.FreePort(t))
	server := testserver.Open(t, "redis", testserver.Setting("tls-port="+port), testserver.Setting("tls-ca-cert-file="+ours.Path("ca")),
		testserver.Setting("tls-cert-file="+ours.Path("server")), testserver.Setting("tls-key-file="+ours.Path("server-key")))
	client := func(a *testserver.Authority, more option.Values) option.Values {
		values := option.Values{"ssl_cert": a.Path("client"), "ssl_key": a.Path("client-key")}
		maps.Copy(values, more)
		return values
	}
	for _, tt := range []struct {
		name    string
		changes option.Values
		says    string
	}{
		{"as the server requires", client(ours, nil), ""},
		{"without verifying the server", client(ours, option.Values{"ssl_ca": "null"}), ""},
		{"another authority", client(ours, option.Values{"ssl_ca": theirs.Path("ca")}), "check option ssl_ca"},
		{"a missing authority", client(ours, option.Values{"ssl_ca": "/missing.pem"}), "option ssl_ca: "},
		{"a host that the certificate is not for", client(ours, option.Values{"host": "localhost"}), "check option ssl_ca"},
		{"no certificate of the client", nil, "set options ssl_cert and ssl_key to send a certificate"},
		{"a certificate of another authority", client(theirs, nil), "must be signed by an authority in the server's tls-ca-cert-file"},
		{"a missing key", client(ours, option.Values{"ssl_key": "/missing.pem"}), "options ssl_cert and ssl_key: open /missing.pem"},
		{"no encryption", option.Values{"ssl": "false"}, "speaks only TLS: if it is a Redis server, set ssl to true"},
		{"the port that does not encrypt", option.Values{"port": fmt.Sprint(server.Port)}, "does not encrypt: set ssl to false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			values := option.Values(server.Values()).Clone()
			maps.Copy(values, option.Values{"ssl": "true", "port": port, "ssl_ca": ours.Path("ca")})
			maps.Copy(values, tt.changes)
			o := newOptions(database.Use{Name: "tls"})
			if err := option.Bind(option.Names{}, values, o); err != nil {
				t.Fatal(err)
			}
			s, err := connect(t.Context(), o, database.Owner)
			switch {
			case tt.says == "" && err == nil:
				if err := s.Exec(t.Context(), "PING"); err != nil {
					t.Error(err)
				}
			case tt.says == "" || err == nil || !strings.Contains(err.Error(), tt.says):
				t.Errorf("got %v, want it to say %q", err, tt.says)
			}
			if s != nil {
				s.Close()
			}
		})
	}
}

// A displayed row has decimals with a point and times in TimeFormat, not their stored form.
func TestQuery_FormatsDecimalsAndTimes(t *testing.T) {
	s := connected(t, "shown")
	loads(t, s, "hashes", "hashes HASH (id, n)")
	loads(t, s, "lines", "lines HASH (id) EACH n")
	t.Cleanup(func() {
		if err := dropTables(context.Background(), connectedAgain(t, "shown"), []string{"hashes", "lines"}, nil); err != nil {
			t.Error(err)
		}
	})
	for text, want := range map[string]string{
		"HMGET hashes(1,1) amount AS cents moment words": "[[-0.05 2026-01-02 03:04:05 it's \t\\ a\nb]]",
		"HMGET hashes(1,2) amount moment missing":        "[[1234.50 2026-01-02 03:04:05 ]]",
		"HGETALL lines(1) EACH amount moment":            "[[-0.05 2026-01-02 03:04:05] [1234.50 2026-01-02 03:04:05]]",
	} {
		if got, err := s.Query(t.Context(), text, 0); err != nil || fmt.Sprint(got.Rows) != want {
			t.Errorf("%s: got %v, %v, want %s", text, got.Rows, err, want)
		}
	}
}
