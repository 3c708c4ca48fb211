package tprocc

import (
	"sledge/internal/option"
	"sledge/internal/workload"
)

// variants are Workload.Variants. With a deck, every kind occurs even in a short run.
var variants = []workload.Variant{
	{Name: "routines", Build: option.Values{"warehouses": "2", "builders": "2"}, Run: option.Values{"deck": "true"}, SQL: "routines", RoundTrips: call},
	{Name: "test of routines", Run: rehearsal(), SQL: "routines", Test: true},
	{Name: "test of prepared calls", Run: rehearsal("prepared"), SQL: "routines", Test: true},
	{Name: "procedures", Build: option.Values{"stored_procedures": "true"}, Run: option.Values{"deck": "true"}, RoundTrips: call},
	{Name: "prepared", Run: option.Values{"deck": "true", "prepared": "true"}, SQL: "routines", RoundTrips: calls},
	{Name: "scripts", Build: option.Values{"routines": "scripts"}, Run: option.Values{"deck": "true"}, RoundTrips: call},
	{Name: "client SQL", Run: option.Values{"deck": "true", "client_sql": "true", "all_warehouses": "true"}, RoundTrips: statements},
	{Name: "client SQL at a rate", Run: option.Values{"deck": "true", "client_sql": "true", "rate": "10/s"}, RoundTrips: statements, Afar: true},
	{Name: "client SQL, reconnecting, with a ledger", Run: option.Values{"deck": "true", "client_sql": "true", "reconnect": "true", "ledger": "true"}, RoundTrips: statements, Afar: true},
	{Name: "test of client SQL", Run: rehearsal("client_sql"), Test: true},
	{Name: "test of procedures", Run: rehearsal(), Option: "stored_procedures", Test: true},
}

// A call is one round trip, or three if it is prepared. TPC-C has about 50 statements for a new
// order and 8 for a payment.
var call, calls, statements = [2]float64{1, 1}, [2]float64{1, 3}, [2]float64{10, 50}

// rehearsal returns the values of a test run with some options set.
func rehearsal(options ...string) option.Values {
	values := option.Values{"driver": "test", "iterations": "46", "deck": "true"}
	for _, name := range options {
		values[name] = "true"
	}
	return values
}
