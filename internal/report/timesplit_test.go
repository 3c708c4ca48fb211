package report

import (
	"strings"
	"testing"

	"sledge/internal/job"
)

func TestTimeSplit_ShowsNoticeableParts(t *testing.T) {
	half := 0.5
	parts := func(lag, network, lock float64) []job.TimePart {
		return []job.TimePart{{Name: job.PartStartLag, Milliseconds: lag}, {Name: "network", Milliseconds: network, Error: &half}, {Name: "lock", Milliseconds: lock, Error: &half}}
	}
	for want, a := range map[string]*job.Activity{
		"": {Samples: 5},
		"Where the time goes\n  Not known: it is hidden.": {Joined: &job.Joined{Undivided: "it is hidden"}},
		"Where the time goes (ms): the mean response time and its parts, with the standard error of those that are sampled\n" +
			"  transaction  response    network       lock  samples\n" +
			"  new order        50.0  2.00 ±0.5  47.9 ±0.5       90\n" +
			"  payment          2.00  2.00 ±0.5          -       10\n" +
			"  Fewer than 30 samples say little: payment.\n" +
			"  100 of the users' sampled sessions: 60.0 % surely in the transaction that was in flight, 40.0 % by the time; 7 of other programs.": {
			Joined:       &job.Joined{Certain: 60, Likely: 40, Foreign: 7},
			Transactions: []job.TimeSplit{{Kind: "new order", Response: 50, Samples: 90, Parts: parts(0.1, 2, 47.9)}, {Kind: "payment", Response: 2, Samples: 10, Parts: parts(0, 2, 0)}},
		},
	} {
		b := page{View: View{Whole: true, Width: 140}}
		timeSplit(&b, a)
		if got := strings.TrimSpace(b.text()); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
