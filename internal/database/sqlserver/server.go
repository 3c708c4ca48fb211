package sqlserver

import (
	"context"
	"errors"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
	"sledge/internal/sqlschema"
)

// newServer is Database.Server. Plans need settings of the session, each in its own batch. The
// count comes from a view that Babelfish lacks, and that only logins with a right may read.
func newServer(sql *sqlfile.Library) database.Server {
	server := sqlschema.NewServer(sql)
	server.CounterOwn = 1
	server.Explain = explainer("SHOWPLAN_XML", "BABELFISH_SHOWPLAN_ALL")
	server.ExplainTimed = explainer("STATISTICS XML", "BABELFISH_STATISTICS PROFILE") // the plan follows the rows
	server.CountsStatements = "SQL Server counts batches, and each statement from the client is one"
	batches := server.Counter
	server.Counter = func(ctx context.Context, s database.Session) (int64, error) {
		n, err := batches(ctx, s)
		none, is := errors.AsType[*database.UncountedError](err)
		switch {
		case is:
			none.Text = "the server has no sys.dm_os_performance_counters, or the view is empty"
		case err != nil && classify(err) == meter.Permission:
			err = &database.UncountedError{Err: err, Text: fmt.Sprintf("the login may not see the server's counters (%v): "+
				"grant it VIEW SERVER STATE, or VIEW SERVER PERFORMANCE STATE from SQL Server 2022 on, and VIEW DATABASE STATE on Azure SQL", err)}
		}
		return n, err
	}
	return server
}
