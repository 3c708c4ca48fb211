package oracle

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"

	"sledge/internal/database"
)

func TestDurability(t *testing.T) {
	for _, c := range []struct {
		settings map[string]string
		durable  bool
		why      string
	}{
		{map[string]string{"commit_wait": "NULL", "commit_logging": "NULL", "commit_write": "NULL", "log_mode": "NOARCHIVELOG"}, true, "commits wait for the redo log, log_mode is NOARCHIVELOG"},
		{map[string]string{"commit_wait": "WAIT", "commit_logging": "BATCH"}, true, "commits wait for the redo log, commit_logging is BATCH"},
		{map[string]string{"commit_wait": "NOWAIT"}, false, "commit_wait is NOWAIT"},
		{map[string]string{"commit_wait": "FORCE_NOWAIT"}, false, "commit_wait is FORCE_NOWAIT"},
		{map[string]string{"commit_wait": "NULL", "commit_write": "BATCH,NOWAIT"}, false, "commit_write is BATCH,NOWAIT"},
		{map[string]string{}, false, "commit_wait is unknown, because the users may not read v$parameter"},
	} {
		if durable, why := durability(c.settings); durable != c.durable || why != c.why {
			t.Errorf("%v: got %t, %s, want %t, %s", c.settings, durable, why, c.durable, c.why)
		}
	}
}

// plan is an output of DBMS_XPLAN from its manual (PL/SQL Packages and Types Reference).
const plan = `Plan hash value: 2944394175

------------------------------------------------------------------------------
| Id  | Operation                    | Name        | Rows  | Bytes | Cost (%CPU)|
------------------------------------------------------------------------------
|   0 | SELECT STATEMENT             |             |     4 |   108 |     6  (34)|
|   1 |  SORT GROUP BY               |             |     4 |   108 |     6  (34)|
|*  2 |   TABLE ACCESS BY INDEX ROWID| LINEITEM    |   100 |  2700 |     4   (0)|
|   3 |    INDEX RANGE SCAN          | LINEITEM_PK |   100 |       |     2   (0)|
------------------------------------------------------------------------------

Predicate Information (identified by operation id):
   2 - filter("L_SHIPDATE"<=TO_DATE('1998-09-02','YYYY-MM-DD'))`

func TestReadPlan(t *testing.T) {
	var answer database.Table
	for line := range strings.Lines(plan) {
		answer.Rows = append(answer.Rows, []string{strings.TrimRight(line, "\n")})
	}
	var steps []string
	lines := readPlan(answer)
	for _, line := range lines {
		if line.Step != "" {
			steps = append(steps, line.Step)
		}
	}
	want := []string{" SELECT STATEMENT", "  SORT GROUP BY", "   TABLE ACCESS BY INDEX ROWID LINEITEM", "    INDEX RANGE SCAN LINEITEM_PK"}
	if len(lines) != len(answer.Rows) || strings.Join(steps, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", steps, want)
	}
}

func TestStatementKinds(t *testing.T) {
	for text, want := range map[string][2]bool{
		"SELECT 1 FROM dual": {true, false}, " -- said\n(select 1 from dual)": {true, false}, "WITH a AS (SELECT 1 FROM dual) SELECT * FROM a": {true, false},
		"BEGIN NULL; END;": {false, true}, "DECLARE\n  a INTEGER;\nBEGIN NULL; END;": {false, true},
		"UPDATE t SET a = 1": {false, false}, "": {false, false}, "BEGINNING": {false, false},
	} {
		if got := [2]bool{isQuestion(text), isBlock(text)}; got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestConnect_ExplainsListenersRefusal(t *testing.T) {
	for _, c := range []struct {
		code    int
		missing bool
		want    string
	}{
		{12514, true, "check the service in option service"},
		{12505, true, "check the SID in option sid"},
		{12516, false, "raise the server's processes"},
		{12528, false, "start it, and wait until it is open"},
	} {
		o := (&standIn{sentAway: "(DESCRIPTION=(TMP=)(VSNNUM=0)(ERR=" + strconv.Itoa(c.code) + ")(ERROR_STACK=(ERROR=(CODE=" + strconv.Itoa(c.code) + ")(EMFI=4))))"}).listen(t)
		_, err := connect(t.Context(), o, database.Owner)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), target(o)[len("tpcc on "):]) {
			t.Errorf("ORA-%d: got %v, want an error with %q", c.code, err, c.want)
			continue
		}
		if errors.Is(err, database.ErrMissing) != c.missing {
			t.Errorf("ORA-%d: errors.Is(err, ErrMissing) is %v", c.code, !c.missing)
		}
		if strings.Contains(err.Error(), "tiger-secret") {
			t.Errorf("the error contains the password: %v", err)
		}
	}
}

func TestConnect_SaysThatNothingListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := optionsOf(t, listener.Addr().(*net.TCPAddr).Port)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = connect(t.Context(), o, database.Owner)
	if err == nil || !strings.Contains(err.Error(), "check options host and port, and that a listener is running there") {
		t.Errorf("got %v", err)
	}
	o.Password = ""
	if _, err := connect(t.Context(), o, database.Owner); err == nil || !strings.Contains(err.Error(), "set option password") {
		t.Errorf("without a password: got %v", err)
	}
}
