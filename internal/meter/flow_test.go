package meter

import (
	"slices"
	"testing"
	"time"
)

func TestOutages(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	// at adds transactions at a rate per second, evenly spaced between two instants.
	type at struct {
		from, to time.Duration
		rate     int
	}
	for _, tt := range []struct {
		name   string
		rates  []at
		losses []time.Duration
		want   []Outage // between 2 s and 30 s
	}{
		{"no outage without a loss", []at{{0, 30 * s, 100}}, nil, nil},
		{
			"a rate that never falls is back at the next quarter of a second",
			[]at{{0, 30 * s, 100}},
			[]time.Duration{10*s + 100*ms},
			[]Outage{{From: 10*s + 100*ms, Losses: 1, Before: 100, Back: [...]time.Duration{150 * ms, 150 * ms, 150 * ms}}},
		},
		{
			// No transaction ends from 10 s to 14 s. The last one before ends at 9.99 s.
			"all come back at once",
			[]at{{0, 10 * s, 100}, {14 * s, 30 * s, 100}},
			[]time.Duration{10 * s, 10 * s, 10*s + 20*ms},
			[]Outage{{From: 10 * s, Losses: 3, Silence: Stall{9990 * ms, 14 * s}, Before: 100, Back: [...]time.Duration{4 * s, 4 * s, 4 * s}}},
		},
		{
			// The rate is a half from 12 s on and nine tenths from 15 s on, and never reaches 99 %.
			// Only the following seconds count, so the second before 12.25 s does not matter.
			"some shares are reached late, or never",
			[]at{{0, 10 * s, 100}, {12 * s, 15 * s, 52}, {15 * s, 30 * s, 92}},
			[]time.Duration{10 * s},
			[]Outage{{From: 10 * s, Losses: 1, Silence: Stall{9990 * ms, 12 * s}, Before: 100, Back: [...]time.Duration{2 * s, 5 * s, -1}}},
		},
		{
			"a burst is not yet the rate",
			[]at{{0, 10 * s, 100}, {12 * s, 13 * s, 100}, {16 * s, 30 * s, 100}},
			[]time.Duration{10 * s},
			[]Outage{{From: 10 * s, Losses: 1, Silence: Stall{12990 * ms, 16 * s}, Before: 100, Back: [...]time.Duration{6 * s, 6 * s, 6 * s}}},
		},
		{
			"no transaction completes after the loss",
			[]at{{0, 10 * s, 100}},
			[]time.Duration{10 * s},
			[]Outage{{From: 10 * s, Losses: 1, Silence: Stall{9990 * ms, 30 * s}, Before: 100, Back: [...]time.Duration{-1, -1, -1}}},
		},
		{
			"losses after the end of an outage are another outage, with its own rate before",
			[]at{{0, 10 * s, 100}, {12 * s, 20 * s, 200}, {22 * s, 30 * s, 200}},
			[]time.Duration{10 * s, 11 * s, 20 * s},
			[]Outage{
				{From: 10 * s, Losses: 2, Silence: Stall{9990 * ms, 12 * s}, Before: 100, Back: [...]time.Duration{2 * s, 2 * s, 2 * s}},
				{From: 20 * s, Losses: 1, Silence: Stall{19995 * ms, 22 * s}, Before: 200, Back: [...]time.Duration{2 * s, 2 * s, 2 * s}},
			},
		},
		{
			"if two outages are close, the rate before is that of the first",
			[]at{{0, 10 * s, 100}, {12 * s, 14 * s, 96}, {14 * s, 15 * s, 100}, {16 * s, 30 * s, 100}},
			[]time.Duration{10 * s, 15*s - 200*ms},
			[]Outage{
				{From: 10 * s, Losses: 1, Silence: Stall{9990 * ms, 12 * s}, Before: 100, Back: [...]time.Duration{2 * s, 2 * s, 6 * s}},
				{From: 15*s - 200*ms, Losses: 1, Silence: Stall{14990 * ms, 16 * s}, Before: 100, Back: [...]time.Duration{1200 * ms, 1200 * ms, 1200 * ms}},
			},
		},
		{
			"losses before the time span are left out",
			[]at{{0, 1 * s, 100}, {2 * s, 30 * s, 100}},
			[]time.Duration{1 * s},
			nil,
		},
		{
			"the rate before is unknown",
			[]at{{0, 30 * s, 100}},
			[]time.Duration{3 * s},
			[]Outage{{From: 3 * s, Losses: 1, Before: 0, Back: [...]time.Duration{-1, -1, -1}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			flow := &Flow{}
			for _, a := range tt.rates {
				for i := range int((a.to - a.from) * time.Duration(a.rate) / s) {
					flow.record(&Record{Ended: a.from + time.Duration(i)*s/time.Duration(a.rate)})
				}
			}
			flow.record(&Record{Ended: 11 * s, Outcome: Failed})
			if got := flow.Outages(tt.losses, 2*s, 30*s); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%v, want\n%v", got, tt.want)
			}
		})
	}
}
