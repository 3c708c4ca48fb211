package report

import (
	"fmt"
	"math"

	"sledge/internal/meter"
	"sledge/internal/terminal"
)

// Traffic is the network traffic of transactions of any outcome, with all their tries. Bytes are
// counted on the wire, after encryption. A round trip begins with the first data sent after
// something was received, so requests sent together are one. The members that end in Each are means
// per transaction.
type Traffic struct {
	RoundTrips     int64   `json:"round_trips"`
	Sent           int64   `json:"bytes_sent"`
	Received       int64   `json:"bytes_received"`
	RoundTripsEach float64 `json:"round_trips_each"`
	SentEach       float64 `json:"bytes_sent_each"`
	ReceivedEach   float64 `json:"bytes_received_each"`
}

// newTraffic returns the traffic of a tally, or nil if it has none.
func newTraffic(t *meter.Tally) *Traffic {
	n := float64(t.Ended())
	if t.Traffic.RoundTrips == 0 || n == 0 {
		return nil
	}
	each := func(of int64) float64 { return math.Round(1000*float64(of)/n) / 1000 }
	return &Traffic{
		RoundTrips: t.Traffic.RoundTrips, Sent: t.Traffic.Sent, Received: t.Traffic.Received,
		RoundTripsEach: each(t.Traffic.RoundTrips), SentEach: each(t.Traffic.Sent), ReceivedEach: each(t.Traffic.Received),
	}
}

// String describes the traffic of a transaction.
func (t *Traffic) String() string {
	return fmt.Sprintf("%.2f round trips a transaction, %s bytes sent and %s received", t.RoundTripsEach, count(int64(math.Round(t.SentEach))), count(int64(math.Round(t.ReceivedEach))))
}

// traffic writes a table of the network traffic.
func traffic(b *page, rows []row) {
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "  transaction", Left: true},
		{Head: "ended"},
		{Head: "round trips"},
		{Head: "sent"},
		{Head: "received"},
		{Head: "MB in all", Rank: 1},
	}}
	for _, r := range rows {
		look := plain
		if r.kind == "" {
			look = b.Look.Strong
		}
		cells := []string{"  " + Printable(r.name), count(r.tally.Ended()), "-", "-", "-", "-"}
		if one := newTraffic(r.tally); one != nil {
			copy(cells[2:], []string{
				fmt.Sprintf("%.2f", one.RoundTripsEach), fmt.Sprintf("%.1f", one.SentEach), fmt.Sprintf("%.1f", one.ReceivedEach),
				fmt.Sprintf("%.2f", float64(one.Sent+one.Received)/1e6),
			})
		}
		for i := range cells {
			cells[i] = look(cells[i])
		}
		t.Row(cells...)
	}
	b.title("Network", "round trips and bytes of a transaction, with all its tries")
	b.lay(t)
}
