package tprocc

import (
	"context"
	"fmt"
	"strconv"
	"unsafe"

	"sledge/internal/database"
	"sledge/internal/workload"
)

// statementSender sends every statement of a transaction from the client, prepared.
type statementSender struct {
	workload.Connection
	asked *order // the last

	stmt clientStatements
	work scratch
	ids  []int64 // customers that share a last name

	answers answers // shown by tests; its rows are kept only in a test

	data, names []byte // hold C_DATA and H_DATA of the current payment
}

// orderLine is a line of an order, as Pick draws it.
type orderLine struct{ number, item, supply, quantity int64 }

// unusedItem is an item number that no item has. It makes 1 % of all new orders roll back (TPC-C
// 2.4.1.5).
const unusedItem = Items + 1

// scratch holds values that the statements of one transaction pass to each other. The tags of its
// fields, and those of inputs, name the parameters and columns of the statements.
type scratch struct {
	inputs
	OrderID  int64  `sql:"o_id"`
	AllLocal int64  `sql:"all_local"`
	Number   int64  `sql:"number"`
	Item     int64  `sql:"i_id"`
	Supply   int64  `sql:"supply_w_id"`
	Quantity int64  `sql:"quantity"`
	Remote   int64  `sql:"remote"`
	Stock    int64  `sql:"s_quantity"`
	Dist     string `sql:"s_dist"`
	Amount   int64  `sql:"amount_cents"`
	CData    string `sql:"c_data"`
	HData    string `sql:"h_data"`
	price    struct {
		Cents int64 `sql:"i_price_cents"`
	}
	stock struct {
		Quantity int64  `sql:"s_quantity"`
		Dist     string `sql:"s_dist"`
	}
	district struct {
		NextOrderID int64 `sql:"d_next_o_id"`
	}
	warehouseName struct {
		Name string `sql:"w_name"`
	}
	districtName struct {
		Name string `sql:"d_name"`
	}
	customer struct {
		Credit string `sql:"c_credit"`
		Data   string `sql:"c_data"`
	}
	customerID struct {
		ID int64 `sql:"c_id"`
	}
	order struct {
		ID int64 `sql:"o_id"`
	}
	newOrder struct {
		ID int64 `sql:"no_o_id"`
	}
	orderCustomer struct {
		ID int64 `sql:"o_c_id"`
	}
	delivered struct {
		Cents int64 `sql:"amount_cents"`
	}
	low struct {
		Count int64 `sql:"stock_count"`
	}
	// ignored is bound to columns that only a terminal would show.
	ignored struct{}
}

// clientStatements are the prepared statements of each transaction.
type clientStatements struct {
	newOrder struct {
		customerWarehouse, district, updateDistrict, insertOrder, insertNewOrder,
		item, stock, updateStock, insertLine database.Statement
	}
	payment struct {
		updateWarehouse, warehouse, updateDistrict, district, byName, customer,
		updateCustomer, updateBadCredit, insertHistory database.Statement
	}
	orderStatus struct{ byName, customer, lastOrder, lines database.Statement }
	delivery    struct {
		newOrder, deleteNewOrder, order, updateOrder, updateLines, amount, updateCustomer database.Statement
	}
	stockLevel struct{ low database.Statement }
}

func newStatementSender(ctx context.Context, connection workload.Connection) (workload.Executor, error) {
	u := &statementSender{Connection: connection}
	if u.Test {
		u.answers.show = u.answers.keepLine
	}
	return u, u.prepare(ctx)
}

func (u *statementSender) prepare(ctx context.Context) error {
	w, s := &u.work, &u.stmt
	for _, p := range []struct {
		target *database.Statement
		name   string
		out    any
	}{
		{&s.newOrder.customerWarehouse, "neworder.select_customer_warehouse", u.shown(&u.answers.buyer)},
		{&s.newOrder.district, "neworder.select_district", &w.district},
		{&s.newOrder.updateDistrict, "neworder.update_district", nil},
		{&s.newOrder.insertOrder, "neworder.insert_order", nil},
		{&s.newOrder.insertNewOrder, "neworder.insert_new_order", nil},
		{&s.newOrder.item, "neworder.select_item", &w.price},
		{&s.newOrder.stock, "neworder.select_stock", &w.stock},
		{&s.newOrder.updateStock, "neworder.update_stock", nil},
		{&s.newOrder.insertLine, "neworder.insert_order_line", nil},
		{&s.payment.byName, "payment.select_customers_by_name", &w.customerID},
		{&s.payment.customer, "payment.select_customer", &w.customer},
		{&s.payment.updateCustomer, "payment.update_customer", nil},
		{&s.payment.updateBadCredit, "payment.update_customer_bad_credit", nil},
		{&s.payment.updateDistrict, "payment.update_district", nil},
		{&s.payment.district, "payment.select_district", &w.districtName},
		{&s.payment.updateWarehouse, "payment.update_warehouse", nil},
		{&s.payment.warehouse, "payment.select_warehouse", &w.warehouseName},
		{&s.payment.insertHistory, "payment.insert_history", nil},
		{&s.orderStatus.byName, "orderstatus.select_customers_by_name", &w.customerID},
		{&s.orderStatus.customer, "orderstatus.select_customer", u.shown(&u.answers.customer)},
		{&s.orderStatus.lastOrder, "orderstatus.select_last_order", &w.order},
		{&s.orderStatus.lines, "orderstatus.select_lines", u.shown(&u.answers.line)},
		{&s.delivery.newOrder, "delivery.select_new_order", &w.newOrder},
		{&s.delivery.deleteNewOrder, "delivery.delete_new_order", nil},
		{&s.delivery.order, "delivery.select_order", &w.orderCustomer},
		{&s.delivery.updateOrder, "delivery.update_order", nil},
		{&s.delivery.updateLines, "delivery.update_order_lines", nil},
		{&s.delivery.amount, "delivery.select_amount", &w.delivered},
		{&s.delivery.updateCustomer, "delivery.update_customer", nil},
		{&s.stockLevel.low, "stocklevel.count_low_stock", &w.low},
	} {
		q, err := u.SQL.Query(p.name)
		if err != nil {
			return err
		}
		if *p.target, err = u.Session.Prepare(ctx, q, w, p.out); err != nil {
			return err
		}
	}
	return nil
}

// Do implements workload.Executor.
func (u *statementSender) Do(ctx context.Context, t workload.Transaction) error {
	u.asked = t.Inputs.(*order)
	u.work.inputs = u.asked.inputs // a retry begins with the picked inputs
	u.answers.lines = u.answers.lines[:0]
	access := database.ReadWrite
	if u.asked.kind == orderStatus || u.asked.kind == stockLevel {
		access = database.ReadOnly
	}
	if err := u.Session.Begin(ctx, access); err != nil {
		return err
	}
	if err := u.doKind(ctx); err != nil {
		return err
	}
	return u.Session.Commit(ctx)
}

func (u *statementSender) doKind(ctx context.Context) error {
	switch u.asked.kind {
	case newOrder:
		return u.doNewOrder(ctx)
	case payment:
		return u.doPayment(ctx)
	case delivery:
		return u.doDelivery(ctx)
	case stockLevel:
		return one(ctx, u.stmt.stockLevel.low)
	default:
		return u.doOrderStatus(ctx)
	}
}

// doNewOrder is clause 2.4.2.2.
func (u *statementSender) doNewOrder(ctx context.Context) error {
	w, s := &u.work, &u.stmt.newOrder
	w.AllLocal = 1
	for _, l := range u.asked.lines {
		if l.supply != u.asked.WID {
			w.AllLocal = 0
		}
	}
	if err := each(ctx, s.customerWarehouse, s.district, s.updateDistrict); err != nil {
		return err
	}
	w.OrderID = w.district.NextOrderID
	if err := each(ctx, s.insertOrder, s.insertNewOrder); err != nil {
		return err
	}
	for _, l := range u.asked.lines {
		w.Number, w.Item, w.Supply, w.Quantity = l.number, l.item, l.supply, l.quantity
		found, err := s.item.Run(ctx, nil)
		if err != nil {
			return err
		}
		if found == 0 {
			if err := u.Session.Rollback(ctx); err != nil {
				return err
			}
			return workload.ErrRolledBack
		}
		if err := one(ctx, s.stock); err != nil {
			return err
		}
		w.Remote = min(max(l.supply-u.asked.WID, u.asked.WID-l.supply), 1)
		w.Stock, w.Dist = w.stock.Quantity-l.quantity, w.stock.Dist
		if w.stock.Quantity < l.quantity+10 {
			w.Stock += 91
		}
		w.Amount = l.quantity * w.price.Cents
		if err := each(ctx, s.updateStock, s.insertLine); err != nil {
			return err
		}
	}
	return nil
}

// doPayment is clause 2.5.2.2.
func (u *statementSender) doPayment(ctx context.Context) error {
	w, s := &u.work, &u.stmt.payment
	if err := u.findCustomer(ctx, s.byName); err != nil {
		return err
	}
	if err := one(ctx, s.customer); err != nil {
		return err
	}
	update := s.updateCustomer
	if w.customer.Credit == "BC" {
		update = s.updateBadCredit
		u.data = appendBadCredit(u.data[:0], w)
		w.CData = lent(u.data)
	}
	if err := each(ctx, update, s.updateDistrict, s.district, s.updateWarehouse, s.warehouse); err != nil {
		return err
	}
	u.names = append(append(append(u.names[:0], w.warehouseName.Name...), "    "...), w.districtName.Name...)
	w.HData = lent(u.names)
	return one(ctx, s.insertHistory)
}

// appendBadCredit appends the new C_DATA: the payment, then the old text, at most 500 characters.
func appendBadCredit(buf []byte, w *scratch) []byte {
	for _, n := range [...]int64{w.CID, w.CDID, w.CWID, w.DID, w.WID} {
		buf = append(strconv.AppendInt(buf, n, 10), ' ')
	}
	buf = strconv.AppendInt(buf, w.AmountCents/100, 10)
	buf = append(buf, '.', byte('0'+w.AmountCents/10%10), byte('0'+w.AmountCents%10), '|')
	buf = append(buf, w.customer.Data...)
	return buf[:min(len(buf), 500)]
}

// lent is a string over bytes that are reused for every transaction. It may only be bound to
// statements, which do not retain values.
func lent(buf []byte) string { return unsafe.String(unsafe.SliceData(buf), len(buf)) }

// findCustomer looks up a customer by last name and stores its id in scratch. Of n customers with
// the name, in order of the first name, it takes number n/2, rounded up.
func (u *statementSender) findCustomer(ctx context.Context, byName database.Statement) error {
	if u.asked.ByName == 0 {
		return nil
	}
	u.ids = u.ids[:0]
	if _, err := byName.Run(ctx, u.addID); err != nil {
		return err
	}
	if len(u.ids) == 0 {
		return fmt.Errorf("no customer of district %d of warehouse %d is called %s", u.work.CDID, u.work.CWID, u.asked.LastName)
	}
	u.work.CID = u.ids[(len(u.ids)-1)/2]
	return nil
}

func (u *statementSender) addID() error {
	u.ids = append(u.ids, u.work.customerID.ID)
	return nil
}

// doOrderStatus is clause 2.6.2.2.
func (u *statementSender) doOrderStatus(ctx context.Context) error {
	w, s := &u.work, &u.stmt.orderStatus
	if err := u.findCustomer(ctx, s.byName); err != nil {
		return err
	}
	if err := one(ctx, s.customer); err != nil {
		return err
	}
	found, err := s.lastOrder.Run(ctx, nil)
	if err != nil || found == 0 { // in a schema that another program built, some customers have no order
		return err
	}
	w.OrderID = w.order.ID
	_, err = s.lines.Run(ctx, u.answers.show)
	return err
}

// doDelivery is clause 2.7.4.2, all ten districts in one transaction.
func (u *statementSender) doDelivery(ctx context.Context) error {
	w, s := &u.work, &u.stmt.delivery
	for d := range int64(DistrictsPerWarehouse) {
		w.DID = d + 1
		found, err := s.newOrder.Run(ctx, nil)
		if err != nil {
			return err
		}
		if found == 0 {
			u.answers.delivered[d] = 0
			continue // 2.7.4.2: a district without a new order is skipped
		}
		w.OrderID = w.newOrder.ID
		u.answers.delivered[d] = w.OrderID
		if err := each(ctx, s.deleteNewOrder, s.order, s.updateOrder); err != nil {
			return err
		}
		if _, err := s.updateLines.Run(ctx, nil); err != nil {
			return err
		}
		if err := one(ctx, s.amount); err != nil {
			return err
		}
		w.CID, w.Amount = w.orderCustomer.ID, w.delivered.Cents
		if err := one(ctx, s.updateCustomer); err != nil {
			return err
		}
	}
	return nil
}

// one runs a statement that must find or change exactly one row.
func one(ctx context.Context, s database.Statement) error {
	n, err := s.Run(ctx, nil)
	if err == nil && n != 1 {
		err = fmt.Errorf("a statement must find or change one row, but found or changed %d", n)
	}
	return err
}

// each runs statements that must each find or change exactly one row.
func each(ctx context.Context, statements ...database.Statement) error {
	for _, s := range statements {
		if err := one(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
