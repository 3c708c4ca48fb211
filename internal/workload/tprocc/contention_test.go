package tprocc

import (
	"math/rand/v2"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/workload"
)

func TestContention_CountsTheHomesOfUsers(t *testing.T) {
	for _, tt := range []struct {
		name              string
		users, warehouses int
		all               bool
		random            bool
		seed              uint64
		sharing, most     int    // -1: compare with the homes that the terminals draw
		want              string // how the sentence begins
	}{
		{"one warehouse", 3, 1, false, false, 1, 3, 3, "3 of 3 virtual users share the only warehouse and wait for each other's locks. Build 3 warehouses so that few do."},
		{"one warehouse for two", 2, 1, false, false, 1, 2, 2, "2 of 2 virtual users share the only warehouse and wait"},
		{"homes by chance", 8, 8, false, true, 1, -1, -1, ""},
		{"homes by chance, another seed", 8, 8, false, true, 2, -1, -1, ""},
		{"dealt", 8, 8, false, false, 1, 0, 1, "each virtual user has a warehouse of its own"},
		{"dealt to more than there are", 5, 3, false, false, 1, 4, 2, "4 of 5 virtual users share a home warehouse and wait"},
		{"all shared out evenly", 2, 4, true, false, 1, 0, 0, "each virtual user has a warehouse of its own"},
		// User 1 has warehouses 1 and 4, user 2 has 2 and 1, user 3 has 3 and 2.
		{"all shared out, and some twice", 3, 4, true, false, 1, 3, 2, "3 of 3 virtual users share warehouses and wait"},
		// Each user has one warehouse: 1, 2, 1.
		{"fewer than users", 3, 2, true, false, 1, 2, 2, "2 of 3 virtual users share warehouses and wait"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := fresh()
			o.AllWarehouses = tt.all
			if tt.random {
				o.Homes = randomHomes
			}
			crowd := workload.Crowd{Users: tt.users, Seed: tt.seed, Options: o, Rand: func(n int) *rand.Rand { return rand.New(rand.NewPCG(tt.seed, uint64(n))) }}
			got := crowding(o, crowd, tt.warehouses)
			if got.Users != tt.users || got.Units != tt.warehouses || got.Enough != o.roomy()*tt.users {
				t.Errorf("got %+v", got)
			}
			sharing, most := byTerminals(o, tt.seed, tt.users, tt.warehouses)
			if got.Sharing != sharing || got.Most != most {
				t.Errorf("got %d users that share a warehouse and at most %d on one, want %d and %d as by their terminals", got.Sharing, got.Most, sharing, most)
			}
			if tt.sharing > 0 && (got.Sharing != tt.sharing || got.Most != tt.most) {
				t.Errorf("got %d users that share a warehouse and at most %d on one, want %d and %d", got.Sharing, got.Most, tt.sharing, tt.most)
			}
			if said := expectation(got, o); !strings.HasPrefix(said, tt.want) {
				t.Errorf("got %q, want it to begin with %q", said, tt.want)
			}
		})
	}
	if said, want := expectation(job.Contention{Users: 2, Units: 7}, fresh()), "each virtual user has a warehouse of its own"; !strings.HasPrefix(said, want) {
		t.Errorf("got %q, want it to begin with %q", said, want)
	}
}

// byTerminals counts the users that share a warehouse from the homes of their terminals.
func byTerminals(o *Options, seed uint64, users, warehouses int) (sharing, most int) {
	var each [][]int
	on := map[int]int{}
	for n := range users {
		each = append(each, slot(o, seed, n, users, warehouses).home)
		for _, w := range each[n] {
			on[w]++
		}
	}
	for _, homes := range each {
		shares := false
		for _, w := range homes {
			most = max(most, on[w])
			shares = shares || on[w] > 1
		}
		if shares {
			sharing++
		}
	}
	return sharing, most
}

func TestContention_IsRareWithPauses(t *testing.T) {
	for _, tt := range []struct {
		pauses         bool
		keying, thinks float64
		want           bool
	}{
		{false, 18, 12, false},
		{true, 18, 12, true},
		{true, 0.01, 0.02, false},
	} {
		o := fresh()
		o.KeyAndThink = tt.pauses
		for k := range o.Keying {
			o.Keying[k], o.Thinking[k] = tt.keying, tt.thinks
		}
		if got := o.rests(); got != tt.want {
			t.Errorf("%+v: got %v, want %v", tt, got, tt.want)
		}
	}
}
