package mysql

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"os"

	"github.com/go-sql-driver/mysql"

	"sledge/internal/meter"
)

// The error numbers that something here depends on. MySQL and MariaDB number
// most errors alike; from 1900 on MariaDB's are its own, and from 3000 on MySQL's.
const (
	errSnapshotChanged        = 1020 // MariaDB, with innodb_snapshot_isolation
	errDiskFull               = 1021
	errOutOfMemory            = 1037
	errTooManyConnections     = 1040
	errOutOfResources         = 1041
	errDatabaseAccessDenied   = 1044
	errAccessDenied           = 1045
	errNullNotAllowed         = 1048
	errUnknownDatabase        = 1049
	errServerShutdown         = 1053
	errDuplicateKey           = 1062
	errTableFull              = 1114
	errTableAccessDenied      = 1142
	errColumnAccessDenied     = 1143
	errNotAllowedCommand      = 1148
	errUnknownVariable        = 1193
	errUserConnections        = 1203
	errLockWaitTimeout        = 1205
	errLockTableFull          = 1206
	errDeadlock               = 1213
	errSpecificAccessDenied   = 1227
	errOutOfRange             = 1264
	errTruncated              = 1265
	errDeprecated             = 1287
	errOptionPrevents         = 1290 // as read_only does
	errUnsupportedPrepared    = 1295
	errQueryInterrupted       = 1317
	errNoDefault              = 1364
	errDivisionByZero         = 1365
	errWrongValue             = 1366
	errRoutineAccessDenied    = 1370
	errDataTooLong            = 1406
	errForeignKeyParent       = 1451
	errForeignKeyChild        = 1452
	errDataOutOfRange         = 1690
	errAccessDeniedNoPassword = 1698
	errConnectionKilled       = 1927 // MariaDB
	errServerGone             = 2006
	errServerLost             = 2013
	errSecureTransport        = 3159 // MySQL
	errLockNoWait             = 3572 // MySQL
	errCheck                  = 3819 // MySQL
	errLocalDisabledMySQL     = 3948
	errCheckMariaDB           = 4025
	errClientInteraction      = 4031 // MySQL: closed for inactivity
	errLocalDisabledMariaDB   = 4166
)

// Classify is Database.Classify.
func Classify(err error) meter.Class {
	switch number(err) {
	case errDeadlock:
		return meter.Deadlock
	case errLockWaitTimeout, errLockNoWait:
		return meter.LockTimeout
	case errSnapshotChanged:
		return meter.Serialization
	case errNullNotAllowed, errDuplicateKey, errOutOfRange, errTruncated, errNoDefault, errWrongValue, errDataTooLong,
		errForeignKeyParent, errForeignKeyChild, errDivisionByZero, errDataOutOfRange, errCheck, errCheckMariaDB:
		return meter.Constraint
	case errDatabaseAccessDenied, errAccessDenied, errTableAccessDenied, errColumnAccessDenied, errSpecificAccessDenied,
		errRoutineAccessDenied, errAccessDeniedNoPassword:
		return meter.Permission
	case errDiskFull, errOutOfMemory, errTooManyConnections, errOutOfResources, errTableFull, errUserConnections, errLockTableFull:
		return meter.Resource
	case errUnknownDatabase, errServerShutdown, errQueryInterrupted, errConnectionKilled, errServerGone, errServerLost, errClientInteraction, errSecureTransport:
		return meter.Connection
	case 0:
		if isBroken(err) {
			return meter.Connection
		}
	}
	return meter.Other
}

// number returns the number of a server's error, and 0 for others.
func number(err error) uint16 {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return e.Number
	}
	return 0
}

// isBroken reports whether an error that is not the server's means that the
// connection is gone. The driver closes it, too, when a call's context ends.
func isBroken(err error) bool {
	for _, target := range []error{
		driver.ErrBadConn, mysql.ErrInvalidConn, mysql.ErrMalformPkt, mysql.ErrPktSync, mysql.ErrPktSyncMul, mysql.ErrNoTLS,
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, os.ErrDeadlineExceeded, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	_, isUnconnected := errors.AsType[*connectError](err)
	_, isNetwork := errors.AsType[net.Error](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	return isUnconnected || isNetwork || isCertificate
}
