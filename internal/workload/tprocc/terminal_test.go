package tprocc

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// slot returns a terminal of a run without a database.
func slot(o *Options, seed uint64, number, users, warehouses int) *terminal {
	t := &terminal{
		options:    o,
		warehouses: warehouses,
		slot: workload.Slot{
			Number: number, Users: users, Seed: seed,
			Rand: rand.New(rand.NewPCG(seed, uint64(number))), Tell: func(job.Event) {},
		},
	}
	t.MaxWID = int64(warehouses)
	t.deck = o.Mix.deck()
	t.next = len(t.deck)
	t.chooseWarehouses()
	return t
}

// sender returns such a terminal that draws the lines of orders as well, for client SQL.
func sender(o *Options, seed uint64, number, users, warehouses int) *terminal {
	t := slot(o, seed, number, users, warehouses)
	t.lines = make([]orderLine, 0, 15)
	t.lineRand = rand.New(rand.NewPCG(seed, lineStream^uint64(number)))
	return t
}

func fresh() *Options { return newOptions().(*Options) }

func TestSameSeedPicksTheSameTransactions(t *testing.T) {
	var got strings.Builder
	for _, o := range []*Options{fresh(), {Mix: weights{2, 2, 1, 1, 1}, Deck: true, AllWarehouses: true}} {
		u := sender(o, 1, 3, 4, 10)
		for range 40 {
			u.Pick()
			in := u.inputs
			switch u.kind {
			case newOrder:
				fmt.Fprintf(&got, "new order w %d d %d c %d lines %v\n", in.WID, in.DID, in.CID, u.lines)
			case payment:
				fmt.Fprintf(&got, "payment w %d d %d of w %d d %d c %d by name %d %s cents %d\n", in.WID, in.DID, in.CWID, in.CDID, in.CID, in.ByName, in.LastName, in.AmountCents)
			case delivery:
				fmt.Fprintf(&got, "delivery w %d carrier %d\n", in.WID, in.CarrierID)
			case stockLevel:
				fmt.Fprintf(&got, "stock level w %d d %d threshold %d\n", in.WID, in.DID, in.Threshold)
			case orderStatus:
				fmt.Fprintf(&got, "order status w %d d %d c %d by name %d %s\n", in.WID, in.DID, in.CID, in.ByName, in.LastName)
			}
		}
	}
	golden := filepath.Join("testdata", "picks.txt")
	if flag.Lookup("update").Value.String() == "true" { // population_test.go declares the flag
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the picks of seed 1 are not those of %s (-update rewrites it): got\n%s", golden, got.String())
	}
}

func TestRoutinesAndClientPickTheSameTransactions(t *testing.T) {
	routine := slot(fresh(), 7, 0, 1, 5)
	client := sender(fresh(), 7, 0, 1, 5)
	for i := range 1000 {
		routine.Pick()
		client.Pick()
		if routine.kind != client.kind || routine.inputs != client.inputs {
			t.Fatalf("transaction %d: routines pick %d %+v, the client %d %+v", i, routine.kind, routine.inputs, client.kind, client.inputs)
		}
	}
}

// draws counts how often something is true in many transactions of one kind.
func draws(t *terminal, n int, kind meter.Kind, is func(inputs) bool) float64 {
	hits := 0
	for seen := 0; seen < n; {
		if t.Pick(); t.kind == kind {
			seen++
			if is(t.inputs) {
				hits++
			}
		}
	}
	return float64(hits) / float64(n)
}

func TestPick_DrawsTheStandardsShares(t *testing.T) {
	u := slot(fresh(), 1, 0, 1, 10)
	for _, tt := range []struct {
		name string
		kind meter.Kind
		is   func(inputs) bool
		want float64
	}{
		{"payments by last name", payment, func(in inputs) bool { return in.ByName == 1 }, 0.60},
		{"payments of a remote customer", payment, func(in inputs) bool { return in.CWID != in.WID }, 0.15},
		{"remote customers of the home district by chance", payment, func(in inputs) bool { return in.CWID != in.WID && in.CDID == in.DID }, 0.015},
		{"order status by last name", orderStatus, func(in inputs) bool { return in.ByName == 1 }, 0.60},
		{"order status in the home warehouse", orderStatus, func(in inputs) bool { return in.CWID == in.WID && in.CDID == in.DID }, 1},
		{"new orders of 5 lines", newOrder, func(in inputs) bool { return in.LineCount == 5 }, 1.0 / 11},
		{"new orders of 15 lines", newOrder, func(in inputs) bool { return in.LineCount == 15 }, 1.0 / 11},
		{"payments below 100.00", payment, func(in inputs) bool { return in.AmountCents < 100_00 }, 99.0 / 4999},
	} {
		const n = 20_000
		got := draws(u, n, tt.kind, tt.is)
		if slack := 4 * math.Sqrt(tt.want*(1-tt.want)/n); math.Abs(got-tt.want) > slack {
			t.Errorf("%s: got %.4f, want %.4f +- %.4f", tt.name, got, tt.want, slack)
		}
	}
}

func TestPickLines_FollowsTheStandard(t *testing.T) {
	u := sender(fresh(), 1, 0, 1, 10)
	orders, lines, unused, remote := 0, 0, 0, 0
	for range 200_000 {
		if u.Pick(); u.kind != newOrder {
			continue
		}
		orders++
		numbers := map[int64]bool{}
		for i, l := range u.lines {
			lines++
			numbers[l.number] = true
			if l.supply != u.WID {
				remote++
			}
			if l.supply < 1 || l.supply > 10 || l.quantity < 1 || l.quantity > 10 || l.item < 1 || l.item > unusedItem {
				t.Fatalf("line %+v is out of range", l)
			}
			if l.item == unusedItem {
				unused++
				if i != len(u.lines)-1 || l.number != u.LineCount {
					t.Fatalf("the unused item is in line %d of %d, number %d", i+1, len(u.lines), l.number)
				}
			} else if i > 0 && (u.lines[i-1].supply > l.supply || u.lines[i-1].supply == l.supply && u.lines[i-1].item > l.item) {
				t.Fatalf("lines %+v are not sorted", u.lines)
			}
		}
		if len(numbers) != int(u.LineCount) {
			t.Fatalf("lines %+v are not numbered 1 to %d", u.lines, u.LineCount)
		}
	}
	if share := float64(unused) / float64(orders); share < 0.009 || share > 0.011 {
		t.Errorf("%.4f of the orders have the unused item, want 0.01", share)
	}
	if share := float64(remote) / float64(lines); share < 0.0095 || share > 0.0105 {
		t.Errorf("%.4f of the lines are remote, want 0.01", share)
	}
}

func TestOneWarehouse_HasNoRemoteTransactions(t *testing.T) {
	u := slot(fresh(), 1, 0, 1, 1)
	if share := draws(u, 1000, payment, func(in inputs) bool { return in.CWID == 1 }); share != 1 {
		t.Errorf("a share of only %v of the payments is in the one warehouse", share)
	}
}

func TestTheMixIsByWeightOrFromADeck(t *testing.T) {
	for _, deck := range []bool{false, true} {
		o := fresh()
		o.Deck = deck
		u := slot(o, 1, 0, 1, 1)
		const rounds = 1000
		var got [kinds]int
		for range rounds * 23 {
			u.Pick()
			got[u.kind]++
		}
		for k, weight := range o.Mix {
			slack := 0.0 // a deck holds exactly its cards
			if !deck {
				slack = 4 * math.Sqrt(float64(rounds*weight))
			}
			if want := float64(rounds * weight); math.Abs(float64(got[k])-want) > slack {
				t.Errorf("deck %v, %s: got %d, want %.0f +- %.0f", deck, Workload.Kinds[k].Name, got[k], want, slack)
			}
		}
	}
}

func TestHomeWarehousesAreDealtWithoutRepetition(t *testing.T) {
	o := fresh()
	for _, c := range []struct{ users, warehouses int }{{2, 2}, {2, 10}, {8, 8}, {7, 12}, {25, 10}, {3, 1}, {100, 100}} {
		for seed := range uint64(20) {
			on := make([]int, c.warehouses+1)
			for n := range c.users {
				on[slot(o, seed, n, c.users, c.warehouses).home[0]]++
			}
			least, most := c.users/c.warehouses, (c.users+c.warehouses-1)/c.warehouses
			for w, users := range on[1:] {
				if users < least || users > most {
					t.Errorf("%d users on %d warehouses with seed %d: %d have warehouse %d, want %d to %d", c.users, c.warehouses, seed, users, w+1, least, most)
				}
			}
		}
	}
	firsts := map[int]bool{}
	for seed := range uint64(50) {
		firsts[slot(o, seed, 0, 2, 10).home[0]] = true
	}
	if len(firsts) < 8 {
		t.Errorf("50 seeds give the first user %d of 10 warehouses", len(firsts))
	}
	o.Homes = randomHomes
	if a, b := slot(o, 1, 0, 2, 2).home, slot(o, 1, 1, 2, 2).home; !slices.Equal(a, b) {
		t.Errorf("got %v and %v, want the same home, because both draw it with seed 1", a, b)
	}
}

func TestAllWarehouses_AreSharedInTurns(t *testing.T) {
	o := fresh()
	o.AllWarehouses = true
	var told job.Step
	u := slot(o, 1, 1, 24, 120)
	if want := []int{2, 26, 50, 74, 98}; !slices.Equal(u.home, want) {
		t.Errorf("the second of 24 users has %v, want %v", u.home, want)
	}
	u.slot.Tell = func(e job.Event) { told = *e.Step }
	u.slot.Number, u.home = 0, nil
	u.chooseWarehouses()
	want := job.Step{Name: job.StepShare, Stage: job.Begins, Units: []int{1, 25, 49, 73, 97}, Count: 120, Users: 24}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("got %+v, want %+v", told, want)
	}
	// Two users share three warehouses: each works on two, so both work on one.
	if a, b := slot(o, 1, 0, 2, 3).home, slot(o, 1, 1, 2, 3).home; !slices.Equal(a, []int{1, 3}) || !slices.Equal(b, []int{2, 1}) {
		t.Errorf("got %v and %v, want [1 3] and [2 1]", a, b)
	}
	seen := map[int64]bool{}
	for range 1000 {
		u.Pick()
		seen[u.WID] = true
	}
	if len(seen) != 5 {
		t.Errorf("worked on %d warehouses, want 5", len(seen))
	}
}

func TestKeyingAndThinkingTimes(t *testing.T) {
	o := fresh()
	o.KeyAndThink = true
	if err := o.Thinking.UnmarshalText([]byte("payment=0.05")); err != nil {
		t.Fatal(err)
	}
	u := slot(o, 1, 0, 1, 1)
	var sum [kinds]time.Duration
	var n [kinds]int
	for range 200_000 {
		next, _ := u.Pick()
		if want := inSeconds(o.Keying[next.Kind]); next.Keying != want {
			t.Fatalf("keying %v, want %v", next.Keying, want)
		}
		if next.Thinking < 0 || next.Thinking > inSeconds(10*o.Thinking[next.Kind]) {
			t.Fatalf("thinking %v is not within ten times the mean of %v s", next.Thinking, o.Thinking[next.Kind])
		}
		sum[next.Kind] += next.Thinking
		n[next.Kind]++
	}
	for k, mean := range o.Thinking {
		got := sum[k].Seconds() / float64(n[k])
		if slack := 4 * mean / math.Sqrt(float64(n[k])); math.Abs(got-mean) > slack {
			t.Errorf("%s: the mean thinking time is %.4f s, want %.4f +- %.4f", Workload.Kinds[k].Name, got, mean, slack)
		}
	}
	if next, _ := slot(fresh(), 1, 0, 1, 1).Pick(); next.Keying != 0 || next.Thinking != 0 {
		t.Error("users pause although the options have no pauses")
	}
}

func TestPickAllocatesNothing(t *testing.T) {
	u := sender(fresh(), 1, 0, 1, 10)
	if n := testing.AllocsPerRun(10_000, func() { u.Pick() }); n != 0 {
		t.Errorf("Pick allocates %v times, want 0", n)
	}
}

func TestOptionsAreRefusedWithTheWayOut(t *testing.T) {
	for _, tt := range []struct {
		values option.Values
		want   string // "" where they are fine
	}{
		{option.Values{"warehouses": "4", "builders": "4"}, ""},
		{option.Values{"builders": "2"}, "option builders: 2 is more than the 1 of warehouses: each builder needs a warehouse"},
		{option.Values{"mix": "45,43,4,4,4"}, ""},
		{option.Values{"mix": "neworder=1,payment=0"}, ""},
		{option.Values{"mix": "1,2,3"}, `option mix: "1,2,3" has 3 values instead of five: new order, payment, delivery, stock level, order status`},
		{option.Values{"mix": "neworders=1"}, `option mix: "neworders" is not one of new order, payment, delivery, stock level, order status`},
		{option.Values{"mix": "0,0,0,0,0"}, "option mix: at least one weight must be more than 0"},
		{option.Values{"mix": "-1,1,1,1,1"}, `option mix: "-1" is not a weight: a whole number from 0 to 10000`},
		{option.Values{"think_time": "1,1,1,1,x", "key_and_think": "true"}, `option think_time: "x" is not a number of seconds from 0 to 86400`},
		{option.Values{"think_time": "new order=0.25", "key_and_think": "true"}, ""},
		{option.Values{"load_time": "yesterday"}, `option load_time: "yesterday" is neither now nor a date such as 2026-01-01 or 2026-01-01 12:00:00`},
		{option.Values{"load_time": "2020-02-29"}, ""},
	} {
		got := ""
		if err := option.Bind(nil, tt.values, newOptions()); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.values, got, tt.want)
		}
	}
}

func TestBadCreditKeepsFiveHundredCharacters(t *testing.T) {
	w := &scratch{inputs: inputs{CID: 1, CDID: 2, CWID: 3, DID: 4, WID: 5, AmountCents: 123405}}
	w.customer.Data = strings.Repeat("x", 500)
	got := string(appendBadCredit(nil, w))
	if want := "1 2 3 4 5 1234.05|xxx"; !strings.HasPrefix(got, want) || len(got) != 500 {
		t.Errorf("got %d characters %.30q, want 500 that begin with %q", len(got), got, want)
	}
	w.customer.Data = ""
	if got, want := string(appendBadCredit(nil, w)), "1 2 3 4 5 1234.05|"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
