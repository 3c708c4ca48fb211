package report

import (
	"cmp"
	"slices"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository"
)

// BestRun is the best among comparable runs: runs of one workload on one database with the same
// amount of data and the same durability.
type BestRun struct {
	ID       job.ID     `json:"id"`
	Begun    time.Time  `json:"begun"`
	Database string     `json:"database"`
	Workload string     `json:"workload"`
	Size     string     `json:"size,omitempty"`    // amount of data: "10 warehouses"; missing if unknown
	Durable  *bool      `json:"durable,omitempty"` // whether commits survived a power failure; missing if unknown
	Users    int        `json:"users"`
	Server   string     `json:"server,omitempty"`
	Target   string     `json:"target,omitempty"`
	Metric   job.Metric `json:"metric"`
	Of       int        `json:"of"` // number of comparable runs, this one included
}

// LeastOfBest is the shortest measured time of a best run. In less time, caches, checkpoints and
// the first transactions decide the figure.
const LeastOfBest = time.Minute

// Best returns the best run of each set of comparable runs: the one with the smallest headline
// figure if that is a time, otherwise with the greatest; of equal runs the first. Numbers of
// virtual users, measured times and servers may differ, because people vary them. short counts the
// runs that are left out because they are shorter than LeastOfBest.
func Best(headlines []repository.Headline) (list []BestRun, short int) {
	type sort struct{ database, workload, size, durable, figure string }
	best := map[sort]BestRun{}
	for _, h := range headlines {
		if !h.Spans && h.Elapsed < LeastOfBest.Seconds() {
			short++
			continue
		}
		of := sort{h.Database, h.Workload, h.Size, "", h.Metric.Name}
		var durable *bool
		if h.Durable.Valid {
			durable, of.durable = &h.Durable.Bool, "no"
			if h.Durable.Bool {
				of.durable = "yes"
			}
		}
		before, some := best[of]
		if some && !better(h.Metric, before.Metric) {
			before.Of++
			best[of] = before
			continue
		}
		best[of] = BestRun{
			ID: h.ID, Begun: h.Begun.UTC(), Database: h.Database, Workload: h.Workload, Size: h.Size, Durable: durable,
			Users: h.Users, Server: h.Server, Target: h.Target, Metric: h.Metric, Of: before.Of + 1,
		}
	}
	list = []BestRun{}
	for _, run := range best {
		list = append(list, run)
	}
	slices.SortFunc(list, func(a, b BestRun) int {
		return cmp.Or(cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Database, b.Database), cmp.Compare(a.Size, b.Size), b.Begun.Compare(a.Begun), cmp.Compare(a.ID, b.ID))
	})
	return list, short
}

// better reports whether a is better than b, a figure of the same name.
func better(a, b job.Metric) bool {
	if a.Unit == "s" {
		return a.Value < b.Value
	}
	return a.Value > b.Value
}
