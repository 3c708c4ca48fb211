package tprocc

import (
	"testing"

	"sledge/internal/job"
)

func TestOrdersAreMatchedWithTheirCommits(t *testing.T) {
	row := func(number, customer, lines int32) orderRow { return orderRow{number, customer, lines} }
	told := func(number, customer, lines int32) orderClaim {
		return orderClaim{orderRow: row(number, customer, lines)}
	}
	untold := func(customer, lines int32) orderClaim { return told(0, customer, lines) }
	doubted := func(customer, lines int32) orderClaim { return orderClaim{row(0, customer, lines), true} }
	for _, test := range []struct {
		name   string
		claims []orderClaim
		rows   []orderRow
		want   job.Account
	}{
		{name: "nothing was done"},
		{
			"all are there, by number",
			[]orderClaim{told(1, 7, 5), told(2, 7, 5)},
			[]orderRow{row(2, 7, 5), row(1, 7, 5)},
			job.Account{Acknowledged: 2, Found: 2},
		},
		{
			"all are there, by customer and lines",
			[]orderClaim{untold(7, 5), untold(8, 5), untold(7, 5)},
			[]orderRow{row(1, 8, 5), row(2, 7, 5), row(3, 7, 5)},
			job.Account{Acknowledged: 3, Found: 3},
		},
		{
			"one is missing, by number",
			[]orderClaim{told(1, 7, 5), told(2, 7, 5)},
			[]orderRow{row(1, 7, 5)},
			job.Account{Acknowledged: 2, Found: 1, Missing: 1},
		},
		{
			"one is missing, by customer and lines, although there is one that differs in its lines",
			[]orderClaim{untold(7, 5), untold(7, 6)},
			[]orderRow{row(1, 7, 5), row(2, 7, 7)},
			job.Account{Acknowledged: 2, Found: 1, Missing: 1, Twice: 1},
		},
		{
			"a number was given away twice, as by a server that was behind when it took over",
			[]orderClaim{told(1, 7, 5), told(1, 8, 6)},
			[]orderRow{row(1, 8, 6)},
			job.Account{Acknowledged: 2, Found: 1, Twice: 1},
		},
		{
			"a number is another client's order",
			[]orderClaim{told(1, 7, 5)},
			[]orderRow{row(1, 8, 6)},
			job.Account{Acknowledged: 1, Missing: 1, Twice: 1},
		},
		{
			"one was done again",
			[]orderClaim{told(1, 7, 5)},
			[]orderRow{row(1, 7, 5), row(2, 7, 5)},
			job.Account{Acknowledged: 1, Found: 1, Twice: 1},
		},
		{
			"of two in doubt one was committed",
			[]orderClaim{told(1, 7, 5), doubted(9, 5), doubted(9, 6)},
			[]orderRow{row(1, 7, 5), row(2, 9, 6)},
			job.Account{Acknowledged: 1, Found: 1, InDoubt: 2, InDoubtFound: 1},
		},
		{
			"a row of a commit in doubt does not count for an acknowledged commit",
			[]orderClaim{untold(7, 5), doubted(9, 6)},
			[]orderRow{row(2, 9, 6)},
			job.Account{Acknowledged: 1, Missing: 1, InDoubt: 1, InDoubtFound: 1},
		},
	} {
		t.Run(test.name, func(t *testing.T) { compare(t, matchOrders(test.claims, test.rows), test.want) })
	}
}

func compare(t *testing.T, got match, want job.Account) {
	t.Helper()
	if got.Account != want || (got.example == "") != want.Holds() {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPaymentsAreMatchedWithTheHistory(t *testing.T) {
	for _, test := range []struct {
		name        string
		claims      paymentClaims
		rows, cents int64
		want        job.Account
	}{
		{name: "nothing was done"},
		{"all are there", paymentClaims{acknowledged: 2, cents: 300}, 2, 300, job.Account{Acknowledged: 2, Found: 2}},
		{"one is missing", paymentClaims{acknowledged: 2, cents: 300}, 1, 100, job.Account{Acknowledged: 2, Found: 1, Missing: 1}},
		{"one was done again", paymentClaims{acknowledged: 2, cents: 300}, 3, 400, job.Account{Acknowledged: 2, Found: 2, Twice: 1}},
		{"one is missing and another was done again", paymentClaims{acknowledged: 2, cents: 300}, 2, 200, job.Account{Acknowledged: 2, Found: 1, Missing: 1, Twice: 1}},
		{
			"of three in doubt two were committed",
			paymentClaims{acknowledged: 1, cents: 100, inDoubt: []int64{10, 20, 40}},
			3, 150,
			job.Account{Acknowledged: 1, Found: 1, InDoubt: 3, InDoubtFound: 2}, // 100 + 10 + 40
		},
		{
			"no two amounts in doubt add up to the sum of the rows",
			paymentClaims{acknowledged: 1, cents: 100, inDoubt: []int64{10, 20, 40}},
			3, 170,
			job.Account{Acknowledged: 1, Missing: 1, Twice: 1, InDoubt: 3, InDoubtFound: 2},
		},
		{
			"more than could be in doubt",
			paymentClaims{acknowledged: 1, cents: 100, inDoubt: []int64{10}},
			3, 120,
			job.Account{Acknowledged: 1, Found: 1, Twice: 1, InDoubt: 1, InDoubtFound: 1},
		},
	} {
		t.Run(test.name, func(t *testing.T) { compare(t, matchPayments(test.claims, test.rows, test.cents), test.want) })
	}
}

func TestDeliveriesAreMatchedWithTheQueues(t *testing.T) {
	for _, test := range []struct {
		name      string
		claims    deliveryClaims
		districts []gone
		want      job.Account
	}{
		{"all are there", deliveryClaims{acknowledged: 3}, []gone{{3, 900}, {3, 900}}, job.Account{Acknowledged: 3, Found: 3}},
		{"one is missing in a district", deliveryClaims{acknowledged: 3}, []gone{{3, 900}, {2, 900}}, job.Account{Acknowledged: 3, Found: 2, Missing: 1}},
		{"a queue was empty", deliveryClaims{acknowledged: 3}, []gone{{3, 900}, {2, 2}}, job.Account{Acknowledged: 3, Found: 2, Unproven: 1}},
		{"a queue was short, and filled in time", deliveryClaims{acknowledged: 3}, []gone{{3, 2}}, job.Account{Acknowledged: 3, Found: 3}},
		{"one was done again", deliveryClaims{acknowledged: 3, inDoubt: 1}, []gone{{5, 900}}, job.Account{Acknowledged: 3, Found: 3, Twice: 1, InDoubt: 1, InDoubtFound: 1}},
		{"of two in doubt one was committed", deliveryClaims{acknowledged: 3, inDoubt: 2}, []gone{{4, 900}}, job.Account{Acknowledged: 3, Found: 3, InDoubt: 2, InDoubtFound: 1}},
	} {
		t.Run(test.name, func(t *testing.T) { compare(t, matchDeliveries(test.claims, test.districts), test.want) })
	}
}
