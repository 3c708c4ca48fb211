package meter_test

import (
	"slices"
	"testing"
	"time"

	"sledge/internal/meter"
)

func TestStalls(t *testing.T) {
	const ms = time.Millisecond
	type transaction struct{ begun, ended time.Duration }
	// steady returns the consecutive transactions of a user, of 10 ms each.
	steady := func(from, to time.Duration) []transaction {
		var list []transaction
		for at := from; at < to; at += 10 * ms {
			list = append(list, transaction{at, at + 10*ms})
		}
		return list
	}
	for _, tt := range []struct {
		name    string
		ended   []transaction
		unended []time.Duration
		want    []meter.Stall // between 1 s and 11 s
	}{
		{"no stall in a steady run", steady(0, 12*time.Second), nil, nil},
		{
			"a stall lies between two ends of transactions",
			slices.Concat(steady(0, 3003*ms), []transaction{{3010 * ms, 5017 * ms}}, steady(5017*ms, 12*time.Second)), nil,
			[]meter.Stall{{3010 * ms, 5017 * ms}},
		},
		{
			"no stall while nothing is in flight",
			slices.Concat(steady(0, 3*time.Second), []transaction{{6 * time.Second, 6300 * ms}}, steady(6300*ms, 12*time.Second)), nil,
			[]meter.Stall{{6 * time.Second, 6300 * ms}},
		},
		{
			"stalls are cut at both ends of the time span",
			[]transaction{{500 * ms, 2 * time.Second}, {2 * time.Second, 13 * time.Second}},
			nil,
			[]meter.Stall{{1 * time.Second, 2 * time.Second}, {2 * time.Second, 11 * time.Second}},
		},
		{
			"a stall continues for transactions that never ended",
			steady(0, 5*time.Second),
			[]time.Duration{5020 * ms, 5500 * ms},
			[]meter.Stall{{5020 * ms, 11 * time.Second}},
		},
		{"a stall is the whole span if no transaction ended", nil, []time.Duration{0}, []meter.Stall{{1 * time.Second, 11 * time.Second}}},
		{"no stall without transactions", nil, nil, nil},
		{
			"a transaction is in flight from its scheduled start",
			slices.Concat(steady(0, 3*time.Second), []transaction{{6 * time.Second, 6100 * ms}, {2 * time.Second, 11 * time.Second}}), nil,
			[]meter.Stall{{3 * time.Second, 6100 * ms}, {6100 * ms, 11 * time.Second}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stripe, stalls := meter.NewStripe(), &meter.Stalls{}
			for _, one := range slices.Backward(tt.ended) { // the order does not matter
				stripe.Record(meter.Record{Response: one.ended - one.begun, Ended: one.ended})
			}
			stripe.Take(stalls)
			if got := stalls.Between(time.Second, 11*time.Second, tt.unended); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestStall_Without(t *testing.T) {
	s := time.Second
	for _, tt := range []struct{ times, want []meter.Stall }{
		{nil, []meter.Stall{{3 * s, 9 * s}}},
		{[]meter.Stall{{0, 2 * s}, {10 * s, 11 * s}}, []meter.Stall{{3 * s, 9 * s}}},
		{[]meter.Stall{{2 * s, 10 * s}}, nil},
		{[]meter.Stall{{2 * s, 4 * s}, {5 * s, 6 * s}}, []meter.Stall{{4 * s, 5 * s}, {6 * s, 9 * s}}},
		{[]meter.Stall{{3100 * time.Millisecond, 8800 * time.Millisecond}}, nil}, // the remaining parts are too short
	} {
		if got := (meter.Stall{3 * s, 9 * s}).Without(tt.times); !slices.Equal(got, tt.want) {
			t.Errorf("without %v: got %v, want %v", tt.times, got, tt.want)
		}
	}
}
