package tproch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/schema"
	"sledge/internal/workload"
	"sledge/internal/workload/tproch/dbgen"
)

// function is a refresh function.
type function string

// The refresh functions of TPC-H 2.6 and 2.7. The names are the keys of their rows in refreshTable.
const (
	newSales function = "new sales"
	oldSales function = "old sales"
)

// refreshTable records how many orders each refresh function has processed, over all sets. A
// function that has processed none has no row.
var refreshTable = schema.Table{
	Name: "sledge_refresh",
	Columns: []schema.Column{
		{Name: "function_name", Type: schema.Varchar, Size: 20},
		{Name: "orders_done", Type: schema.BigInteger},
	},
	Key: []string{"function_name"},
}

// progress holds the contents of refreshTable.
type progress map[function]int64

// readProgress reads the progress of earlier runs.
func readProgress(ctx context.Context, l workload.Look, size dbgen.Scale) (progress, error) {
	done := progress{}
	if !l.Kept {
		return done, nil
	}
	q, err := l.SQL.Query("refresh.done")
	if err != nil {
		return nil, err
	}
	t, err := l.Session.Query(ctx, q.Text, 0)
	if err != nil {
		return nil, fmt.Errorf("read the number of refreshed orders: %w", err)
	}
	for _, row := range t.Rows {
		n, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read the number of refreshed orders: %w", err)
		}
		done[function(row[0])] = n
	}
	each := setSize(size)
	most := done[oldSales]/each*each + each // sets are inserted one at a time
	if done[oldSales] < 0 || done[newSales] < done[oldSales] || done[newSales] > most || most > size.LastSet()*each+each {
		return nil, fmt.Errorf("the table %s says that %d orders were inserted and %d deleted, which cannot result from runs: build the schema again",
			refreshTable.Name, done[newSales], done[oldSales])
	}
	return done, nil
}

// setSize returns the number of orders in a refresh set.
func setSize(size dbgen.Scale) int64 {
	first, err := size.Refresh(1)
	if err != nil {
		panic(err) // every scale has a first set
	}
	return first.Count()
}

// begun returns the set that an earlier run began and did not complete, or 0.
func (p progress) begun(each int64) int64 {
	if p[newSales] == p[oldSales] && p[newSales]%each == 0 {
		return 0
	}
	return p[oldSales]/each + 1
}

// free returns the first set that no run has begun.
func (p progress) free(each int64) int64 {
	set := p[oldSales]/each + 1
	if p.begun(each) != 0 {
		set++
	}
	return set
}

// refreshing holds the inputs of a refresh transaction: one function on one set.
type refreshing struct {
	function function
	size     dbgen.Scale
	set      int64
	delay    time.Duration // before each order
	span     workload.Span
}

// refresher runs refresh functions over a connection.
type refresher struct {
	workload.Connection
	verbose bool

	statements struct{ begin, advance, deleteLines, deleteOrders database.Statement }
	in         struct {
		Function string `sql:"function_name"`
		Done     int64  `sql:"orders_done"`
		Before   int64  `sql:"orders_before"`
		Low      int64  `sql:"low"`
		High     int64  `sql:"high"`
	}

	last   *refreshing // the last transaction
	orders int64       // refreshed orders of the set, in all tries
}

// ordersAtOnce limits the orders that one transaction refreshes.
const ordersAtOnce = 1000

func newRefresher(ctx context.Context, c workload.Connection, o *Options) (*refresher, error) {
	r := &refresher{Connection: c, verbose: o.RefreshVerbose}
	warm(dbgen.LineItem)
	for _, p := range []struct {
		target *database.Statement
		name   string
	}{
		{&r.statements.begin, "refresh.begin"},
		{&r.statements.advance, "refresh.advance"},
		{&r.statements.deleteLines, "refresh.delete_lines"},
		{&r.statements.deleteOrders, "refresh.delete_orders"},
	} {
		q, err := c.SQL.Query(p.name)
		if err != nil {
			return nil, err
		}
		if *p.target, err = c.Session.Prepare(ctx, q, &r.in, nil); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// warm generates the text of comments, which takes a few tenths of a second once in a process and
// must not count as the refresh functions' time.
func warm(of dbgen.Table) {
	size, err := dbgen.NewScale(1)
	if err != nil {
		panic(err) // 1 is a valid scale factor
	}
	size.Source(of, dbgen.LoadText, 1, 1).AppendRow(nil)
}

// do executes the orders of a set that earlier tries and runs have not done.
func (r *refresher) do(ctx context.Context, t *refreshing) error {
	if r.last != t {
		r.last, r.orders = t, 0
	}
	set, err := t.size.Refresh(t.set)
	if err != nil {
		return err
	}
	// No other program may refresh; advance would detect it.
	done, err := readProgress(ctx, workload.Look{Session: r.Session, SQL: r.SQL, Kept: true}, t.size)
	if err != nil {
		return err
	}
	each := set.Count()
	if done[newSales] < (t.set-1)*each || t.function == oldSales && done[newSales] < t.set*each {
		return fmt.Errorf("refresh set %d must wait, because the new sales before it are incomplete: the next run continues them", t.set)
	}
	if done[oldSales] < (t.set-1)*each {
		return fmt.Errorf("refresh set %d must wait, because the old sales before it still exist: the next run continues them", t.set)
	}
	for order := done[t.function] - (t.set-1)*each + 1; order <= each; {
		count := min(ordersAtOnce, each-order+1)
		if t.delay > 0 {
			count = 1 // so that no transaction stays open during a pause
		}
		if !r.pause(t.delay) {
			return workload.ErrStopped
		}
		if err := r.transact(ctx, t, set, order, count); err != nil {
			return err
		}
		if r.verbose {
			r.tell(t.function, set, order, count)
		}
		order += count
		r.orders += count
	}
	return nil
}

// pause waits before an order. It returns false if the run is ending.
func (r *refresher) pause(delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-r.Stopped:
		return false
	default:
	}
	select {
	case <-timer.C:
		return true
	case <-r.Stopped:
		return false
	}
}

// transact refreshes count orders of a set, each with all its lines, and records the progress, in
// one transaction.
func (r *refresher) transact(ctx context.Context, t *refreshing, set dbgen.Refresh, order, count int64) error {
	if err := r.Session.Begin(ctx, database.ReadWrite); err != nil {
		return err
	}
	r.in.Function, r.in.Before = string(t.function), (t.set-1)*set.Count()+order-1
	r.in.Done = r.in.Before + count
	note := r.statements.advance
	if r.in.Before == 0 {
		note = r.statements.begin
	}
	noted, err := note.Run(ctx, nil)
	if err == nil && noted != 1 {
		return errAnotherRun
	}
	if err != nil && r.in.Before == 0 {
		return fmt.Errorf("record the first refreshed orders, which fails if %w: %w", errAnotherRun, err)
	}
	if err != nil {
		return fmt.Errorf("record the refreshed orders: %w", err)
	}
	if t.function == newSales {
		err = r.insert(ctx, set, order, count)
	} else {
		err = r.delete(ctx, set, order, count)
	}
	if err != nil {
		return fmt.Errorf("refresh set %d, orders %d to %d: %w", t.set, order, order+count-1, err)
	}
	return r.Session.Commit(ctx)
}

var errAnotherRun = errors.New("another run has refreshed the schema since this one began: start it after this one has ended")

// insert loads new orders and then their lines, because the lines refer to the orders.
func (r *refresher) insert(ctx context.Context, set dbgen.Refresh, order, count int64) error {
	for _, rows := range []struct {
		table  dbgen.Table
		source *dbgen.Source
	}{
		{dbgen.Orders, set.Orders(dbgen.LoadText, order, count)},
		{dbgen.LineItem, set.LineItems(dbgen.LoadText, order, count)},
	} {
		made := &counted{RowSource: rows.source}
		into, err := r.layout(rows.table)
		if err != nil {
			return err
		}
		loaded, err := r.Session.Load(ctx, into, made)
		if err != nil {
			return err
		}
		if loaded != made.rows {
			return fmt.Errorf("only %d of %d rows of %s could be inserted: the keys of the others exist already", loaded, made.rows, rows.table)
		}
	}
	return nil
}

// layout describes a table for loading rows.
func (r *refresher) layout(of dbgen.Table) (schema.Table, error) {
	name, err := r.SQL.Query("refresh." + of.String())
	t := built[slices.IndexFunc(built, func(t table) bool { return t.table == of })]
	return schema.Table{Name: strings.TrimSpace(name.Text), Columns: t.columns, Key: t.key}, err
}

// counted counts the rows that are taken from a source.
type counted struct {
	schema.RowSource
	rows int64
}

func (c *counted) AppendRow(buf []byte) ([]byte, bool) {
	buf, more := c.RowSource.AppendRow(buf)
	if more {
		c.rows++
	}
	return buf, more
}

// delete deletes old orders, after their lines.
func (r *refresher) delete(ctx context.Context, set dbgen.Refresh, order, count int64) error {
	r.in.Low, r.in.High = set.Deleted(order), set.Deleted(order+count-1)
	if _, err := r.statements.deleteLines.Run(ctx, nil); err != nil {
		return err
	}
	deleted, err := r.statements.deleteOrders.Run(ctx, nil)
	if err != nil {
		return err
	}
	if deleted != count {
		return fmt.Errorf("there are %d orders with keys from %d to %d instead of %d: another program has refreshed the schema. Build it again",
			deleted, r.in.Low, r.in.High, count)
	}
	return nil
}

// tell reports each order.
func (r *refresher) tell(f function, set dbgen.Refresh, order, count int64) {
	step, key := job.StepNewSale, set.Inserted
	if f == oldSales {
		step, key = job.StepOldSale, set.Deleted
	}
	for n := order; n < order+count; n++ {
		r.Tell(job.Event{Step: &job.Step{Name: step, Stage: job.Ends, Count: key(n)}})
	}
}

// refreshes is a terminal that runs refresh functions, set after set.
type refreshes struct {
	size        dbgen.Scale
	first, last int64 // sets
	functions   []function
	delay       time.Duration

	picked int
}

// pair runs both functions, in the order of the throughput test (TPC-H 5.3.4).
var pair = []function{newSales, oldSales}

// Pick implements workload.Terminal.
func (r *refreshes) Pick() (workload.Transaction, bool) {
	each := len(r.functions)
	set := r.first + int64(r.picked/each)
	if set > r.last {
		return workload.Transaction{}, false
	}
	f := r.functions[r.picked%each]
	r.picked++
	return workload.Transaction{Kind: kindOf(f), Unlimited: true, Inputs: &refreshing{
		function: f, size: r.size, set: set, delay: r.delay,
		span: workload.Span{Stream: job.NoStream, Set: int(set), Number: int(set-r.first) + 1, Of: int(r.last-r.first) + 1},
	}}, true
}
