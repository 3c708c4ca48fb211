package coordinator

import (
	"sledge/internal/job"
	"sledge/internal/statistics"
	"sledge/internal/workload"
)

// traitsOf returns what the workload of a group says about the kind of test. In a run with several
// groups, the names begin with that of the group.
func traitsOf(g *runGroup, w workload.Window) []job.Trait {
	if g.Plan.Workload.Score.Traits == nil || !didAnything(g.totals.Summary) {
		return nil
	}
	list := g.Plan.Workload.Score.Traits(w)
	if g.Plan.Spec.Group != "" {
		for i := range list {
			list[i].Name = g.Plan.Spec.Group + "." + list[i].Name
		}
	}
	return list
}

// traits returns the traits that do not depend on the workload.
func (r *run) traits(result job.Result, m measurement) []job.Trait {
	if !didAnything(result.Summary) {
		return nil
	}
	list := []job.Trait{{Name: "runs", Here: "one, so its spread is unknown", Asked: "six or more, compared with their spread"}}
	if s := result.Steadiness; s != nil {
		t := job.Trait{Name: "course", Here: "steady", Asked: "a steady rate in the measured time", Met: true}
		switch pattern := statistics.Pattern(s.Pattern); {
		case pattern == statistics.Oscillating && s.Enough:
			t.Here = "it repeats itself, as with checkpoints, and was measured for several periods"
		case pattern == statistics.Oscillating:
			t.Here, t.Met = "it repeats itself, and was measured for few periods", false
		case pattern == statistics.Drifting:
			t.Here, t.Met = "it drifts", false
		case pattern == statistics.Jumping:
			t.Here, t.Met = "it jumps", false
		}
		list = append(list, t)
	}
	if d := r.facts.Durability; d != nil {
		t := job.Trait{Name: "durability", Here: "commits survive a power failure", Asked: "commits survive a power failure", Met: d.Holds}
		if !d.Holds {
			t.Here = "a power failure may lose commits: " + d.Why
		}
		list = append(list, t)
	}
	client := job.Trait{Name: "client", Here: "on a machine of its own", Asked: "on a machine of its own, and not the limit", Met: true}
	switch {
	case r.plan.Database.Embedded():
		client.Here, client.Met = "the database is in its process", false
	case m.atServer:
		client.Here, client.Met = "on the server's machine", false
	}
	if c := result.Client; c != nil && (c.Bound() != nil || c.Throttled() || c.NearLimit()) {
		client.Here, client.Met = client.Here+", and it was a limit", false
	}
	return append(list, client)
}
