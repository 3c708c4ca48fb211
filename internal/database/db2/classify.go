package db2

import (
	"context"
	"errors"
	"strings"

	"sledge/internal/database"
	"sledge/internal/database/db2/cli"
	"sledge/internal/meter"
)

// SQLCODEs that are more specific than their SQLSTATE (IBM's "SQL messages").
const (
	codeRollback       = -911   // deadlock or timeout, by its reason; the transaction was rolled back
	codeNoRollback     = -913   // the same, but only the statement was rolled back
	codeForced         = -1224  // the database manager refuses requests, or has ended them
	codeSystem         = -1032  // the database manager is not started
	codeInUse          = -1035  // another user has the database exclusively
	codeCommunication  = -30081 // the server does not respond
	codeRefused        = -30082 // the login was refused
	codeRefusedThere   = -1403  // the same, for a database in the library's catalog
	codeOneStatement   = -901   // a failure of one statement only
	codeNotFound       = -30061 // the server has no such database
	codeUnknownAlias   = -1013  // the client's catalog has no such database
	codeUnknownSource  = -1531  // the client's files have no such database either
	codeNoConnectRight = -1060
	codeNoService      = -1336 // the host name is unknown
	codeOfLibrary      = -99999
	codeMaximum        = -1226 // too many agents
	codeApplications   = -1040 // too many applications
	codeLogFull        = -964  // the open transactions exceed the log
)

// timeoutReason is the reason code of a timeout in the message of codeRollback, as in "Reason code
// \"68\"". Other reason codes mean deadlocks.
const timeoutReason = "68"

// Classify is Sessions.Classify. It uses the SQLCODE if that is specific, and otherwise the
// SQLSTATE (IBM's "SQLSTATE messages").
func Classify(err error) meter.Class {
	e, ok := errors.AsType[*cli.Error](err)
	if errors.Is(err, database.ErrInterrupted) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return meter.Connection
	}
	if !ok {
		return classifyOthers(err)
	}
	switch e.Code {
	case codeRollback, codeNoRollback:
		if reason(e.Message) == timeoutReason {
			return meter.LockTimeout
		}
		return meter.Deadlock
	case codeForced, codeSystem, codeInUse, codeCommunication, codeNotFound, codeUnknownAlias, codeUnknownSource, codeNoService:
		return meter.Connection
	case codeRefused, codeRefusedThere, codeNoConnectRight:
		return meter.Permission
	case codeOneStatement:
		return meter.Other
	case codeMaximum, codeApplications:
		return meter.Resource
	}
	switch e.State {
	case "40001":
		return meter.Deadlock
	case "57033", "40XL1", "X0X02": // the last two are Apache Derby's
		return meter.LockTimeout
	case "HYT00", "HYT01", "57014", "57015", "57019", "57020", "57030", "57036", "40003", "40506", "55025", "55032":
		return meter.Connection
	case "HY001", "HY014", "5U026": // the last is a threshold of workload management
		return meter.Resource
	case "57007", "57016": // a table in a pending state
		return meter.Other
	}
	switch e.State[:min(2, len(e.State))] {
	case "08", "58":
		return meter.Connection
	case "22", "23", "44":
		return meter.Constraint
	case "28", "42":
		if e.State == "42501" || e.State == "42502" || e.State[0] == '2' || e.State == "42519" {
			return meter.Permission
		}
	case "54", "57":
		return meter.Resource
	}
	return meter.Other
}

func classifyOthers(err error) meter.Class {
	if _, ok := errors.AsType[*libraryError](err); ok {
		return meter.Connection
	}
	if _, ok := errors.AsType[*tooLong](err); ok {
		return meter.Constraint
	}
	return meter.Other
}

// reason returns the reason code in a message.
func reason(message string) string {
	_, rest, _ := strings.Cut(message, "eason code")
	_, rest, _ = strings.Cut(rest, `"`)
	code, _, _ := strings.Cut(rest, `"`)
	return strings.TrimSpace(code)
}
