package sqlserver

import (
	"errors"

	mssql "github.com/microsoft/go-mssqldb"

	"sledge/internal/database"
	"sledge/internal/meter"
)

// Numbers of errors that this package handles.
const (
	errCannotOpen          = 4060
	errUnknownDatabase     = 911 // login to Babelfish
	errLoginUntrusted      = 18452
	errLoginFailed         = 18456
	errLoginDisabled       = 18470
	errPasswordExpired     = 18487
	errPasswordMustChange  = 18488
	errLoginLocked         = 18486
	errFirewall            = 40615
	errVirtualNetwork      = 40914
	errPublicNetwork       = 47073
	errDatabaseUnavailable = 40613
	errDatabaseExists      = 1801
	errInUse               = 3702
	errNoDatabase          = 3701
	errNoTransaction       = 3903
)

// classes lists the numbers of the server's errors by class, from
// https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
// and, for memory-optimized tables, from
// https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/transactions-with-memory-optimized-tables
// and, for Azure SQL, from
// https://learn.microsoft.com/azure/azure-sql/database/troubleshoot-common-errors-issues.
var classes = map[meter.Class][]int32{
	meter.Deadlock:    {1205},
	meter.LockTimeout: {1222},
	meter.Serialization: {
		3960, 3961, // snapshot isolation
		41301, 41302, 41305, 41325, 41839, // memory-optimized tables
	},
	meter.Constraint: {
		220, 8115, // overflow
		241, 242, 245, 8114, // conversion
		515, 547, 2601, 2627, // NULL, CHECK and FOREIGN KEY, unique index, key
		2628, 8152, // text too long
		8134, // division by zero
	},
	meter.Permission: {
		229, 230, 262, 297, 300, 371, 916, 4834, 5011, 6102, 15247, 17892,
		3906, // a read-only database, such as a replica
		errLoginUntrusted, errLoginFailed, errLoginDisabled, errLoginLocked, errPasswordExpired, errPasswordMustChange,
		errFirewall, errVirtualNetwork, errPublicNetwork,
	},
	meter.Resource: {
		701, 802, 845, 1204, 8623, 8628, 8645, 8651, 8657, // memory, locks
		1101, 1105, 3966, 3967, 9002, // disk, versions of rows, log
		17189, 17809, // connections
		1132, 10928, 10929, 10936, 40501, 40544, 40549, 40550, 40551, 40552, 40553, // quotas
		40642, 40675, 41805, 41822, 41823, 41840, 49918, 49919, 49920,
	},
	meter.Connection: {
		596, 6005, errCannotOpen, errUnknownDatabase, 17142, 18401, 18451, 40143, 40197, 40540, errDatabaseUnavailable,
		615, 921, 922, 927, 952, 976, 978, 979, 983, 4221, // the database is temporarily unavailable
		64, 121, 233, 10053, 10054, 10060, 10061,
	},
}

// fatal is the lowest severity of an error after which the server ends the connection:
// https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities.
const fatal = 20

var classOf = byNumber()

func byNumber() map[int32]meter.Class {
	all := map[int32]meter.Class{}
	for class, numbers := range classes {
		for _, n := range numbers {
			all[n] = class
		}
	}
	return all
}

// classify is Sessions.Classify.
func classify(err error) meter.Class {
	if errors.Is(err, database.ErrInterrupted) {
		return meter.Connection
	}
	if class, known := classOf[number(err)]; known {
		return class
	}
	if said, is := errors.AsType[mssql.Error](err); is && said.Class >= fatal {
		return meter.Connection
	}
	if said, is := errors.AsType[*routineError](err); is && said.inMemory {
		return meter.Serialization
	}
	if isBroken(err) {
		return meter.Connection
	}
	return meter.Other
}

// number returns the number of a server's error, and 0 for other errors. If there are several, it
// returns the first specific one: after 1205 or 4060, for example, the server reports consequences.
func number(err error) int32 {
	if said, is := errors.AsType[*routineError](err); is {
		return said.number
	}
	var e mssql.Error
	if !errors.As(err, &e) {
		return 0
	}
	for _, one := range e.All {
		if class := classOf[one.Number]; one.Number == errCannotOpen || class.Retryable() {
			return one.Number
		}
	}
	if len(e.All) > 0 && e.Number == 3621 { // "the statement has been terminated"
		return e.All[0].Number
	}
	return e.Number
}

// lacksDatabase reports whether a server refuses a login because the database does not exist, or, on SQL
// Server, because the login may not know of it.
func lacksDatabase(err error) bool {
	n := number(err)
	return n == errCannotOpen || n == errUnknownDatabase
}

// isBroken reports whether an error means that the connection is lost, unless the server sent the
// error.
func isBroken(err error) bool {
	_, isStream := errors.AsType[mssql.StreamError](err)
	_, isServer := errors.AsType[mssql.ServerError](err)
	return isStream || isServer || database.IsBroken(err)
}
