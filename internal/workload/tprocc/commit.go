package tprocc

import (
	"sledge/internal/workload"
)

var (
	_ workload.Accountable = (*routineCaller)(nil)
	_ workload.Accountable = (*statementSender)(nil)
)

// The numbers of a commit, by kind: the warehouse, the district, and what distinguishes the
// transaction. A delivery covers all districts of a warehouse.
const (
	ofWarehouse = iota
	ofDistrict
	ofCustomer // of a new order
	ofLines    // how many the new order has
	ofNumber   // the number of the order; 0 where the routine does not tell

	ofCents = ofCustomer // the amount of a payment
)

// untold stands for the number of an order where a routine tells only that there is one, as
// functions do that return the total amount. No order of a run has it: a build makes the first
// 3000 of each district.
const untold = 1

// commit returns the note of a transaction; number is that of a new order, 0 if unknown.
func (o *order) commit(inDoubt bool, number int64) (workload.Commit, bool) {
	r := workload.Commit{Kind: o.kind, InDoubt: inDoubt}
	r.Numbers[ofWarehouse], r.Numbers[ofDistrict] = int32(o.WID), int32(o.DID)
	switch o.kind {
	case newOrder:
		r.Numbers[ofCustomer], r.Numbers[ofLines] = int32(o.CID), int32(o.LineCount)
		if !inDoubt {
			r.Numbers[ofNumber] = int32(number)
		}
	case payment:
		r.Numbers[ofCents] = int32(o.AmountCents)
	case delivery:
		r.Numbers[ofDistrict] = 0
	default:
		return workload.Commit{}, false
	}
	return r, true
}

// Committed implements workload.Accountable.
func (u *routineCaller) Committed(t workload.Transaction, inDoubt bool) (workload.Commit, bool) {
	number := u.order.ID
	if number == untold || u.Test { // whose answers may be anybody's
		number = 0
	}
	return t.Inputs.(*order).commit(inDoubt, number)
}

// Committed implements workload.Accountable.
func (u *statementSender) Committed(t workload.Transaction, inDoubt bool) (workload.Commit, bool) {
	return t.Inputs.(*order).commit(inDoubt, u.work.OrderID)
}
