package tprocc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// inputs are the inputs of a transaction; each kind uses some of them.
type inputs struct {
	WID         int64  `sql:"w_id"`
	MaxWID      int64  `sql:"max_w_id"`
	DID         int64  `sql:"d_id"`
	CID         int64  `sql:"c_id"`
	LineCount   int64  `sql:"ol_cnt"`
	CWID        int64  `sql:"c_w_id"`
	CDID        int64  `sql:"c_d_id"`
	ByName      int64  `sql:"by_name"` // 1 if the customer is looked up by last name
	AmountCents int64  `sql:"h_amount_cents"`
	LastName    string `sql:"c_last"`
	CarrierID   int64  `sql:"carrier_id"`
	Threshold   int64  `sql:"threshold"`

	// Chance seeds the random lines of an order in a routine, if the server's sessions have no
	// random numbers that can be seeded.
	Chance int64 `sql:"chance"`
}

// order is a picked transaction with its inputs.
type order struct {
	inputs
	kind  meter.Kind
	lines []orderLine // lines of a new order, if the client draws them
}

// terminal picks the transactions of one virtual user, like the terminals of TPC-C. It does not use
// the database.
type terminal struct {
	slot    workload.Slot
	options *Options
	order

	warehouses         int   // number of warehouses in the schema
	home               []int // warehouses that this user works on; usually one
	stockLevelDistrict int   // TPC-C 2.8.1.1: fixed for each terminal

	deck []meter.Kind // as many cards of each kind as its weight
	next int          // the next card of the deck, if the mix is dealt

	lineRand *rand.Rand // for lines of orders; nil if routines draw them
}

// newTerminal is Workload.NewTerminal.
func newTerminal(slot workload.Slot) workload.Terminal {
	o := slot.Options.(*Options)
	t := &terminal{slot: slot, options: o, warehouses: slot.Survey.(int), deck: o.Mix.deck()}
	t.MaxWID = int64(t.warehouses)
	t.next = len(t.deck)
	if !o.callsRoutines(slot.SQL) {
		t.lineRand = rand.New(rand.NewPCG(slot.Seed, lineStream^uint64(slot.Number)))
		t.lines = make([]orderLine, 0, 15)
	}
	t.chooseWarehouses()
	return t
}

// newExecutor prepares the calls of stored routines if the schema has them. If it has none, or if
// the options ask for client SQL, newExecutor prepares the statements.
func newExecutor(ctx context.Context, c workload.Connection) (workload.Executor, error) {
	if c.Options.(*Options).callsRoutines(c.SQL) {
		return newRoutineCaller(ctx, c)
	}
	return newStatementSender(ctx, c)
}

// callsRoutines reports whether transactions are calls of stored routines.
func (o *Options) callsRoutines(sql *sqlfile.Library) bool {
	return !o.NoStoredProcs && sql.Has("installed_routines")
}

// survey reads the number of warehouses.
func survey(ctx context.Context, l workload.Look) (any, error) {
	q, err := l.SQL.Query("limits")
	if err != nil {
		return nil, err
	}
	var limits struct {
		MaxWID int64 `sql:"max_w_id"`
	}
	s, err := l.Session.Prepare(ctx, q, nil, &limits)
	if err != nil {
		return nil, err
	}
	if _, err := s.Run(ctx, nil); err != nil {
		return nil, fmt.Errorf("read the number of warehouses: %w", err)
	}
	if limits.MaxWID < 1 {
		return nil, fmt.Errorf("there is no warehouse in the schema: delete it and build it again")
	}
	return int(limits.MaxWID), nil
}

// chooseWarehouses gives the user its home warehouse, or its share of all warehouses.
func (t *terminal) chooseWarehouses() {
	t.home = homes(t.slot.Rand, t.options, t.slot.Seed, t.slot.Number, t.slot.Users, t.warehouses)
	t.stockLevelDistrict = RandomNumber(t.slot.Rand, 1, DistrictsPerWarehouse)
	if !t.options.AllWarehouses {
		return
	}
	t.tell(job.Step{Name: job.StepShare, Units: t.home, Count: int64(t.warehouses), Users: t.slot.Users})
}

// homes returns the warehouses of a user: its share of all, or its home warehouse. It always draws
// a random home first, so later draws do not depend on how users get their homes.
func homes(r *rand.Rand, o *Options, seed uint64, number, users, warehouses int) []int {
	drawn := RandomNumber(r, 1, warehouses)
	switch {
	case o.AllWarehouses:
		var share []int
		for j := range (warehouses + users - 1) / users {
			share = append(share, (number+j*users)%warehouses+1)
		}
		return share
	case o.Homes == randomHomes:
		return []int{drawn}
	}
	return []int{dealtHome(seed, number, warehouses)}
}

// dealtHome returns the home warehouse that the user is dealt. Two users get the same one only if
// their numbers differ by a multiple of the number of warehouses. The seed decides the first
// warehouse and the step to the next, which has no common divisor with the number of warehouses.
func dealtHome(seed uint64, number, warehouses int) int {
	r := rand.New(rand.NewPCG(seed, homeStream))
	first, step := r.IntN(warehouses), 1+r.IntN(warehouses)
	for divisor(step, warehouses) > 1 {
		step = 1 + r.IntN(warehouses)
	}
	return (first+number%warehouses*step)%warehouses + 1
}

// homeStream is the stream of random numbers for dealing homes, apart from the users' streams.
const homeStream = 1 << 62

// divisor returns the greatest common divisor of two numbers.
func divisor(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// tell emits the beginning of a step.
func (t *terminal) tell(s job.Step) {
	s.Stage = job.Begins
	t.slot.Tell(job.Event{Step: &s})
}

// deal decides the next kind of transaction: a card that is drawn at random and put back (TPC-C
// 5.2.4.1), or the next card of a shuffled deck (5.2.4.2).
func (t *terminal) deal() meter.Kind {
	r := t.slot.Rand
	if !t.options.Deck {
		return t.deck[RandomNumber(r, 0, len(t.deck)-1)]
	}
	if t.next == len(t.deck) {
		r.Shuffle(len(t.deck), func(i, j int) { t.deck[i], t.deck[j] = t.deck[j], t.deck[i] })
		t.next = 0
	}
	t.next++
	return t.deck[t.next-1]
}

// Pick implements workload.Terminal, clauses 2.4.1 to 2.8.1.
func (t *terminal) Pick() (workload.Transaction, bool) { return t.PickKind(t.deal()) }

// PickKind implements workload.KindPicker.
func (t *terminal) PickKind(kind meter.Kind) (workload.Transaction, bool) {
	r, in := t.slot.Rand, &t.inputs
	t.kind = kind
	in.WID = int64(t.home[0])
	if len(t.home) > 1 {
		in.WID = int64(t.home[RandomNumber(r, 0, len(t.home)-1)])
	}
	in.DID = int64(RandomNumber(r, 1, DistrictsPerWarehouse))
	switch t.kind {
	case newOrder:
		in.CID = t.customer()
		in.LineCount = int64(RandomNumber(r, 5, 15))
		if t.lineRand != nil {
			t.pickLines()
		}
	case payment:
		t.pickPayment()
	case delivery:
		in.CarrierID = int64(RandomNumber(r, 1, 10))
	case stockLevel:
		in.DID = int64(t.stockLevelDistrict)
		in.Threshold = int64(RandomNumber(r, 10, 20))
	case orderStatus:
		in.CWID, in.CDID = in.WID, in.DID // always a customer of the home warehouse
		t.pickCustomer()
	}
	return t.paced(), true
}

// pickLines draws the lines of an order, clause 2.4.1.5. It sorts them by supply warehouse and
// item, so that two orders lock shared stock in the same order. The unused item stays last.
func (t *terminal) pickLines() {
	r := t.lineRand
	t.lines = t.lines[:0]
	for n := range t.LineCount {
		l := orderLine{
			number: n + 1, supply: t.WID,
			item:     int64(NURand(r, ItemIDA, 1, Items, ItemIDC)),
			quantity: int64(RandomNumber(r, 1, 10)),
		}
		if RandomNumber(r, 1, 100) == 1 {
			l.supply = otherWarehouse(r, t.WID, t.warehouses)
		}
		t.lines = append(t.lines, l)
	}
	if RandomNumber(r, 1, 100) == 1 {
		t.lines[len(t.lines)-1].item = unusedItem
	}
	slices.SortFunc(t.lines, func(a, b orderLine) int {
		return cmp.Or(cmp.Compare(a.item/unusedItem, b.item/unusedItem), cmp.Compare(a.supply, b.supply), cmp.Compare(a.item, b.item))
	})
}

// pickPayment draws the inputs of a Payment, clause 2.5.1.2: 85 % have a customer of the home
// warehouse, the rest one of another warehouse.
func (t *terminal) pickPayment() {
	r, in := t.slot.Rand, &t.inputs
	in.CWID, in.CDID = in.WID, in.DID
	if RandomNumber(r, 1, 100) > 85 {
		in.CDID = int64(RandomNumber(r, 1, DistrictsPerWarehouse))
		in.CWID = otherWarehouse(r, in.WID, t.warehouses)
	}
	t.pickCustomer()
	in.AmountCents = int64(RandomNumber(r, 100, 500_000))
}

// pickCustomer draws a customer, by last name in 60 of 100 cases (2.5.1.2,
// 2.6.1.2).
func (t *terminal) pickCustomer() {
	r, in := t.slot.Rand, &t.inputs
	in.CID = t.customer()
	in.ByName, in.LastName = 0, ""
	if RandomNumber(r, 1, 100) <= 60 {
		in.ByName = 1
		in.LastName = LastName(NURand(r, LastNameA, 0, 999, LastNameRunC))
	}
}

func (t *terminal) customer() int64 {
	return int64(NURand(t.slot.Rand, CustomerIDA, 1, CustomersPerDistrict, CustomerIDC))
}

// otherWarehouse draws a warehouse other than the home warehouse, if there is one.
func otherWarehouse(r *rand.Rand, home int64, warehouses int) int64 {
	if warehouses == 1 {
		return home
	}
	w := int64(RandomNumber(r, 1, warehouses-1))
	if w >= home {
		w++
	}
	return w
}

// paced adds keying and thinking time. The keying time is fixed for each kind (5.2.5.2). The
// thinking time is exponential, limited to ten times its mean (5.2.5.4).
func (t *terminal) paced() workload.Transaction {
	next := workload.Transaction{Kind: t.kind, Inputs: &t.order}
	if t.options.KeyAndThink {
		next.Keying = inSeconds(t.options.Keying[t.kind])
		mean := t.options.Thinking[t.kind]
		next.Thinking = inSeconds(min(-math.Log(1-t.slot.Rand.Float64())*mean, 10*mean))
	}
	return next
}

// pauses are the mean pauses before and after each kind of transaction.
func (o *Options) pauses() []time.Duration {
	list := make([]time.Duration, kinds)
	for k := range list {
		// The mean of an exponential distribution that is limited to ten times its mean.
		list[k] = inSeconds(o.Keying[k] + o.Thinking[k]*(1-math.Exp(-10)))
	}
	return list
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
