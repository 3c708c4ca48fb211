package tprocc_test

import (
	"testing"

	"sledge/internal/option"
	"sledge/internal/testserver"
	"sledge/internal/workload/tprocc"
	"sledge/internal/workload/workloadtest"
)

func TestMain(m *testing.M) { testserver.Main(m) }

func TestEveryDatabase(t *testing.T) {
	// From a deck, every kind comes up even where few transactions are done.
	short := option.Values{"rampup": "0s", "duration": "3s", "deck": "true"}
	prepared := option.Values{"rampup": "0s", "duration": "3s", "deck": "true", "prepared": "true"}
	client := option.Values{"rampup": "0s", "duration": "3s", "client_sql": "true", "deck": "true", "all_warehouses": "true"}
	test := option.Values{"driver": "test", "iterations": "46", "deck": "true"}
	testClient := option.Values{"driver": "test", "iterations": "46", "deck": "true", "client_sql": "true"}
	testPrepared := option.Values{"driver": "test", "iterations": "46", "deck": "true", "prepared": "true"}
	// A call is one round trip; MySQL takes three for one that is prepared. TPC-C's statements
	// are some 50 for a new order and 8 for a payment.
	call, calls, statements := [2]float64{1, 1}, [2]float64{1, 3}, [2]float64{10, 50}
	workloadtest.Run(t, tprocc.Workload, []workloadtest.Variant{
		{Name: "routines", Build: option.Values{"warehouses": "2", "builders": "2"}, Run: short, Databases: "postgresql mariadb mysql", RoundTrips: call},
		{Name: "test of routines", Run: test, Test: true, Databases: "postgresql mariadb mysql"},
		{Name: "test of prepared calls", Run: testPrepared, Test: true, Databases: "mariadb mysql"},
		{Name: "procedures", Build: option.Values{"stored_procedures": "true"}, Run: short, Databases: "postgresql", RoundTrips: call},
		{Name: "prepared", Run: prepared, Databases: "mariadb mysql", RoundTrips: calls},
		{Name: "client SQL", Run: client, RoundTrips: statements},
		{Name: "test of client SQL", Run: testClient, Test: true},
		{Name: "test of procedures", Run: test, Test: true, Databases: "postgresql"},
	})
}
