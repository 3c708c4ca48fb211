package tprocc

import (
	"sledge/internal/workload"
)

var (
	_ workload.Accountable = (*routineCaller)(nil)
	_ workload.Accountable = (*statementSender)(nil)
)

// The numbers of a receipt, by kind: the warehouse, the district, and what tells the
// transaction from others. A delivery is of all districts of a warehouse.
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

// receipt returns the receipt of a transaction; number is that of a new order, 0 for one
// that is not known.
func (o *order) receipt(inDoubt bool, number int64) (workload.Receipt, bool) {
	r := workload.Receipt{Kind: o.kind, InDoubt: inDoubt}
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
		return workload.Receipt{}, false
	}
	return r, true
}

// Receipt implements workload.Accountable.
func (u *routineCaller) Receipt(t workload.Transaction, inDoubt bool) (workload.Receipt, bool) {
	number := u.order.ID
	if number == untold || u.Test { // whose answers may be anybody's
		number = 0
	}
	return t.Inputs.(*order).receipt(inDoubt, number)
}

// Receipt implements workload.Accountable.
func (u *statementSender) Receipt(t workload.Transaction, inDoubt bool) (workload.Receipt, bool) {
	return t.Inputs.(*order).receipt(inDoubt, u.work.OrderID)
}
