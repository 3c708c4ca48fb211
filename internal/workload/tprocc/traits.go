package tprocc

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// What TPC-C asks of a test.
const (
	terminalsPerWarehouse = 10            // 4.2.2
	leastTPMC, mostTPMC   = 9, 12.86      // a warehouse, 4.2
	leastPayments         = 43.0          // percent, 5.2.3
	leastOfOthers         = 4.0           // percent, 5.2.3
	leastMeasured         = 2 * time.Hour // 5.5
)

// responseLimits are the times in which 90 % of the transactions of a kind must end (5.2.5.3).
var responseLimits = [kinds]time.Duration{5 * time.Second, 5 * time.Second, 5 * time.Second, 20 * time.Second, 5 * time.Second}

// traits says in what a run was a test as TPC-C asks for it, and in what not.
func traits(w workload.Window) []job.Trait {
	o := w.Options.(*Options)
	warehouses, _ := w.Survey.(int)
	list := []job.Trait{
		o.pausing(),
		{
			Name: "users", Here: fmt.Sprintf("%s on %s", counted(w.Terminals, "user"), counted(warehouses, "warehouse")), Asked: "10 terminals a warehouse",
			Source: "TPC-C 4.2.2", Met: w.Terminals == terminalsPerWarehouse*warehouses,
		},
	}
	if w.Probed && warehouses > 0 {
		each := float64(w.Probe) / w.Elapsed.Minutes() / float64(warehouses)
		list = append(list, job.Trait{
			Name: "rate", Here: fmt.Sprintf("%s NOPM a warehouse", rounded(each)), Asked: "9 to 12.86 new orders a minute and warehouse",
			Source: "TPC-C 4.2", Met: each >= leastTPMC && each <= mostTPMC,
		})
	}
	list = append(list, homing(o), remoteness(warehouses))
	if all := w.Summary.All(); all.Done+all.RolledBack > 0 {
		list = append(list, mixing(w.Summary, w.Names), responding(w.Summary, w.Names))
	}
	return append(list,
		job.Trait{Name: "delivery", Here: "executed at once, while its user waits", Asked: "queued, and executed later", Source: "TPC-C 2.7.2"},
		job.Trait{
			Name: "measured time", Here: w.Summary.Elapsed.Round(time.Second).String(), Asked: "2 hours or more in a steady state",
			Source: "TPC-C 5.5", Met: w.Summary.Elapsed >= leastMeasured,
		},
	)
}

// pausing compares the pauses of users with those of terminals (5.2.5.2 and 5.2.5.4).
func (o *Options) pausing() job.Trait {
	standard := newOptions().(*Options)
	t := job.Trait{
		Name: "pauses", Here: "none: users begin the next transaction at once", Source: "TPC-C 5.2.5",
		Asked: fmt.Sprintf("keying times of %s s and mean thinking times of %s s", standard.Keying.text(), standard.Thinking.text()),
	}
	if !o.KeyAndThink {
		return t
	}
	t.Here, t.Met = fmt.Sprintf("keying times of %s s and mean thinking times of %s s", o.Keying.text(), o.Thinking.text()), true
	for k := range kinds {
		t.Met = t.Met && o.Keying[k] >= standard.Keying[k] && o.Thinking[k] >= standard.Thinking[k]
	}
	return t
}

// text lists the times of all kinds.
func (s seconds) text() string {
	text, _ := s.MarshalText()
	return strings.ReplaceAll(string(text), ",", ", ")
}

// homing says whether users keep their warehouse.
func homing(o *Options) job.Trait {
	t := job.Trait{Name: "home warehouse", Here: "each user keeps one", Asked: "each terminal keeps one", Source: "TPC-C 2.4.1", Met: true}
	if o.AllWarehouses {
		t.Here, t.Met = "each user works on its share of all", false
	}
	return t
}

// remoteness says whether transactions use rows of other warehouses.
func remoteness(warehouses int) job.Trait {
	const asked = "1 % of order lines and 15 % of payments"
	t := job.Trait{Name: "other warehouses", Here: "in " + asked, Asked: "in " + asked, Source: "TPC-C 2.4.1.5, 2.5.1.2", Met: warehouses > 1}
	if !t.Met {
		t.Here = "none, so no transaction leaves its warehouse"
	}
	return t
}

// mixing compares the shares of the kinds with the least shares of the standard.
func mixing(s meter.Summary, names []string) job.Trait {
	all := s.All()
	t := job.Trait{
		Name: "mix", Asked: "at least 43 % payments, and 4 % of deliveries, of stock levels and of order statuses", Source: "TPC-C 5.2.3", Met: true,
	}
	var shares []string
	for k := range kinds {
		of := s.Kinds[k]
		share := 100 * float64(of.Done+of.RolledBack) / float64(all.Done+all.RolledBack)
		shares = append(shares, fmt.Sprintf("%.1f %% %s", share, names[k]))
		least := leastOfOthers
		switch meter.Kind(k) {
		case newOrder:
			continue
		case payment:
			least = leastPayments
		}
		t.Met = t.Met && share >= least
	}
	t.Here = strings.Join(shares, ", ")
	return t
}

// responding compares the 90th percentiles of the response times with the limits.
func responding(s meter.Summary, names []string) job.Trait {
	t := job.Trait{Name: "response times", Asked: "90 % within 5 s, and of stock levels within 20 s", Source: "TPC-C 5.2.5.3", Met: true}
	worst, slowest := time.Duration(0), meter.Kind(0)
	for k := range kinds {
		if s.Kinds[k].Done == 0 {
			continue
		}
		p90 := time.Duration(s.Kinds[k].Response.ValueAtPercentile(90))
		t.Met = t.Met && p90 <= responseLimits[k]
		if p90 > worst {
			worst, slowest = p90, k
		}
	}
	t.Here = fmt.Sprintf("90 %% within %s ms, slowest in %s", rounded(1e3*worst.Seconds()), names[slowest])
	return t
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// rounded writes a number with three significant digits, or as a whole number.
func rounded(value float64) string {
	if value >= 100 {
		return humanize.Comma(int64(math.Round(value)))
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}
