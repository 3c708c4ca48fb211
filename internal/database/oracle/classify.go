package oracle

import (
	"errors"
	"regexp"
	"strconv"

	"github.com/sijms/go-ora/v2/network"

	"sledge/internal/database"
	"sledge/internal/meter"
)

// Numbers of errors that this package handles, from Oracle's Database Error Messages: ORA-00060 is
// 60.
const (
	errUnique            = 1
	errTooManySessions   = 18
	errSessionsPerUser   = 2391
	errTooManyProcesses  = 20
	errSessionKilled     = 28
	errBusy              = 54
	errDeadlock          = 60
	errNoTable           = 942
	errNameTaken         = 955
	errNoPasswordGiven   = 1005
	errNotLoggedOn       = 1012
	errCancelled         = 1013
	errWrongPassword     = 1017
	errNoRights          = 1031
	errNoCreateSession   = 1045
	errCascadeNeeded     = 1922
	errConnectedUser     = 1940
	errSnapshotTooOld    = 1555
	errSerialization     = 8177
	errUnknownSID        = 12505
	errUnknownService    = 12514
	errPasswordExpired   = 28001
	errAccountLocked     = 28000
	errAsSysdba          = 28009
	errLockTimeout       = 30006
	errNotInPluggable    = 65040
	errCommonUser        = 65096
	errBrokenConstraints = 2290
)

// classOf maps the numbers of errors to classes. All other errors are mistakes of the program, with
// the class other.
var classOf = map[int]meter.Class{
	errDeadlock: meter.Deadlock,
	104:         meter.Deadlock, // among all shared servers
	4020:        meter.Deadlock, // while trying to lock an object
	12829:       meter.Deadlock, // among parallel processes

	errSerialization:  meter.Serialization,
	errSnapshotTooOld: meter.Serialization,
	8176:              meter.Serialization, // the undo data for a reader were overwritten

	errBusy:        meter.LockTimeout,
	51:             meter.LockTimeout,
	2049:           meter.LockTimeout, // of a distributed transaction
	4021:           meter.LockTimeout,
	errLockTimeout: meter.LockTimeout,

	errUnique:            meter.Constraint,
	1400:                 meter.Constraint, // NULL is not allowed
	1401:                 meter.Constraint,
	1407:                 meter.Constraint,
	1426:                 meter.Constraint, // numeric overflow
	1438:                 meter.Constraint, // a number too large for its column
	1476:                 meter.Constraint, // divisor is zero
	1722:                 meter.Constraint, // invalid number
	1840:                 meter.Constraint,
	1847:                 meter.Constraint,
	1858:                 meter.Constraint,
	1861:                 meter.Constraint,
	errBrokenConstraints: meter.Constraint, // check
	2291:                 meter.Constraint, // no parent
	2292:                 meter.Constraint, // a child
	6502:                 meter.Constraint, // PL/SQL: a numeric or value error
	12899:                meter.Constraint, // text too long for its column

	errNoTable:         meter.Permission, // or the user may not see it: the server does not distinguish these
	errNoPasswordGiven: meter.Permission,
	errWrongPassword:   meter.Permission,
	errNoRights:        meter.Permission,
	errNoCreateSession: meter.Permission,
	1035:               meter.Permission, // the instance is for administrators only
	1720:               meter.Permission,
	1919:               meter.Permission, // no such role
	1924:               meter.Permission,
	1932:               meter.Permission, // a role that the user may not grant
	1950:               meter.Permission, // no quota on a tablespace
	1952:               meter.Permission,
	errAccountLocked:   meter.Permission,
	errPasswordExpired: meter.Permission,
	errAsSysdba:        meter.Permission,
	41900:              meter.Permission,

	errTooManySessions:  meter.Resource,
	19:                  meter.Resource,
	errTooManyProcesses: meter.Resource,
	55:                  meter.Resource,
	57:                  meter.Resource,
	257:                 meter.Resource, // no space for the archiver
	1000:                meter.Resource, // open cursors
	1536:                meter.Resource, // quota
	1562:                meter.Resource,
	1628:                meter.Resource,
	1630:                meter.Resource,
	1631:                meter.Resource,
	1632:                meter.Resource,
	1650:                meter.Resource,
	1651:                meter.Resource,
	1652:                meter.Resource,
	1653:                meter.Resource,
	1654:                meter.Resource,
	1655:                meter.Resource,
	1658:                meter.Resource,
	1659:                meter.Resource,
	1688:                meter.Resource,
	1691:                meter.Resource,
	errSessionsPerUser:  meter.Resource,
	2392:                meter.Resource, // CPU of the session
	2393:                meter.Resource, // CPU of the call
	2395:                meter.Resource, // reads of the call
	4030:                meter.Resource, // memory of the process
	4031:                meter.Resource, // shared memory
	4036:                meter.Resource,
	19502:               meter.Resource,
	19504:               meter.Resource,
	19809:               meter.Resource,
	30036:               meter.Resource, // undo
	12516:               meter.Resource, // no handler left
	12519:               meter.Resource,
	12827:               meter.Resource, // too few parallel processes
	12953:               meter.Resource, // the limit of a free edition
	12954:               meter.Resource,
	65114:               meter.Resource, // the limit of a pluggable database
	12520:               meter.Resource,

	22:                meter.Connection,
	errSessionKilled:  meter.Connection,
	31:                meter.Connection, // marked for kill
	603:               meter.Connection,
	1012:              meter.Connection,
	errCancelled:      meter.Connection, // by an interrupt; the engine recognizes calls that it has cancelled itself
	1033:              meter.Connection,
	1034:              meter.Connection,
	1041:              meter.Connection,
	1089:              meter.Connection,
	1090:              meter.Connection,
	1092:              meter.Connection,
	1109:              meter.Connection, // the database is not open
	2396:              meter.Connection, // idle for too long
	2399:              meter.Connection, // connected for too long
	3113:              meter.Connection,
	3114:              meter.Connection,
	3135:              meter.Connection,
	3136:              meter.Connection,
	12153:             meter.Connection,
	12154:             meter.Connection,
	12157:             meter.Connection,
	12170:             meter.Connection,
	12203:             meter.Connection,
	12500:             meter.Connection,
	errUnknownSID:     meter.Connection,
	12506:             meter.Connection,
	12509:             meter.Connection,
	12510:             meter.Connection,
	12511:             meter.Connection,
	12513:             meter.Connection,
	errUnknownService: meter.Connection,
	12521:             meter.Connection,
	12523:             meter.Connection,
	12525:             meter.Connection,
	12526:             meter.Connection,
	12527:             meter.Connection,
	12528:             meter.Connection,
	12532:             meter.Connection,
	12533:             meter.Connection,
	12535:             meter.Connection,
	12537:             meter.Connection,
	12541:             meter.Connection,
	12543:             meter.Connection,
	12545:             meter.Connection,
	12547:             meter.Connection,
	12552:             meter.Connection,
	12560:             meter.Connection,
	12564:             meter.Connection,
	12570:             meter.Connection,
	12571:             meter.Connection,
	12582:             meter.Connection,
	12583:             meter.Connection,
	12592:             meter.Connection,
	12593:             meter.Connection,
	12606:             meter.Connection,
	12608:             meter.Connection,
	12609:             meter.Connection,
	12637:             meter.Connection,
	25401:             meter.Connection,
	25402:             meter.Connection,
	25403:             meter.Connection,
	25405:             meter.Connection,
	25408:             meter.Connection,
	25409:             meter.Connection,
	27101:             meter.Connection,
	28860:             meter.Connection,
	28864:             meter.Connection,
	29024:             meter.Connection,
	29106:             meter.Connection,
}

// classify is Sessions.Classify.
func classify(err error) meter.Class {
	if n := number(err); n != 0 {
		return classOf[n]
	}
	if isBroken(err) {
		return meter.Connection
	}
	return meter.Other
}

// number returns the number of a server's error, and 0 for other errors. For an error that only
// wraps another one, it returns the number of the inner error.
func number(err error) int {
	e, ok := errors.AsType[*network.OracleError](err)
	if !ok {
		return 0
	}
	if isBearer(e.ErrCode) {
		for _, m := range numbered.FindAllStringSubmatch(e.ErrMsg, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil && !isBearer(n) {
				return n
			}
		}
	}
	return e.ErrCode
}

// isBearer reports whether an error only wraps another one and says where it occurred: in the
// server's own SQL, at the end of a transaction, in a parallel process.
func isBearer(number int) bool { return number == 604 || number == 2091 || number == 12801 }

var numbered = regexp.MustCompile(`ORA-(\d{5})`)

// isBroken reports whether an error means that the connection is lost, unless the server sent the
// error.
func isBroken(err error) bool {
	return database.IsBroken(err, network.ErrConnReset, database.ErrInterrupted)
}
