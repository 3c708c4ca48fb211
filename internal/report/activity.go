package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sledge/internal/job"
)

// activity says how many sessions of clients were active, and what they waited for: "3.41 active on
// average in 50 samples: 61.2 % cpu, 22.0 % log (IO/WalSync), 16.8 % others".
func activity(a job.Activity) string {
	const most = 4 // classes that are named
	var all int64
	classes, waits := map[string]int64{}, map[string]map[string]int64{}
	blockers := map[string]int64{}
	for _, s := range a.Shares {
		if s.Background != "" {
			continue
		}
		all += s.Sessions
		classes[s.Class] += s.Sessions
		if waits[s.Class] == nil {
			waits[s.Class] = map[string]int64{}
		}
		waits[s.Class][s.Wait] += s.Sessions
		if s.Blocker != "" {
			blockers[s.Blocker] += s.Sessions
		}
	}
	missed := ""
	if a.Missed > 0 {
		missed = fmt.Sprintf("; %s more were missed, because the server answered late", count(int64(a.Missed)))
	}
	if a.Error != "" {
		missed += "; they ended early: " + a.Error
	}
	if a.Coarse != "" {
		missed += "; the samples are coarse: " + a.Coarse
	}
	if all == 0 {
		return fmt.Sprintf("none was active in %s%s", samples(a.Samples), missed)
	}
	var parts []string
	rest := all
	for _, class := range greatest(classes)[:min(most, len(classes))] {
		part := fmt.Sprintf("%.1f %% %s", 100*float64(classes[class])/float64(all), class)
		if wait := greatest(waits[class])[0]; wait != "" {
			if class == "lock" && len(blockers) > 0 {
				wait += ", mostly of " + greatest(blockers)[0]
			}
			part += " (" + wait + ")"
		}
		parts = append(parts, part)
		rest -= classes[class]
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("%.1f %% others", 100*float64(rest)/float64(all)))
	}
	return fmt.Sprintf("%.2f active on average in %s: %s%s", a.Mean(""), samples(a.Samples), strings.Join(parts, ", "), missed)
}

// greatest returns the names in the order of their numbers, the greatest first.
func greatest(counts map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
}

func samples(n int) string {
	if n == 1 {
		return "1 sample"
	}
	return count(int64(n)) + " samples"
}
