package report

import (
	"math"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// LoadStep is a part of a run with a constant number of virtual users.
type LoadStep struct {
	Users        int           `json:"users"`
	From         float64       `json:"from_seconds"` // since the measurement began
	To           float64       `json:"to_seconds"`
	Metrics      []job.Metric  `json:"metrics,omitempty"` // by the virtual users' own count
	Transactions []Transaction `json:"transactions"`
	All          Transaction   `json:"all"` // all kinds together
}

// newLoadSteps makes the steps of a document.
func newLoadSteps(steps []job.LoadStep, kinds []string) []LoadStep {
	var list []LoadStep
	for _, s := range steps {
		n := LoadStep{Users: s.Users, From: s.From, To: s.From + s.Elapsed, Metrics: s.Metrics, Transactions: []Transaction{}, All: Transaction{Kind: "all"}}
		if sum, err := s.Measured.Summary(); err == nil {
			all := sum.All()
			for i := range sum.Kinds {
				n.Transactions = append(n.Transactions, newTransaction(KindName(kinds, i), &sum.Kinds[i], all.Done))
			}
			n.All = newTransaction("all", &all, all.Done)
		}
		list = append(list, n)
	}
	return list
}

// loadSteps writes a line for each step of a load.
func loadSteps(b *page, steps []job.LoadStep) {
	b.title("Steps of the load", "by the count of the virtual users; response times in ms")
	t := terminal.Table{Columns: []terminal.Column{{Head: "  users"}, {Head: "from", Rank: 1}, {Head: "to"}}}
	for i, m := range steps[0].Metrics {
		rank := 0
		if i > 0 { // the first figure is the main one
			rank = 3
		}
		t.Columns = append(t.Columns, terminal.Column{Head: m.Name, Rank: rank})
	}
	t.Columns = append(t.Columns, terminal.Column{Head: "p50"}, terminal.Column{Head: "p95", Rank: 2}, terminal.Column{Head: "p99"}, terminal.Column{Head: "failed"})
	for _, s := range steps {
		row := []string{"  " + count(int64(s.Users)), clock(math.Round(s.From)), clock(math.Round(s.From + s.Elapsed))}
		for _, m := range s.Metrics {
			row = append(row, Figure(m))
		}
		sum, err := s.Measured.Summary()
		if err != nil {
			continue // an imported step may lack measurements
		}
		all := sum.All()
		for _, p := range []float64{50, 95, 99} {
			took := "-"
			if all.Done > 0 {
				took = millis(float64(all.Response.ValueAtQuantile(p)))
			}
			row = append(row, took)
		}
		t.Row(append(row, count(all.Failures()))...)
	}
	b.table(t)
}
