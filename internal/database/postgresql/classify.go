package postgresql

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// classify is Sessions.Classify. It classifies the server's errors by SQLSTATE (manual, appendix
// A), and other errors by whether the connection is lost.
func classify(err error) meter.Class {
	var fromServer *pgconn.PgError
	if errors.As(err, &fromServer) {
		return classOf(fromServer.Code)
	}
	if database.IsBroken(err, pgconn.ErrConnClosed) {
		return meter.Connection
	}
	return meter.Other
}

// explain is Sessions.Explain.
func explain(err error) database.Explanation {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return database.Explanation{State: e.Code, Message: e.Message}
	}
	return database.Explanation{Message: err.Error()}
}

func classOf(code string) meter.Class {
	switch code {
	case "40001":
		return meter.Serialization
	case "40P01":
		return meter.Deadlock
	case "40002":
		return meter.Constraint
	case "58030":
		return meter.Resource
	case "55P03":
		return meter.LockTimeout
	case "42501", "25006": // 25006: the server is read-only
		return meter.Permission
	case "3D000", "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04": // the last two mean that the transaction took too long
		return meter.Connection
	}
	for prefix, class := range map[string]meter.Class{
		"08": meter.Connection, "22": meter.Constraint, "23": meter.Constraint, "44": meter.Constraint, "28": meter.Permission, "53": meter.Resource,
	} {
		if strings.HasPrefix(code, prefix) {
			return class
		}
	}
	return meter.Other
}

// short is database.Short, and also shortens the server's texts in the error itself, because jobs keep
// errors for a while. For the driver's error about a message that is too long, it returns
// database.ErrTooLong.
func short(err error) error {
	if _, is := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); is {
		return database.ErrTooLong
	}
	if fromServer, is := errors.AsType[*pgconn.PgError](err); is {
		job.Limit(fromServer)
	}
	return database.Short(err)
}
