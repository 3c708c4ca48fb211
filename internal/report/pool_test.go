package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

func TestText_ShowsLostConnectionsOfAPool(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	connection := func(name, target string, tpm float64) job.PoolConnection {
		return job.PoolConnection{
			Name: name, Target: target, Server: "15.1", PerMinute: tpm, Response: &meter.Latency{P50: 2, P99: 12},
			Shares: []job.PoolShare{{Kind: "payment", PerMinute: tpm}},
		}
	}
	a, b := connection("a", "tpcc on one", 1200), connection("b", "tpcc on two", 300)
	a.Monitored = true
	b.Failed, b.Lost = 4, &job.PoolLoss{At: at, From: 64.2, Sessions: 4, Why: "unexpected EOF"}
	j := job.Job{Status: job.Succeeded, Spec: job.Spec{Action: job.Run}, Result: job.Result{
		Status: job.Succeeded, Demand: job.Demand{Pool: &job.Pool{Connections: []job.PoolConnection{a, b}}},
		Agreements: job.Agreements{Agreement: &job.Agreement{What: "new order", Client: 5, Server: 5, Low: 5, High: 5, Holds: true, Over: "tpcc on one"}},
	}}
	var out bytes.Buffer
	if err := Text(&out, j, meter.NewSummary(1), View{Whole: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"✗  Pool  connection b, tpcc on two, was lost at 1:04 of the measured time (2026-01-02 03:04:05 UTC), 4 sessions: unexpected EOF. Look in its server's log for the reason; with --reconnect it is made again.",
		"the virtual users counted 5 new orders over the connections to tpcc on one, the server 5",
		"  a           1,200    1,200    2.00    12.0       0",
		"  b             300      300    2.00    12.0       4",
		"NOPM, TPM and the server's counts are those of a alone",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwithout %q", &out, want)
		}
	}
}

func TestPool_IsShownInTwoTablesIfOneIsTooWide(t *testing.T) {
	one := job.PoolConnection{Name: "primary", PerMinute: 22350, Response: &meter.Latency{P50: 2, P99: 12}}
	for i, kind := range []string{"new order", "payment", "delivery", "stock level", "order status"} {
		one.Shares = append(one.Shares, job.PoolShare{Kind: kind, PerMinute: 10000 - 1000*float64(i)})
	}
	for _, tt := range []struct {
		width int
		want  []string
	}{
		{140, []string{"  primary     22,350     10,000    9,000     8,000        7,000         6,000    2.00    12.0       0\n"}},
		{80, []string{"  primary        10,000    9,000     8,000        7,000         6,000\n\n", "  primary     22,350    2.00    12.0       0\n"}},
	} {
		b := page{View: View{Width: tt.width}}
		shares(&b, job.Pool{Connections: []job.PoolConnection{one}})
		for _, want := range tt.want {
			if !strings.Contains(b.text(), want) {
				t.Errorf("in %d columns: got\n%s\nwithout %q", tt.width, b.text(), want)
			}
		}
	}
}
