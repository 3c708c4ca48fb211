package pool

import (
	"slices"
	"strings"
	"testing"

	"sledge/internal/option"
)

var kinds = []string{"new order", "payment", "stock level"}

func three() Pool {
	return Pool{
		Connections: []Connection{
			{Name: "c1", Options: option.Values{"host": "one", "password": "secret1"}},
			{Name: "c2", Options: option.Values{"host": "two"}},
			{Name: "c3", Options: option.Values{"host": "three"}},
		},
		Routes: []Route{
			{Kind: "neworder", Connections: []string{"c1"}, Policy: First},
			{Kind: "stock_level", Connections: []string{"c3", "c2"}, Policy: Random},
		},
	}
}

func TestTable_FindsKindsAndConnections(t *testing.T) {
	got, err := three().Table(kinds)
	if err != nil {
		t.Fatal(err)
	}
	want := []Lane{{[]int{0}, First}, {[]int{0, 1, 2}, RoundRobin}, {[]int{2, 1}, Random}}
	for i, lane := range got.Lanes {
		if lane.Policy != want[i].Policy || !slices.Equal(lane.Connections, want[i].Connections) {
			t.Errorf("%s: got %v, want %v", kinds[i], lane, want[i])
		}
	}
}

func TestTable_LeavesOutUnusedConnections(t *testing.T) {
	p := three()
	p.Routes = append(p.Routes, Route{Kind: "payment", Connections: []string{"c1"}})
	p.Routes[1].Connections = []string{"c3"}
	got, err := p.Table(kinds)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Connections) != 2 || got.Connections[1].Name != "c3" || got.Lanes[2].Connections[0] != 1 {
		t.Errorf("got %+v, want c1 and c3, and stock level over the second of them", got)
	}
	if !slices.Equal(got.Unused, []string{"c2"}) {
		t.Errorf("got unused %v, want c2", got.Unused)
	}
}

func TestTable_RefusesUnknownNames(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(p *Pool)
		want  string
	}{
		"an unknown connection":  {func(p *Pool) { p.Routes[0].Connections = []string{"c4"} }, `new order uses the connection "c4", which does not exist: did you mean c1?`},
		"an unknown transaction": {func(p *Pool) { p.Routes[0].Kind = "payments" }, `"payments" is not a kind of transaction: did you mean payment?`},
		"one transaction twice":  {func(p *Pool) { p.Routes[0].Kind = "StockLevel" }, "stock level occurs twice"},
		"an unknown policy":      {func(p *Pool) { p.Routes[0].Policy = "randon" }, `"randon" is not a policy: did you mean random? (choose one of first, last, random, round_robin)`},
		"no connection":          {func(p *Pool) { p.Connections = nil }, "no connections"},
		"one connection twice":   {func(p *Pool) { p.Connections[1].Name = "c1" }, `two connections called "c1"`},
		"too many": {func(p *Pool) {
			p.Connections = make([]Connection, 101)
		}, "101 connections"},
	} {
		p := three()
		c.spoil(&p)
		if _, err := p.Table(kinds); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestPublic_RemovesSecrets(t *testing.T) {
	text := three().String()
	kept, err := Public(text, []option.Description{{Name: "host"}, {Name: "port"}, {Name: "password", Secret: true}})
	if err != nil || !strings.Contains(text, "secret1") || strings.Contains(kept, "secret1") || !strings.Contains(kept, `"host":"one"`) {
		t.Errorf("got %s, want hosts and no password", kept)
	}
	again, err := Parse(kept)
	if err != nil || again.String() != kept || !IsPool(kept) {
		t.Errorf("got %s and %v, want %s", again, err, kept)
	}
	if _, err := Parse(`{"connections":"secret1"}`); err == nil || strings.Contains(err.Error(), "secret1") {
		t.Errorf("got %v, want an error that does not quote the text", err)
	}
}

// choices returns n choices among connections with one policy.
func choices(policy Policy, connections int, down []bool, user, n int) (list []int) {
	lane := Lane{Policy: policy}
	for i := range connections {
		lane.Connections = append(lane.Connections, i)
	}
	c := NewChooser(Table{Lanes: []Lane{lane}}, 1, user)
	for range n {
		list = append(list, c.Choose(0, down))
	}
	return list
}

func TestChoose_ByPolicy(t *testing.T) {
	up := make([]bool, 3)
	for _, c := range []struct {
		policy Policy
		down   []bool
		want   []int
	}{
		{First, up, []int{0, 0, 0}},
		{Last, up, []int{2, 2, 2}},
		{RoundRobin, up, []int{0, 1, 2, 0}},
		{First, []bool{true, false, false}, []int{1, 1}},
		{Last, []bool{false, false, true}, []int{1, 1}},
		{RoundRobin, []bool{false, true, false}, []int{0, 2, 0, 2}},
		{First, []bool{true, true, true}, []int{-1}},
		{RoundRobin, []bool{true, true, true}, []int{-1}},
		{Random, []bool{true, true, true}, []int{-1}},
		{Random, []bool{true, true, false}, []int{2, 2, 2}},
	} {
		if got := choices(c.policy, 3, c.down, 0, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s with down %v: got %v, want %v", c.policy, c.down, got, c.want)
		}
	}
}

func TestChoose_RoundRobinPerKind(t *testing.T) {
	lane := Lane{Connections: []int{0, 1}, Policy: RoundRobin}
	c := NewChooser(Table{Lanes: []Lane{lane, lane}}, 1, 0)
	var got []int
	for _, kind := range []int{0, 1, 0, 1} {
		got = append(got, c.Choose(kind, make([]bool, 2)))
	}
	if !slices.Equal(got, []int{0, 0, 1, 1}) {
		t.Errorf("got %v, want each kind to begin with the first connection", got)
	}
}

func TestChoose_RandomIsEvenAndReproducible(t *testing.T) {
	const n = 30_000
	down := []bool{false, true, false, false}
	got := choices(Random, 4, down, 0, n)
	var counts [4]int
	for _, c := range got {
		counts[c]++
	}
	for _, i := range []int{0, 2, 3} {
		// Five standard deviations of a binomial count are 5 × √(n/3 × 2/3) = 408.
		if counts[i] < n/3-408 || counts[i] > n/3+408 {
			t.Errorf("connection %d was drawn %d times of %d", i, counts[i], n)
		}
	}
	if counts[1] > 0 {
		t.Errorf("a connection that is down was drawn %d times", counts[1])
	}
	if !slices.Equal(got, choices(Random, 4, down, 0, n)) {
		t.Error("the same seed and user drew other connections the second time")
	}
	if slices.Equal(got, choices(Random, 4, down, 1, n)) {
		t.Error("another user drew the same connections")
	}
}

func TestChoose_AllocatesNothing(t *testing.T) {
	down := make([]bool, 2)
	for _, policy := range []Policy{First, Last, Random, RoundRobin} {
		c := NewChooser(Table{Lanes: []Lane{{Connections: []int{0, 1}, Policy: policy}}}, 1, 0)
		if n := testing.AllocsPerRun(100, func() { c.Choose(0, down) }); n > 0 {
			t.Errorf("%s: got %v allocations", policy, n)
		}
	}
}
