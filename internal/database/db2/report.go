package db2

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sledge/internal/database"
)

// report is Runs.Report. It calls the procedure DBSUMMARY of the module MONREPORT, which waits
// for a number of seconds and returns its lines as rows. The user needs EXECUTE on the module.
func report(options any, measured time.Duration) *database.Report {
	o, is := options.(*transactional)
	if !is || o.Report == 0 {
		return nil
	}
	r := &database.Report{Title: "MONREPORT"}
	took := time.Duration(o.Report) * time.Minute
	if took >= measured {
		r.LeftOut = fmt.Sprintf("the measured time of %s is not longer than the %s of option %s", measured, took, o.Name("monreport"))
		return r
	}
	r.Make = reportBy(fmt.Sprintf("CALL monreport.dbsummary(%d)", int(took.Seconds())))
	return r
}

// reportBy returns a Report.Make that calls a routine and joins its rows.
func reportBy(call string) func(context.Context, database.Session, <-chan struct{}) (string, error) {
	return func(ctx context.Context, s database.Session, _ <-chan struct{}) (string, error) {
		t, err := s.Query(ctx, call, 0)
		lines := make([]string, len(t.Rows))
		for i, row := range t.Rows {
			lines[i] = strings.TrimRight(strings.Join(row, "  "), " ")
		}
		return strings.Join(lines, "\n"), err
	}
}
