// Package tprocc is TPROC-C: the order-entry workload derived from TPC-C 5.11. Data and
// transactions follow the standard; mix, home warehouses and pacing are TPROC-C's own.
package tprocc

import (
	"context"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

//go:embed sql
var files embed.FS

// Workload is TPROC-C.
var Workload = &workload.Workload{
	Name:    "tprocc",
	Title:   "TPROC-C",
	Aliases: []string{"tpcc", "tpc-c", "tproc-c"},
	Default: true,
	Kinds: []workload.Kind{
		newOrder:    {Name: "new order"},
		payment:     {Name: "payment"},
		delivery:    {Name: "delivery"},
		stockLevel:  {Name: "stock level"},
		orderStatus: {Name: "order status"},
	},
	Options: newOptions,
	Use:     database.Use{Name: "tpcc"},
	Schema: workload.Schema{
		Size: workload.Size{Option: "warehouses", Unit: "warehouses"},
		Tables: func(options any, seed uint64) []schema.Table {
			return options.(*Options).population(seed).Tables()
		},
		Identity: func(options any, seed uint64) string {
			p := options.(*Options).population(seed)
			return fmt.Sprintf("%d warehouses, seed %d, load time %s", p.Warehouses, p.Seed, p.LoadTime.Format(time.DateTime))
		},
		Resumed: func(options any, identity string) any {
			o := *options.(*Options)
			_, text, _ := strings.Cut(identity, ", load time ")
			if then, err := time.Parse(time.DateTime, text); err == nil && o.LoadTime.now {
				o.LoadTime.Time = then
			}
			return &o
		},
		Builders:  func(options any) int { return options.(*Options).Builders },
		DataFiles: dataFiles,
		Rules:     rules,
		Inspect:   inspect,
		Extent:    extent,
		BuiltBy:   builtBy,
		Routines:  listRoutines,
	},
	Users: workload.Users{
		Survey:      survey,
		NewTerminal: newTerminal,
		NewExecutor: newExecutor,
		NewTrial:    newTrial,
		Piecemeal:   func(options any) bool { return options.(*Options).NoStoredProcs },
		Pauses: &workload.Pauses{
			Option: "key_and_think",
			On:     func(options any) bool { return options.(*Options).KeyAndThink },
			Mean:   func(options any) []time.Duration { return options.(*Options).pauses() },
			Limit:  "the times of TPC-C allow at most 12.86 a warehouse", // with its ten terminals
		},
		Mix: &workload.Mix{
			Weights: func(options any, kinds []meter.Kind) []float64 { return options.(*Options).asked(kinds).list() },
			Option:  mixed,
		},
		Answers: answersOfServer,
	},
	Evidence: workload.Evidence{
		Probe:      &workload.Probe{Name: "new order", Expected: func(s *meter.Summary) int64 { return s.Kinds[newOrder].Done }},
		Silence:    silence,
		NewAuditor: newAuditor,
		Contention: contention,
	},
	Score: workload.Score{
		Of:      score,
		Figures: []workload.Figure{{Name: "NOPM"}, {Name: "TPM"}, {Name: "client NOPM"}, {Name: "client TPM"}},
		Traits:  traits,
	},
	Variants: variants,
	Modes: []workload.Mode{
		{Name: "rate of each kind", Set: "rate=new_order=100/s,payment=100/s"},
		{Name: "keying and thinking", Set: "key_and_think=true"},
		{Name: "clients", Set: "async_scale=true key_and_think=true"},
		{Name: "client SQL", Set: "client_sql=true"},
		{Name: "all warehouses", Set: "all_warehouses=true"},
	},
	SQL: files,
}

// The kinds of transaction, in the order of the options that list them.
const (
	newOrder meter.Kind = iota
	payment
	delivery
	stockLevel
	orderStatus
	kinds
)

func (o *Options) population(seed uint64) Population {
	return Population{Warehouses: o.Warehouses, Seed: seed, LoadTime: o.LoadTime.Time}
}

// score computes NOPM, new orders a minute by the district table, and TPM, transactions a minute by
// the server's own count, with the client's counts beside them. If the database keeps no count, TPM
// is the client's count. If the mix has no new orders, there is no NOPM, and the client's count
// comes first, because the server's count may include transactions of other programs.
func score(w workload.Window) []job.Metric {
	const orders, transactions, byClient = "new orders a minute", "transactions a minute", ", by the virtual users' count"
	all := w.Summary.All()
	clientTPM := w.Summary.PerMinute(all.Done + all.RolledBack)
	clientNOPM := w.Summary.PerMinute(w.Summary.Kinds[newOrder].Done)
	orderless := w.Options.(*Options).asked(w.Kinds)[newOrder] == 0
	if !w.Probed && orderless {
		return []job.Metric{{Name: "client TPM", Value: clientTPM, Means: transactions + byClient}}
	}
	if !w.Probed {
		return []job.Metric{
			{Name: "client NOPM", Value: clientNOPM, Means: orders + byClient},
			{Name: "client TPM", Value: clientTPM, Means: transactions + byClient},
		}
	}
	tpm, byWhom := clientTPM, byClient
	if w.Counted {
		tpm, byWhom = float64(w.Counter)/w.CounterElapsed.Minutes(), ", by the server's own count"
	}
	if orderless {
		return []job.Metric{
			{Name: "client TPM", Value: clientTPM, Means: transactions + byClient + "; no NOPM, because the mix has no new orders"},
			{Name: "TPM", Value: tpm, Means: transactions + byWhom},
		}
	}
	nopm := float64(w.Probe) / w.Elapsed.Minutes()
	return []job.Metric{
		{Name: "NOPM", Value: nopm, Means: orders + ", by the district table"},
		{Name: "TPM", Value: tpm, Means: transactions + byWhom},
		{Name: "client NOPM", Value: clientNOPM, Means: orders + byClient},
		{Name: "client TPM", Value: clientTPM, Means: transactions + byClient},
	}
}

// rules are the cardinalities of TPC-C 4.3.3.1 and the twelve consistency conditions of 3.3.2. Runs
// add orders and history and remove new orders, so the cardinalities of orders and history are
// lower bounds.
var rules = []workload.Rule{
	{Name: "warehouses", Title: "warehouses are numbered from 1 without gaps", Source: "TPC-C 1.3.1"},
	{Name: "districts", Title: "each warehouse has 10 districts", Source: "TPC-C 4.3.3.1"},
	{Name: "customers", Title: "each district has 3,000 customers", Source: "TPC-C 4.3.3.1"},
	{Name: "history", Title: "each district has at least 3,000 rows of history", Source: "TPC-C 4.3.3.1"},
	{Name: "items", Title: "there are 100,000 items", Source: "TPC-C 4.3.3.1"},
	{Name: "stock", Title: "each warehouse has 100,000 rows of stock", Source: "TPC-C 4.3.3.1"},
	{Name: "orders", Title: "each district has at least 3,000 orders", Source: "TPC-C 4.3.3.1"},
	{Name: "consistency_1", Title: "W_YTD = sum(D_YTD)", Source: "TPC-C 3.3.2.1", Begins: "consistency 1"},
	{Name: "consistency_2", Title: "D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID)", Source: "TPC-C 3.3.2.2", Begins: "consistency 2"},
	{Name: "consistency_3", Title: "max(NO_O_ID) - min(NO_O_ID) + 1 = number of new orders", Source: "TPC-C 3.3.2.3", Begins: "consistency 3"},
	{Name: "consistency_4", Title: "sum(O_OL_CNT) = number of order lines of the district", Source: "TPC-C 3.3.2.4", Begins: "consistency 4"},
	{Name: "consistency_5", Title: "O_CARRIER_ID is null if and only if there is a new order", Source: "TPC-C 3.3.2.5", Begins: "consistency 5"},
	{Name: "consistency_6", Title: "O_OL_CNT = number of order lines of the order", Source: "TPC-C 3.3.2.6", Begins: "consistency 6"},
	{Name: "consistency_7", Title: "OL_DELIVERY_D is null if and only if O_CARRIER_ID is", Source: "TPC-C 3.3.2.7", Begins: "consistency 7"},
	{Name: "consistency_8", Title: "W_YTD = sum(H_AMOUNT) of the warehouse", Source: "TPC-C 3.3.2.8", Begins: "consistency 8"},
	{Name: "consistency_9", Title: "D_YTD = sum(H_AMOUNT) of the district", Source: "TPC-C 3.3.2.9", Begins: "consistency 9"},
	{
		Name: "consistency_10", Title: "C_BALANCE = sum(delivered OL_AMOUNT) - sum(H_AMOUNT)", Source: "TPC-C 3.3.2.10", Begins: "consistency 10",
		Foreign: "its loader gives delivered lines an amount that no balance includes, and draws the customers of orders at random",
		Known:   addedPayments,
	},
	{Name: "consistency_11", Title: "number of orders - number of new orders = 2100 + delivered since", Source: "TPC-C 3.3.2.11", Begins: "consistency 11"},
	{
		Name: "consistency_12", Title: "C_BALANCE + C_YTD_PAYMENT = sum(delivered OL_AMOUNT)", Source: "TPC-C 3.3.2.12", Begins: "consistency 12",
		Foreign: "its loader gives delivered lines an amount that no balance includes, and its payments do not change C_YTD_PAYMENT",
		Known:   addedPayments,
	},
}

// extent returns the number of warehouses of a schema, which is the number of the last one.
func extent(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error) {
	q, err := sql.Query("limits")
	if err != nil {
		return "", err
	}
	t, err := s.Query(ctx, q.Text, 1)
	if err != nil || len(t.Rows) == 0 {
		return "", fmt.Errorf("count the warehouses: %w", err)
	}
	if n := t.Rows[0][0]; n != "1" {
		return n + " warehouses", nil
	}
	return "1 warehouse", nil
}

// inspect finds the number of warehouses, the program that loaded the data, and whether all stored
// routines exist.
func inspect(ctx context.Context, l workload.Look) (workload.Inspection, error) {
	s, sql := l.Session, l.SQL
	var seen workload.Inspection
	value := func(query string) (string, error) {
		q, err := sql.Query(query)
		if err != nil {
			return "", err
		}
		t, err := s.Query(ctx, q.Text, 1)
		if err != nil {
			return "", err
		}
		return t.Rows[0][0], nil
	}
	warehouses, err := value("limits")
	if err != nil {
		return seen, err
	}
	seen.Size, _ = strconv.ParseFloat(warehouses, 64) // without a warehouse there is no number; the rules report that
	if seen.Foreign, err = builtBy(ctx, s, sql); err != nil {
		return seen, err
	}
	if !sql.Has("installed_routines") {
		return seen, nil
	}
	r, err := findRoutines(ctx, s, sql)
	if err != nil {
		return seen, err
	}
	finding := job.Finding{
		Rule: "routines", Title: "the five stored routines exist", Holds: r.kind != "",
		Columns: []string{"routine", "kind", "maker", "signature"}, Rows: r.found,
	}
	if finding.Holds {
		finding.Title += fmt.Sprintf(", as %ss of %s", r.kind, r.maker)
		finding.Columns, finding.Rows = nil, nil
	}
	seen.Findings = append(seen.Findings, finding)
	return seen, nil
}
