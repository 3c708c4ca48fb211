package oracle

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/enginetest"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// connected returns a session with a stand-in.
func connected(t *testing.T, s *standIn) *session {
	t.Helper()
	session, err := dial(t.Context(), ownerOf(s.listen(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return session
}

func TestASessionTalksToTheStandIn(t *testing.T) {
	s := connected(t, &standIn{answers: []answer{
		{text: "FROM counts", columns: []string{"NAME", "N"}, rows: [][]any{{"commits", 42}}},
	}})
	got, err := s.Query(t.Context(), "SELECT name, n FROM counts", 0)
	if err != nil || len(got.Rows) != 1 || strings.Join(got.Columns, " ") != "name n" || strings.Join(got.Rows[0], " ") != "commits 42" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A claim ends with the session that holds it, not with the session of the system user that Holder
// may open beside it.
func TestHolder_ReportsTheLossOfItsOwnSessionOnly(t *testing.T) {
	server := &standIn{answers: []answer{{
		text: "v$locked_object", columns: []string{"HOLDER"}, rows: [][]any{{"session 7,11"}}, errors: []int{errNoTable, 0, errNoTable, errNoTable, 0},
	}}}
	s := connected(t, server)
	ask := func(when, want string) {
		t.Helper()
		if got, err := holder(t.Context(), s); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", when, got, err, want)
		}
	}
	ask("as the system user", "session 7,11")
	s.system.wire.interruptCall()
	ask("when that session is lost", "")
	ask("in a new session", "session 7,11")
	s.wire.interruptCall()
	if _, err := holder(t.Context(), s); classify(err) != meter.Connection {
		t.Errorf("when the session itself is lost: got %v of class %v", err, classify(err))
	}
}

// Without a transaction, the call of a statement also commits it. In a transaction, only Commit
// does.
func TestStatement_CommitsOnce(t *testing.T) {
	server := &standIn{answers: []answer{{text: "UPDATE counts", changed: 3}}}
	s := connected(t, server)
	in := bindings{ID: 7, Moment: time.Now()}
	st, err := s.Prepare(t.Context(), parse(t, "UPDATE counts SET n = :id, words = :words, moment = :moment"), &in, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := func(when string, commits int64) {
		t.Helper()
		before := server.commits.Load()
		if n, err := st.Run(context.Background(), nil); err != nil || n != 3 {
			t.Errorf("%s: got %d rows, %v", when, n, err)
		}
		if got := server.commits.Load() - before; got != commits {
			t.Errorf("%s: got %d commits, want %d", when, got, commits)
		}
	}
	run("at first", 1)
	run("again", 1)
	in.Words = sql.Null[string]{V: "longer than it was", Valid: true}
	run("again, with a longer text", 1)
	before := server.commits.Load()
	for _, end := range []func(context.Context) error{s.Commit, s.Rollback} {
		if err := s.Begin(t.Context(), database.ReadWrite); err != nil {
			t.Fatal(err)
		}
		run("in a transaction", 0)
		if err := end(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := server.commits.Load() - before; got != 1 {
		t.Errorf("one commit and one rollback: got %d commits, want 1", got)
	}
	run("after them", 1)
}

// If the server has closed the cursor of a failed statement, the statement is prepared again,
// and the driver's handling of NO_DATA_FOUND must not turn it into a success.
func TestStatement_RunsAgainAfterFailure(t *testing.T) {
	for code, want := range map[int]meter.Class{errDeadlock: meter.Deadlock, noMoreRows: meter.Other} {
		s := connected(t, &standIn{answers: []answer{{text: "UPDATE counts", changed: 1, errors: []int{0, code, code}}}})
		st, err := s.Prepare(t.Context(), parse(t, "UPDATE counts SET n = :id"), &bindings{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := st.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), oraText(code, "")[:9]) || classify(err) != want {
				t.Errorf("ORA-%d: got %v of class %v", code, err, classify(err))
			}
		}
		if n, err := st.Run(context.Background(), nil); err != nil || n != 1 {
			t.Errorf("after ORA-%d: got %d rows, %v", code, n, err)
		}
	}
}

// TestErrors_AreShort uses an error of 20 KB, which fits into one packet.
func TestErrors_AreShort(t *testing.T) {
	const tooLong = 20_000
	s := connected(t, &standIn{answers: []answer{
		{text: "UPDATE counts", errors: []int{0, 20000, 20000}, words: strings.Repeat("x", tooLong)},
		{text: "FROM counts", columns: []string{"N"}, errors: []int{20000}, words: strings.Repeat("y", tooLong)},
	}})
	st, err := s.Prepare(t.Context(), parse(t, "UPDATE counts SET n = :id"), &bindings{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	_, prepared := st.Run(t.Context(), nil)
	_, queried := s.Query(t.Context(), "SELECT n FROM counts", 1)
	for way, err := range map[string]error{"prepared": prepared, "query": queried, "exec": s.Exec(t.Context(), "UPDATE counts SET n = 1")} {
		if err == nil || len(err.Error()) > 5000 || !strings.Contains(err.Error(), " KiB more") || number(err) != 20000 {
			t.Errorf("%s: got an error of %d bytes with the number %d, want a short ORA-20000", way, len(fmt.Sprint(err)), number(err))
		}
	}
}

// The stand-in runs no PL/SQL, so the test only checks that the handler is part of the block.
func TestBlocks_HandleNoDataFound(t *testing.T) {
	guard := answer{text: "DO_SOMETHING; END;\nEXCEPTION\n  WHEN NO_DATA_FOUND THEN\n    RAISE_APPLICATION_ERROR(-20403", errors: []int{20403, 20403}}
	s := connected(t, &standIn{answers: []answer{guard}})
	block := "BEGIN DO_SOMETHING; END;"
	st, err := s.Prepare(t.Context(), parse(t, block), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Run(t.Context(), nil); number(err) != 20403 {
		t.Errorf("got %v", err)
	}
	if err := s.Exec(t.Context(), block); number(err) != 20403 {
		t.Errorf("got %v", err)
	}
}

func TestConnect_ExplainsRefusedLogin(t *testing.T) {
	for code, want := range map[int]string{
		errWrongPassword:   "check options user and password",
		errPasswordExpired: "ALTER USER tpcc IDENTIFIED BY",
		errAccountLocked:   "ALTER USER tpcc ACCOUNT UNLOCK",
		errNoCreateSession: "GRANT CREATE SESSION TO tpcc",
		errAsSysdba:        "set user to another user, such as SYSTEM",
	} {
		_, err := dial(t.Context(), ownerOf((&standIn{refusal: code}).listen(t)))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "tiger-secret") {
			t.Errorf("ORA-%d: got %v, want an error with %q", code, err, want)
		}
		if _, is := errors.AsType[*database.PasswordError](err); is != (code == errWrongPassword) {
			t.Errorf("ORA-%d: got %T", code, err)
		}
		if class := classify(err); class != meter.Permission {
			t.Errorf("ORA-%d: got the class %v", code, class)
		}
	}
}

// A call ends even if the server never answers.
func TestCalls_EndIfServerIsSilent(t *testing.T) {
	text := "BEGIN slow(:id); END;"
	for name, c := range map[string]struct {
		end  func(s *session, cancel func())
		want error
		most time.Duration
	}{
		"interrupted": {func(s *session, _ func()) { s.Interrupt() }, database.ErrInterrupted, time.Second},
		"cancelled":   {func(_ *session, cancel func()) { cancel() }, context.Canceled, lastWords + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := connected(t, &standIn{frozen: true, answers: []answer{{text: "slow(", silent: true}}})
			st, err := s.Prepare(t.Context(), parse(t, text), &bindings{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if name == "interrupted" { // like a virtual user's
				ctx = context.Background()
			}
			began := time.Now()
			time.AfterFunc(50*time.Millisecond, func() { c.end(s, cancel) })
			if _, err = st.Run(ctx, nil); !errors.Is(err, c.want) || classify(err) != meter.Connection {
				t.Errorf("got %v of class %v", err, classify(err))
			}
			if took := time.Since(began); took > c.most {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// A session stays usable after a query was cancelled, if the server answers the cancellation.
func TestCancel_KeepsSessionUsable(t *testing.T) {
	s := connected(t, &standIn{answers: []answer{
		{text: "FROM large", columns: []string{"N"}, rows: [][]any{{1}}, silent: true},
		{text: "FROM small", columns: []string{"N"}, rows: [][]any{{2}}},
	}})
	time.AfterFunc(50*time.Millisecond, func() {
		if err := s.Cancel(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Query(t.Context(), "SELECT n FROM large", 0); number(err) != errCancelled {
		t.Errorf("got %v, want ORA-01013", err)
	}
	got, err := s.Query(t.Context(), "SELECT n FROM small", 0)
	if err != nil || len(got.Rows) != 1 || got.Rows[0][0] != "2" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestCanBuild_NamesMissingGrants(t *testing.T) {
	all := [][]any{{"CREATE SESSION"}, {"CREATE TABLE"}, {"CREATE VIEW"}, {"CREATE PROCEDURE"}}
	for name, c := range map[string]struct {
		rights, quotas [][]any
		want           string
	}{
		"nothing is missing":                 {all, nil, ""},
		"a quota on the tablespace":          {all, [][]any{{"USERS", "USERS"}, {"USERS", "OTHER"}}, ""},
		"a quota on another tablespace":      {all, [][]any{{"USERS", "OTHER"}}, `run ALTER USER "TPCC" QUOTA UNLIMITED ON "USERS"`},
		"the rights of CONNECT and RESOURCE": {all[:2], [][]any{{"USERS", ""}}, `run GRANT CREATE VIEW, CREATE PROCEDURE TO "TPCC", and ALTER USER "TPCC" QUOTA UNLIMITED ON "USERS"`},
	} {
		s := &standIn{answers: []answer{
			{text: "SELECT privilege FROM session_privs", columns: []string{"PRIVILEGE"}, rows: c.rights},
			{text: "FROM user_users u", columns: []string{"DEFAULT_TABLESPACE", "TABLESPACE_NAME"}, rows: c.quotas},
		}}
		err := canBuild(t.Context(), s.listen(t))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// someRows is a source of rows with a number, a text of growing length, and a day that is NULL in
// every third row.
type someRows struct{ at, rows int }

func (n *someRows) AppendRow(buf []byte) ([]byte, bool) {
	if n.at == n.rows {
		return buf, false
	}
	n.at++
	day := "2026-02-28"
	if n.at%3 == 0 {
		day = `\N`
	}
	return fmt.Appendf(buf, "%d\t%s\t%s\n", n.at, strings.Repeat("x", n.at/20), day), true
}

func TestLoad_LoadsAllRowsOrNone(t *testing.T) {
	table := schema.Table{Name: "rows_loaded", Columns: []schema.Column{
		{Name: "n", Type: schema.Integer}, {Name: "words", Type: schema.Varchar, Size: 100}, {Name: "day", Type: schema.Date, Null: true},
	}}
	for name, c := range map[string]struct {
		errors  []int
		loaded  int64
		commits int64
		class   meter.Class
	}{
		"all of them":          {nil, 2500, 1, meter.Other},
		"the last batch fails": {[]int{0, 0, 12899}, 0, 0, meter.Constraint},
	} {
		server := &standIn{answers: []answer{{text: "INSERT INTO rows_loaded", changed: 1000, errors: c.errors}}}
		s := connected(t, server)
		before := server.commits.Load()
		n, err := s.Load(t.Context(), table, &someRows{rows: 2500})
		if n != c.loaded || (err != nil) != (c.loaded == 0) || err != nil && classify(err) != c.class {
			t.Errorf("%s: got %d rows, %v", name, n, err)
		}
		if got := server.commits.Load() - before; got != c.commits {
			t.Errorf("%s: got %d commits, want %d", name, got, c.commits)
		}
	}
}

func TestUsersWorkAtOnce(t *testing.T) {
	o := (&standIn{}).listen(t)
	values := option.Values{"host": o.Host, "port": strconv.Itoa(o.Port), "service": "sales", "password": "tiger-secret"}
	enginetest.UsersWorkAtOnce(t, Database, values, func(ctx context.Context, session database.Session, _ *sqlfile.Library) error {
		return session.Exec(ctx, "BEGIN NULL; END;")
	})
}
