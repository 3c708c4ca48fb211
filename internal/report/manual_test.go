package report_test

import (
	"bytes"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/report/reporttest"
)

// README shows a result in which all is well. A test of the manual compares its lines with this one's.
func TestText_OfAValidRunIsAsInREADME(t *testing.T) {
	j := reporttest.Run()
	j.Spec.Users, j.Result.Users, j.Result.Elapsed, j.Result.Idle = 2, 2, 8, &job.IdleUsers{}
	j.Facts.Server, j.Facts.Target, j.Facts.Size = "15.18", "PostgreSQL tpcc on 127.0.0.1:5432", "8 warehouses"
	j.Result.CounterAgreement = &job.Agreement{What: "transaction", Client: 181_976, Server: 182_000, Low: 181_976, High: 182_100, Holds: true}
	j.Result.LongestGap = &job.Gap{}
	j.Result.Client = &job.ClientLoad{CoresUsed: 0.05, Cores: 2, MaxProcs: 2}
	stripe, sum := meter.NewStripe(), meter.NewSummary(len(reporttest.Kinds))
	for kind, n := range []int{1000, 1000, 100, 100, 100} {
		for i := range n {
			service := time.Duration(i+1) * 20 * time.Microsecond
			stripe.Record(meter.Record{Kind: meter.Kind(kind), Service: service, Response: service})
		}
	}
	stripe.Record(meter.Record{Kind: 0, Outcome: meter.RolledBack})
	stripe.Take(&sum)
	sum.Elapsed = 8 * time.Second
	var out bytes.Buffer
	if err := report.Text(&out, j, sum, report.View{Width: 80}); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "readme.txt", out.Bytes())
}
