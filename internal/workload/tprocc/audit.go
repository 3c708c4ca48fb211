package tprocc

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// auditor compares the ledger of a run with the database.
//
// An order is found as a row: by its number if the client knows it, otherwise by district, customer
// and number of lines. Rows of history have no key, so the payments of a district are compared by
// the number and the sum of the rows added since the run began. Deliveries leave no row, so they
// are counted by the new orders that have left the queue.
type auditor struct {
	sql    *sqlfile.Library
	before map[place]balance
}

// place is a district.
type place struct{ warehouse, district int32 }

// balance is the state of a district while the database is idle.
type balance struct {
	nextOrder       int64
	payments, cents int64 // in the history
	undelivered     int64 // new orders
}

// newAuditor is Evidence.NewAuditor.
func newAuditor(ctx context.Context, s database.Session, sql *sqlfile.Library) (workload.Auditor, error) {
	before, err := readBalances(ctx, s, sql)
	return &auditor{sql: sql, before: before}, err
}

// balanceRow is a row of the queries that return the state of districts.
type balanceRow struct {
	Warehouse int64 `sql:"w_id"`
	District  int64 `sql:"d_id"`
}

// readBalances reads the balances of all districts.
func readBalances(ctx context.Context, s database.Session, sql *sqlfile.Library) (map[place]balance, error) {
	var orders struct {
		balanceRow
		Next int64 `sql:"next_o_id"`
	}
	var payments struct {
		balanceRow
		Payments int64 `sql:"payments"`
		Cents    int64 `sql:"cents"`
	}
	var undelivered struct {
		balanceRow
		Undelivered int64 `sql:"undelivered"`
	}
	all := map[place]balance{}
	for _, ask := range []struct {
		name string
		out  any
		at   *balanceRow
		note func(*balance)
	}{
		{"districts", &orders, &orders.balanceRow, func(s *balance) { s.nextOrder = orders.Next }},
		{"payments", &payments, &payments.balanceRow, func(s *balance) { s.payments, s.cents = payments.Payments, payments.Cents }},
		{"undelivered", &undelivered, &undelivered.balanceRow, func(s *balance) { s.undelivered = undelivered.Undelivered }},
	} {
		q, err := sql.Query("audit." + ask.name)
		if err != nil {
			return nil, err
		}
		statement, err := s.Prepare(ctx, q, nil, ask.out)
		if err != nil {
			return nil, err
		}
		if _, err := statement.Run(ctx, func() error {
			at := place{int32(ask.at.Warehouse), int32(ask.at.District)}
			one := all[at]
			ask.note(&one)
			all[at] = one
			return nil
		}); err != nil {
			return nil, fmt.Errorf("read the state of the districts for the audit of the ledger: %w", err)
		}
	}
	return all, nil
}

// claims are the acknowledged commits of a district.
type claims struct {
	orders   []orderClaim
	payments paymentClaims
}

// orderClaim is the commit of a new order.
type orderClaim struct {
	orderRow
	inDoubt bool
}

// orderRow identifies an order.
type orderRow struct{ number, customer, lines int32 }

// paymentClaims are the commits of the payments of a district.
type paymentClaims struct {
	acknowledged, cents int64
	inDoubt             []int64 // the amount of each, in cents
}

// deliveryClaims are the commits of the deliveries of a warehouse.
type deliveryClaims struct{ acknowledged, inDoubt int64 }

// Audit implements workload.Auditor.
func (a *auditor) Audit(ctx context.Context, s database.Session, commits iter.Seq[workload.Commit]) (job.Ledger, error) {
	districts, deliveries := sorted(commits)
	after, err := readBalances(ctx, s, a.sql)
	if err != nil {
		return job.Ledger{}, err
	}
	readOrders, err := a.prepareOrders(ctx, s)
	if err != nil {
		return job.Ledger{}, err
	}
	for at := range a.before {
		if districts[at] == nil {
			districts[at] = &claims{}
		}
	}
	places := slices.SortedFunc(maps.Keys(districts), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.warehouse, b.warehouse), cmp.Compare(a.district, b.district))
	})
	found := findings{}
	delivered := map[int32][]gone{}
	for _, at := range places {
		before, now, c := a.before[at], after[at], districts[at]
		rows, err := readOrders(at, before.nextOrder)
		if err != nil {
			return job.Ledger{}, err
		}
		found.note(newOrder, at, matchOrders(c.orders, rows))
		found.note(payment, at, matchPayments(c.payments, now.payments-before.payments, now.cents-before.cents))
		delivered[at.warehouse] = append(delivered[at.warehouse], gone{
			n: before.undelivered + now.nextOrder - before.nextOrder - now.undelivered, most: before.undelivered,
		})
	}
	for _, w := range slices.Sorted(maps.Keys(delivered)) {
		found.note(delivery, place{warehouse: w}, matchDeliveries(deliveries[w], delivered[w]))
	}
	return found.ledger(), nil
}

// sorted sorts commits by district, or deliveries by warehouse.
func sorted(commits iter.Seq[workload.Commit]) (map[place]*claims, map[int32]deliveryClaims) {
	districts, deliveries := map[place]*claims{}, map[int32]deliveryClaims{}
	for r := range commits {
		n := &r.Numbers
		at := place{n[ofWarehouse], n[ofDistrict]}
		if r.Kind == delivery {
			d := deliveries[at.warehouse]
			if r.InDoubt {
				d.inDoubt++
			} else {
				d.acknowledged++
			}
			deliveries[at.warehouse] = d
			continue
		}
		c := districts[at]
		if c == nil {
			c = &claims{}
			districts[at] = c
		}
		switch {
		case r.Kind == newOrder:
			c.orders = append(c.orders, orderClaim{orderRow{n[ofNumber], n[ofCustomer], n[ofLines]}, r.InDoubt})
		case r.InDoubt:
			c.payments.inDoubt = append(c.payments.inDoubt, int64(n[ofCents]))
		default:
			c.payments.acknowledged++
			c.payments.cents += int64(n[ofCents])
		}
	}
	return districts, deliveries
}

// prepareOrders prepares a query for the orders of a district from a number on.
func (a *auditor) prepareOrders(ctx context.Context, s database.Session) (func(at place, from int64) ([]orderRow, error), error) {
	var in struct {
		Warehouse int64 `sql:"w_id"`
		District  int64 `sql:"d_id"`
		From      int64 `sql:"next_o_id"`
	}
	var out struct {
		Number   int64 `sql:"o_id"`
		Customer int64 `sql:"c_id"`
		Lines    int64 `sql:"ol_cnt"`
	}
	q, err := a.sql.Query("audit.orders")
	if err != nil {
		return nil, err
	}
	statement, err := s.Prepare(ctx, q, &in, &out)
	if err != nil {
		return nil, err
	}
	var rows []orderRow
	return func(at place, from int64) ([]orderRow, error) {
		in.Warehouse, in.District, in.From = int64(at.warehouse), int64(at.district), from
		rows = rows[:0]
		_, err := statement.Run(ctx, func() error {
			rows = append(rows, orderRow{int32(out.Number), int32(out.Customer), int32(out.Lines)})
			return nil
		})
		return rows, err
	}, nil
}

// match is the result of comparing the commits of one kind in one place, with an example of a
// missing or repeated one.
type match struct {
	job.Account
	example string
}

// matchOrders matches the commits of a district with the rows added since the run began. Each row
// matches at most one commit. Commits with a known number come first, then other acknowledged ones,
// then those in doubt. Rows left over are unexpected.
func matchOrders(list []orderClaim, rows []orderRow) (m match) {
	byNumber := make(map[int32]orderRow, len(rows))
	for _, row := range rows {
		byNumber[row.number] = row
	}
	answered := map[int32]bool{} // by acknowledged number: whether the row with this number is one of the acknowledged orders
	for _, c := range list {
		if c.inDoubt || c.number == 0 {
			continue
		}
		_, again := answered[c.number]
		answered[c.number] = answered[c.number] || byNumber[c.number] == c.orderRow
		m.Acknowledged++
		if again {
			m.Twice++
			m.example = fmt.Sprintf("two orders were acknowledged with the number %d", c.number)
		}
	}
	for number, there := range answered {
		if !there {
			m.Missing++
			m.example = fmt.Sprintf("order %d is missing", number)
			continue
		}
		m.Found++
		delete(byNumber, number)
	}
	left := map[orderRow]int{} // rows by customer and number of lines
	for _, row := range byNumber {
		row.number = 0
		left[row]++
	}
	take := func(c orderClaim) bool {
		c.number = 0
		if left[c.orderRow] == 0 {
			return false
		}
		left[c.orderRow]--
		return true
	}
	for _, c := range list {
		if c.inDoubt || c.number != 0 {
			continue
		}
		m.Acknowledged++
		if take(c) {
			m.Found++
			continue
		}
		m.Missing++
		m.example = fmt.Sprintf("an order of %d lines by customer %d is missing", c.lines, c.customer)
	}
	for _, c := range list {
		if c.inDoubt {
			m.InDoubt++
			if take(c) {
				m.InDoubtFound++
			}
		}
	}
	for row, n := range left {
		if n > 0 {
			m.Twice += int64(n)
			m.example = fmt.Sprintf("there is one order of %d lines by customer %d too many", row.lines, row.customer)
		}
	}
	return m
}

// matchPayments compares the payments of a district with the number and the sum of the rows of
// history that were added since the run began.
func matchPayments(c paymentClaims, rows, cents int64) (m match) {
	m.Acknowledged, m.InDoubt = c.acknowledged, int64(len(c.inDoubt))
	more, moreCents := rows-c.acknowledged, cents-c.cents
	switch {
	case more < 0:
		m.Missing = -more
	case more > m.InDoubt:
		m.Twice, m.InDoubtFound = more-m.InDoubt, m.InDoubt
	case amounts(c.inDoubt, int(more), moreCents):
		m.InDoubtFound = more
	default: // the right number, but not the same payments
		m.Missing, m.Twice, m.InDoubtFound = 1, 1, more
	}
	m.Found = c.acknowledged - m.Missing
	if !m.Holds() {
		m.example = fmt.Sprintf("%d payments of %.2f were acknowledged, %d are in doubt, and the history has %d more of %.2f",
			c.acknowledged, float64(c.cents)/100, m.InDoubt, rows, float64(cents)/100)
	}
	return m
}

// amounts reports whether some of the listed amounts add up to a sum. If the list is so long that
// nearly any sum is possible, it returns true.
func amounts(list []int64, n int, sum int64) bool {
	const few = 16
	switch {
	case n == 0:
		return sum == 0
	case len(list) < n:
		return false
	case len(list) > few:
		return true
	}
	return amounts(list[1:], n-1, sum-list[0]) || amounts(list[1:], n, sum)
}

// gone returns how many new orders have left the queue of a district, and how many were in it
// before the run. At least that many deliveries found one.
type gone struct{ n, most int64 }

// matchDeliveries compares the deliveries of a warehouse with the new orders that they took from
// the queue of each district. A delivery skips an empty queue and leaves no trace there.
func matchDeliveries(c deliveryClaims, districts []gone) (m match) {
	m.Acknowledged, m.InDoubt = c.acknowledged, c.inDoubt
	for _, g := range districts {
		less := max(0, c.acknowledged-g.n)
		if c.acknowledged+c.inDoubt <= g.most {
			m.Missing = max(m.Missing, less)
		} else {
			m.Unproven = max(m.Unproven, less)
		}
		m.Twice = max(m.Twice, g.n-c.acknowledged-c.inDoubt)
		m.InDoubtFound = max(m.InDoubtFound, min(g.n-c.acknowledged, c.inDoubt))
	}
	m.Unproven = max(0, m.Unproven-m.Missing)
	m.Found = c.acknowledged - m.Missing - m.Unproven
	if !m.Holds() {
		m.example = fmt.Sprintf("%d deliveries were acknowledged and %d are in doubt, and the districts have delivered", c.acknowledged, c.inDoubt)
		for _, g := range districts {
			m.example += fmt.Sprintf(" %d", g.n)
		}
	}
	return m
}

// findings add up to the ledger.
type findings struct {
	kinds    [kinds]job.Account
	examples []string
}

// mostExamples is the largest number of examples in a ledger.
const mostExamples = 10

func (f *findings) note(kind meter.Kind, at place, m match) {
	f.kinds[kind].Add(m.Account)
	if m.example == "" || len(f.examples) == mostExamples {
		return
	}
	where := fmt.Sprintf("warehouse %d", at.warehouse)
	if at.district > 0 {
		where += fmt.Sprintf(", district %d", at.district)
	}
	f.examples = append(f.examples, where+": "+m.example)
}

func (f *findings) ledger() job.Ledger {
	l := job.Ledger{Examples: f.examples}
	for k, account := range f.kinds {
		if account != (job.Account{}) {
			l.Add(account)
			account.Kind = Workload.Kinds[k].Name
			l.Kinds = append(l.Kinds, account)
		}
	}
	return l
}
