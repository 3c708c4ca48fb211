package db2

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/db2/cli"
	"sledge/internal/meter"
)

// The states and codes are from IBM's "SQL messages" and "SQLSTATE messages".
func TestClassify(t *testing.T) {
	const deadlock, timeout = `SQL0911N The current transaction has been rolled back because of a deadlock or timeout. Reason code "2". SQLSTATE=40001`,
		`SQL0911N The current transaction has been rolled back because of a deadlock or timeout. Reason code "68". SQLSTATE=40001`
	for _, tt := range []struct {
		state   string
		code    int
		message string
		want    meter.Class
	}{
		{"40001", -911, deadlock, meter.Deadlock},
		{"40001", -911, timeout, meter.LockTimeout},
		{"57033", -913, `SQL0913N Unsuccessful execution caused by deadlock or timeout. Reason code "2".`, meter.Deadlock},
		{"57033", -913, `SQL0913N Unsuccessful execution caused by deadlock or timeout. Reason code "68".`, meter.LockTimeout},
		{"40001", -1, "of a server that has other codes", meter.Deadlock},
		{"57033", -1, "of a server that has other codes", meter.LockTimeout},
		{"40XL1", -1, "of Apache Derby", meter.LockTimeout},
		{"X0X02", -1, "of Apache Derby, of a table to be locked", meter.LockTimeout},

		{"23505", -803, "duplicate key", meter.Constraint},
		{"23503", -530, "no such parent", meter.Constraint},
		{"23504", -532, "children left", meter.Constraint},
		{"23502", -407, "NULL where none may be", meter.Constraint},
		{"23513", -545, "check", meter.Constraint},
		{"22001", -433, "too long", meter.Constraint},
		{"22003", -413, "overflow", meter.Constraint},
		{"22012", -801, "division by zero", meter.Constraint},
		{"44000", -161, "not of the view", meter.Constraint},

		{"42501", -551, "no privilege", meter.Permission},
		{"42502", -552, "no privilege for the operation", meter.Permission},
		{"42519", -554, "no right to grant", meter.Permission},
		{"08004", -1403, "user or password", meter.Permission},
		{"28000", -1, "of a server that has other codes", meter.Permission},
		{"08001", -30082, `Security processing failed with reason "24"`, meter.Permission},
		{"08004", -1060, "no right to connect", meter.Permission},

		{"08001", -30081, "communication error", meter.Connection},
		{"08001", -1336, "host is not known", meter.Connection},
		{"08003", -1024, "no connection", meter.Connection},
		{"08004", -30061, "no such database", meter.Connection},
		{"42705", -1013, "no such alias", meter.Connection},
		{"08001", -1531, "no such data source", meter.Connection},
		{"08006", -4499, "broken", meter.Connection},
		{"08506", -30108, "rerouted", meter.Connection},
		{"55032", -1224, "forced off", meter.Connection},
		{"57019", -1032, "not started", meter.Connection},
		{"57019", -1035, "in use", meter.Connection},
		{"55025", -1015, "inconsistent until it is restarted", meter.Connection},
		{"58004", -1042, "system error", meter.Connection},
		{"57014", -952, "cancelled", meter.Connection},
		{"58009", -30020, "protocol", meter.Connection},
		{"40003", -99999, "link failure", meter.Connection},
		{"HYT00", -99999, "time-out", meter.Connection},

		{"57011", -964, "log full", meter.Resource},
		{"57011", -289, "tablespace full", meter.Resource},
		{"57030", -1040, "most applications", meter.Resource},
		{"57049", -1226, "most agents", meter.Resource},
		{"54001", -101, "statement too long", meter.Resource},
		{"HY001", -99999, "memory", meter.Resource},
		{"5U026", -4712, "threshold exceeded", meter.Resource},

		{"42601", -104, "syntax", meter.Other},
		{"55019", -20054, "table in a state that does not allow it", meter.Other},
		{"55039", -290, "tablespace in a state that does not allow it", meter.Other},
		{"57016", -668, "table in a pending state", meter.Other},
		{"57007", -668, "table in a pending state", meter.Other},
		{"58004", -901, "system error of one statement", meter.Other},
		{"58005", -902, "system error of all that follow", meter.Connection},
		{"42704", -204, "no such object", meter.Other},
		{"75000", -438, "of a routine", meter.Other},
	} {
		err := error(&cli.Error{State: tt.state, Code: tt.code, Message: tt.message})
		if got := Classify(fmt.Errorf("a call: %w", errors.Join(err, nil))); got != tt.want {
			t.Errorf("%s %d (%s): got %v, want %v", tt.state, tt.code, tt.message, got, tt.want)
		}
	}
	for err, want := range map[error]meter.Class{
		database.ErrInterrupted:  meter.Connection,
		context.DeadlineExceeded: meter.Connection,
		&libraryError{}:          meter.Connection,
		&tooLong{}:               meter.Constraint,
		errors.New("anything"):   meter.Other,
	} {
		if got := Classify(err); got != want {
			t.Errorf("%v: got %v, want %v", err, got, want)
		}
	}
}

func TestAdviseOnLog(t *testing.T) {
	full := &cli.Error{State: "57011", Code: codeLogFull, Message: "SQL0964C The transaction log for the database is full."}
	if err := adviseOnLog(full); !errors.Is(err, full) || !strings.Contains(err.Error(), "logsecond") {
		t.Errorf("got %v, want it to name the settings to raise", err)
	}
	if other := errors.New("another"); adviseOnLog(other) != other {
		t.Error("another error was changed")
	}
}
