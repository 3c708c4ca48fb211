package mysql

import (
	"errors"

	"github.com/go-sql-driver/mysql"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// Numbers of errors that this package handles. MySQL and MariaDB share most numbers; names or
// comments mark those that only one of them has.
const (
	errDatabaseExists         = 1007
	errSnapshotChanged        = 1020 // MariaDB, with innodb_snapshot_isolation
	errDiskFull               = 1021
	errDuplicateOnWrite       = 1022
	errOutOfMemory            = 1037
	errOutOfSortMemory        = 1038
	errTooManyConnections     = 1040
	errOutOfResources         = 1041
	errDatabaseAccessDenied   = 1044
	errAccessDenied           = 1045
	errNullNotAllowed         = 1048
	errUnknownDatabase        = 1049
	errServerShutdown         = 1053
	errDuplicateKey           = 1062
	errTableFull              = 1114
	errHostBlocked            = 1129
	errHostNotAllowed         = 1130
	errNoThread               = 1135
	errTableAccessDenied      = 1142
	errColumnAccessDenied     = 1143
	errNoSuchTable            = 1146
	errNotAllowedCommand      = 1148
	errAborted                = 1152
	errReading                = 1158
	errReadTimeout            = 1159
	errWriting                = 1160
	errWriteTimeout           = 1161
	errDuplicateUnique        = 1169
	errUnknownVariable        = 1193
	errUserConnections        = 1203
	errLockWaitTimeout        = 1205
	errLockTableFull          = 1206
	errDeadlock               = 1213
	errNoParentRow            = 1216 // 1451 and 1452 with other names
	errRowIsParent            = 1217
	errUserLimit              = 1226
	errSpecificAccessDenied   = 1227
	errOutOfRange             = 1264
	errTruncated              = 1265
	errDeprecated             = 1287
	errOptionPrevents         = 1290 // as read_only does
	errTruncatedWrong         = 1292
	errUnsupportedPrepared    = 1295
	errNoDefault              = 1364
	errDivisionByZero         = 1365
	errWrongValue             = 1366
	errRoutineAccessDenied    = 1370
	errDataTooLong            = 1406
	errForeignKeyParent       = 1451
	errForeignKeyChild        = 1452
	errDuplicateForeignKey    = 1557
	errDuplicateNamed         = 1586
	errTooManyPrepared        = 1461
	errTransactionTimeout     = 1613
	errTransactionDeadlock    = 1614
	errManyTransactions       = 1637
	errDataOutOfRange         = 1690
	errAccessDeniedNoPassword = 1698
	errReadOnlyTransaction    = 1792
	errMustChangePassword     = 1820
	errReadOnlyMode           = 1836
	errPasswordExpired        = 1862
	errConnectionKilled       = 1927 // MariaDB
	errServerGone             = 2006
	errServerLost             = 2013
	errRollbackAtCommit       = 3101 // MySQL: group replication found a conflict
	errAccountLocked          = 3118 // MySQL
	errSecureTransport        = 3159 // MySQL
	errLockNoWait             = 3572 // MySQL
	errCheck                  = 3819 // MySQL
	errLocalDisabledMySQL     = 3948
	errCheckMariaDB           = 4025
	errClientInteraction      = 4031 // MySQL: closed for inactivity
	errLocalDisabledMariaDB   = 4166
)

// Classify is Sessions.Classify.
func Classify(err error) meter.Class {
	switch number(err) {
	case errDeadlock, errTransactionDeadlock:
		return meter.Deadlock
	case errLockWaitTimeout, errLockNoWait, errTransactionTimeout:
		return meter.LockTimeout
	case errSnapshotChanged, errRollbackAtCommit:
		return meter.Serialization
	case errNullNotAllowed, errDuplicateKey, errOutOfRange, errTruncated, errNoDefault, errWrongValue, errDataTooLong,
		errForeignKeyParent, errForeignKeyChild, errDivisionByZero, errDataOutOfRange, errCheck, errCheckMariaDB,
		errDuplicateOnWrite, errDuplicateUnique, errDuplicateForeignKey, errDuplicateNamed, errNoParentRow, errRowIsParent, errTruncatedWrong:
		return meter.Constraint
	case errDatabaseAccessDenied, errAccessDenied, errTableAccessDenied, errColumnAccessDenied, errSpecificAccessDenied,
		errRoutineAccessDenied, errAccessDeniedNoPassword,
		errHostNotAllowed, errMustChangePassword, errPasswordExpired, errAccountLocked, errOptionPrevents, errReadOnlyTransaction, errReadOnlyMode:
		return meter.Permission
	case errDiskFull, errOutOfMemory, errTooManyConnections, errOutOfResources, errTableFull, errUserConnections, errLockTableFull,
		errOutOfSortMemory, errNoThread, errUserLimit, errManyTransactions, errTooManyPrepared:
		return meter.Resource
	case errUnknownDatabase, errServerShutdown, errConnectionKilled, errServerGone, errServerLost, errClientInteraction, errSecureTransport,
		errHostBlocked, errAborted, errReading, errReadTimeout, errWriting, errWriteTimeout:
		return meter.Connection
	case 0:
		if isBroken(err) {
			return meter.Connection
		}
	}
	return meter.Other
}

// ReadsOnly is Sessions.ReadsOnly.
func ReadsOnly(err error) bool {
	n := number(err)
	return n == errOptionPrevents || n == errReadOnlyTransaction || n == errReadOnlyMode
}

// Explain is Sessions.Explain.
func Explain(err error) database.Explanation {
	e, ok := errors.AsType[*mysql.MySQLError](err)
	switch {
	case ok:
		return database.Explanation{Number: int(e.Number), State: string(e.SQLState[:]), Message: e.Message}
	case isBroken(err):
		return database.Explanation{Number: errServerLost, State: "HY000", Message: err.Error()}
	}
	return database.Explanation{Message: err.Error()}
}

// number returns the number of a server's error, and 0 for other errors.
func number(err error) uint16 {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return e.Number
	}
	return 0
}

// isBroken reports whether an error means that the connection is lost, unless the server sent the
// error. That includes the end of a call's context, because the driver then closes the connection.
func isBroken(err error) bool {
	return database.IsBroken(err, mysql.ErrInvalidConn, mysql.ErrMalformPkt, mysql.ErrPktSync, mysql.ErrPktSyncMul, mysql.ErrNoTLS)
}

// short is database.Short, and also shortens the server's text in the error itself, because jobs keep
// errors for a while.
func short(err error) error {
	if fromServer, is := errors.AsType[*mysql.MySQLError](err); is {
		job.Limit(fromServer)
	}
	return database.Short(err)
}
