package tprocc

import (
	"fmt"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/workload"
)

var (
	_ workload.Teller = (*routineCaller)(nil)
	_ workload.Teller = (*statementSender)(nil)
)

// Outcome implements workload.Teller with the columns that the routine returned.
func (u *routineCaller) Outcome() string {
	return strings.TrimSpace(u.asked.calledWith() + " " + strings.Join(u.shown, " "))
}

// keepAnswer keeps a row that the routine returned.
func (u *routineCaller) keepAnswer() error {
	row := u.answers[u.asked.kind]
	for i, name := range row.Columns {
		if u.asked.kind == newOrder && name == "no_d_next_o_id" {
			u.order.ID, _ = strconv.ParseInt(row.Values[i], 10, 64) // a schema of another program may have NULL
		}
	}
	u.shown = append(u.shown, list(row.Values...))
	return nil
}

// answers are columns that a transaction reads only to show them on the terminal.
type answers struct {
	buyer, customer, line database.Row // of a new order, of an order status
	lines                 []string
	show                  func() error // called for each line of an order; nil outside a test

	delivered [DistrictsPerWarehouse]int64 // the order of each district; 0 if there was none
}

// keepLine keeps a line of an order.
func (a *answers) keepLine() error {
	a.lines = append(a.lines, list(a.line.Values...))
	return nil
}

// shown returns the target of an answer that only a terminal shows: a row in a test, otherwise
// nothing.
func (u *statementSender) shown(row *database.Row) any {
	if u.Test {
		return row
	}
	return &u.work.ignored
}

// Outcome implements workload.Teller with what the statements returned.
func (u *statementSender) Outcome() string {
	w := &u.work
	var values []string
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	switch u.asked.kind {
	case newOrder:
		values = []string{list(append(u.answers.buyer.Values, number(w.OrderID))...)}
	case payment:
		values = []string{list(number(w.CID), w.customer.Credit, w.warehouseName.Name, w.districtName.Name)}
	case delivery:
		var orders []string
		for _, o := range u.answers.delivered {
			orders = append(orders, number(o))
		}
		values = []string{list(orders...)}
	case stockLevel:
		values = []string{list(number(w.low.Count))}
	case orderStatus:
		values = append([]string{list(append(u.answers.customer.Values, number(w.OrderID))...)}, u.answers.lines...)
	}
	return u.asked.calledWith() + " " + strings.Join(values, " ")
}

// calledWith returns the inputs of the transaction, in the order of the routines' arguments.
func (o *order) calledWith() string {
	in := &o.inputs
	switch o.kind {
	case newOrder:
		return fmt.Sprintf("New Order: %d %d %d %d %d 0", in.WID, in.MaxWID, in.DID, in.CID, in.LineCount)
	case payment:
		return fmt.Sprintf("Payment: %d %d %d %d %d %d %d.%02d %s",
			in.WID, in.DID, in.CWID, in.CDID, in.CID, in.ByName, in.AmountCents/100, in.AmountCents%100, element(in.LastName))
	case delivery:
		return fmt.Sprintf("Delivery: %d %d", in.WID, in.CarrierID)
	case stockLevel:
		return fmt.Sprintf("Stock Level: %d %d %d", in.WID, in.DID, in.Threshold)
	default:
		return fmt.Sprintf("Order Status: %d %d %d %d %s", in.WID, in.DID, in.CID, in.ByName, element(in.LastName))
	}
}

// list writes values in braces, as Tcl shows the rows of an answer.
func list(values ...string) string {
	elements := make([]string, len(values))
	for i, v := range values {
		elements[i] = element(v)
	}
	return "{" + strings.Join(elements, " ") + "}"
}

// element puts a value in braces if it would otherwise not be one element of a list.
func element(value string) string {
	if value == "" || strings.ContainsRune(value, ' ') {
		return "{" + value + "}"
	}
	return value
}
