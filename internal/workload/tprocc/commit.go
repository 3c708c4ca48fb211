package tprocc

import (
	"sledge/internal/workload"
)

var (
	_ workload.Accountable = (*routineCaller)(nil)
	_ workload.Accountable = (*statementSender)(nil)
)

// The numbers of a commit, by kind: the warehouse, the district, and the numbers that distinguish
// the transaction. A delivery covers all districts of a warehouse.
const (
	ofWarehouse = iota
	ofDistrict
	ofCustomer // of a new order
	ofLines    // number of lines of the new order
	ofNumber   // number of the order; 0 if the routine does not return it

	ofCents = ofCustomer // the amount of a payment
)

// untold is the number of an order if the routine does not return it, but only reports that there
// is an order, like functions that return the total amount. No order of a run has this number,
// because a build creates the first 3000 orders of each district.
const untold = 1

// commit returns the commit record of a transaction; number is that of a new order, or 0 if it is
// unknown.
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
	if number == untold || u.Test { // a test run does not read the number
		number = 0
	}
	return t.Inputs.(*order).commit(inDoubt, number)
}

// Committed implements workload.Accountable.
func (u *statementSender) Committed(t workload.Transaction, inDoubt bool) (workload.Commit, bool) {
	return t.Inputs.(*order).commit(inDoubt, u.work.OrderID)
}
