package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// ComparisonSchema names the format of Comparison, as Schema does for Document.
const ComparisonSchema = "sledge-comparison-1"

// Comparison shows several runs side by side: the differences in their options and surroundings,
// and their measurements. Each list of values has one for each run, in their order.
type Comparison struct {
	Schema      string         `json:"schema"` // always ComparisonSchema
	Runs        []ComparedRun  `json:"runs"`
	Differences []Difference   `json:"differences"` // differences in options and surroundings
	Figures     []SharedFigure `json:"figures"`

	// Repeats describes, for each run, the runs of the repository with the same options.
	Repeats []Repeats `json:"repeats,omitempty"`

	// Queries are the transactions of runs that end when their work is done, by kind, in the
	// workload's order.
	Queries []ComparedQuery `json:"queries,omitempty"`

	// Statements are the top statements of the first run that are among those of another one.
	Statements []ComparedStatement `json:"statements,omitempty"`
}

// Repeats says how the first figure varied over the valid runs of a repository with the same
// options, server and data, including the compared run.
type Repeats struct {
	Runs   int     `json:"runs"`
	Figure string  `json:"figure,omitempty"` // "NOPM"
	Least  float64 `json:"least,omitempty"`
	Median float64 `json:"median,omitempty"`
	Most   float64 `json:"most,omitempty"`
}

// enoughRepeats is the number of runs from which on a difference can be proven.
const enoughRepeats = 6

// RepeatsOf summarizes the runs that are like j.
func RepeatsOf(j job.Job, like []job.Job) (r Repeats) {
	if len(j.Result.Metrics) == 0 {
		return r
	}
	r.Figure = j.Result.Metrics[0].Name
	var values []float64
	for _, other := range like {
		if value, has := other.Result.Metric(r.Figure); has {
			values = append(values, value)
		}
	}
	if r.Runs = len(values); r.Runs > 0 {
		slices.Sort(values)
		r.Least, r.Most = values[0], values[len(values)-1]
		r.Median = (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	}
	return r
}

// ComparedRun identifies a compared run.
type ComparedRun struct {
	ID       job.ID     `json:"id"`
	Begun    time.Time  `json:"begun"`
	Database string     `json:"database"`
	Workload string     `json:"workload"`
	Users    int        `json:"users"`
	Status   job.Status `json:"status"`
	Reason   string     `json:"reason,omitempty"` // why it did not succeed
	Elapsed  float64    `json:"elapsed_seconds"`
}

// Difference is a value that differs between runs.
type Difference struct {
	Name   string   `json:"name"`             // name of an option, or "users", "server" and the like
	Option bool     `json:"option,omitempty"` // whether it is an option
	Values []string `json:"values"`

	machine bool // whether the runs were on different machines
}

// A Difference in a label is named after it, and has these values for a label without a value and for a
// run without the label.
const (
	ofLabel    = "label "
	emptyLabel = "set"
	noLabel    = "not set"
)

// SharedFigure is a figure of all runs. Its value is null for a run without it.
type SharedFigure struct {
	Name   string     `json:"name"`           // "NOPM"
	Kind   string     `json:"kind,omitempty"` // kind of transaction; missing for all kinds together
	Unit   string     `json:"unit,omitempty"` // "ms"; missing for a headline figure, whose name gives the unit
	Values []*float64 `json:"values"`
	Ratios []*float64 `json:"ratios"` // ratios to the value of the first run
}

// Measured is a run with its measurements.
type Measured struct {
	Job     job.Job
	Summary meter.Summary
	Plans   []job.QueryPlan // of its queries and top statements

	all *meter.Tally // of all kinds together; nil if it was not computed yet
}

// Compare compares runs side by side. unset returns the value of an option that a run did not set.
func Compare(runs []Measured, unset func(j job.Job, option string) string) Comparison {
	c := Comparison{Schema: ComparisonSchema, Differences: []Difference{}, Figures: []SharedFigure{}}
	for _, r := range runs {
		c.Runs = append(c.Runs, ComparedRun{
			ID: r.Job.ID, Begun: r.Job.Begun.UTC(), Database: r.Job.Spec.Database, Workload: r.Job.Spec.Workloads(), Users: Users(r.Job),
			Status: r.Job.Status, Reason: r.Job.Reason, Elapsed: elapsed(r.Job, r.Summary).Seconds(),
		})
	}
	each := make([][]job.Job, len(runs))
	for i, r := range runs {
		each[i] = []job.Job{r.Job}
	}
	c.Differences = differences(each, unset)
	runs = namedAlike(runs)
	c.measure(runs)
	c.query(runs)
	c.compareStatements(runs)
	return c
}

// optionsOf lists the options that belong to the group alone.
func optionsOf(g job.Group, j job.Job) (text string) {
	if g.Name == j.Spec.Group { // its options are the run's
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(g.Options)) {
		text += ", " + name + " " + g.Options[name]
	}
	return text
}

// namedAlike prepares runs for figures, and makes those with and without groups comparable: in a run without groups, it prefixes
// kinds and figures with the name of the group that has the same workload in another run.
func namedAlike(runs []Measured) []Measured {
	group := map[string]string{} // by workload
	for _, r := range runs {
		for _, g := range r.Job.Spec.Groups() {
			if group[g.Workload] == "" {
				group[g.Workload] = g.Name + "."
			}
		}
	}
	runs = slices.Clone(runs)
	for i := range runs {
		all := runs[i].Summary.All()
		runs[i].all = &all
		j := &runs[i].Job
		if prefix := group[j.Spec.Workload]; prefix != "" && j.Spec.Groups() == nil {
			j.Kinds, j.Result.Metrics = slices.Clone(j.Kinds), slices.Clone(j.Result.Metrics)
			for k := range j.Kinds {
				j.Kinds[k] = prefix + j.Kinds[k]
			}
			for k := range j.Result.Metrics {
				j.Result.Metrics[k].Name = prefix + j.Result.Metrics[k].Name
			}
		}
	}
	return runs
}

// differences lists the settings and surroundings that differ between groups of runs. The value of
// a group joins the distinct values of its runs, in their order.
func differences(groups [][]job.Job, unset func(j job.Job, option string) string) []Difference {
	list := []Difference{}
	add := func(name string, option bool, of func(j job.Job) string) {
		d := Difference{Name: name, Option: option}
		for _, group := range groups {
			var values []string
			for _, j := range group {
				values = append(values, of(j))
			}
			d.Values = append(d.Values, strings.Join(distinct(values), ", "))
		}
		if len(slices.Compact(slices.Clone(d.Values))) > 1 {
			list = append(list, d)
		}
	}
	runs := slices.Concat(groups...)
	machine := func(name string, option bool, of func(j job.Job) string) {
		before := len(list)
		add(name, option, of)
		for i := before; i < len(list); i++ {
			list[i].machine = true
		}
	}
	options := map[string]bool{}
	for _, j := range runs {
		for name := range j.Spec.Options {
			options[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		differ := add
		if name == "host" {
			differ = machine
		}
		differ(name, true, func(j job.Job) string {
			if value, ok := j.Spec.Options[name]; ok {
				return value
			}
			return unset(j, name)
		})
	}
	labels := map[string]bool{}
	for _, j := range runs {
		for name := range j.Spec.Labels {
			labels[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		add(ofLabel+name, false, func(j job.Job) string {
			if value, has := j.Spec.Labels[name]; has {
				return cmp.Or(value, emptyLabel)
			}
			return noLabel
		})
	}
	facts := func(of func(f job.Facts) string) func(job.Job) string {
		return func(j job.Job) string {
			if j.Facts == nil {
				return ""
			}
			return of(*j.Facts)
		}
	}
	add("users", false, func(j job.Job) string { return strconv.Itoa(Users(j)) })
	add("seed", false, func(j job.Job) string { return strconv.FormatUint(j.Spec.Seed, 10) })
	add("database", false, func(j job.Job) string { return j.Spec.Database })
	add("workload", false, func(j job.Job) string { return j.Spec.Workloads() })
	add("files of the workload", false, func(j job.Job) string { return j.Spec.Files.Sum() })
	var names []string
	for _, j := range runs {
		for _, g := range j.Spec.Groups() {
			names = append(names, g.Name)
		}
	}
	for _, name := range distinct(names) {
		add("group "+name, false, func(j job.Job) string {
			for _, g := range j.Spec.Groups() {
				if g.Name == name {
					return VirtualUsers(g.Users) + optionsOf(g, j)
				}
			}
			return "none"
		})
	}
	add("target", false, facts(func(f job.Facts) string { return f.Target }))
	add("server", false, facts(func(f job.Facts) string { return strings.TrimSpace(f.Product + " " + f.Server) }))
	sourced := namesOf(runs, func(f job.Facts) map[string]string { return f.ServerSettingSources }) // if all runs know it
	for _, name := range sharedSettings(runs) {
		of := func(f job.Facts) string { return f.ServerSettings[name] }
		if slices.Contains(sourced, name) {
			of = func(f job.Facts) string { return f.ServerSetting(name) }
		}
		add("server's "+name, false, facts(of))
	}
	add("data", false, facts(func(f job.Facts) string { return f.Size }))
	add("durable", false, facts(func(f job.Facts) string {
		if f.Durability == nil {
			return ""
		}
		return strconv.FormatBool(f.Durability.Holds)
	}))
	machine("client", false, facts(func(f job.Facts) string { return fmt.Sprintf("%s, %d CPUs", f.Host.Name, f.Host.CPUs) }))
	add("client's system", false, facts(func(f job.Facts) string { return strings.TrimSpace(f.Host.OS + " " + f.Host.Kernel) }))
	machine("client's CPU", false, facts(func(f job.Facts) string { return f.Host.CPU }))
	for _, name := range namesOf(runs, func(f job.Facts) map[string]string { return f.Host.Settings }) {
		add("client's "+name, false, facts(func(f job.Facts) string { return f.Host.Settings[name] }))
	}
	if !slices.ContainsFunc(runs, func(j job.Job) bool { return j.Result.Doctor == nil }) { // earlier versions had none
		add("doctor's findings", false, func(j job.Job) string { return findingsOf(j.Result.Doctor) })
	}
	for _, watched := range machinesOf(runs) {
		of := func(of func(h job.Host) string) func(job.Job) string {
			return facts(func(f job.Facts) string {
				if h, has := f.Machines[watched]; has {
					return of(h)
				}
				return "not watched"
			})
		}
		machine("machine "+watched, false, of(func(h job.Host) string { return fmt.Sprintf("%s, %d CPUs", h.Name, h.CPUs) }))
		add(watched+"'s system", false, of(func(h job.Host) string { return strings.TrimSpace(h.OS + " " + h.Kernel) }))
		machine(watched+"'s CPU", false, of(func(h job.Host) string { return h.CPU }))
		for _, name := range namesOf(runs, func(f job.Facts) map[string]string { return f.Machines[watched].Settings }) {
			add(watched+"'s "+name, false, of(func(h job.Host) string { return h.Settings[name] }))
		}
	}
	add("sledge", false, facts(func(f job.Facts) string { return f.SledgeVersion }))
	return list
}

// sharedSettings lists the names of the servers' settings if all runs used the same product,
// because other products have other names.
func sharedSettings(runs []job.Job) []string {
	for _, j := range runs {
		if j.Facts == nil || j.Spec.Database != runs[0].Spec.Database || j.Facts.Product != runs[0].Facts.Product {
			return nil
		}
	}
	return namesOf(runs, func(f job.Facts) map[string]string { return f.ServerSettings })
}

// machinesOf lists the names of the machines that some run watched.
func machinesOf(runs []job.Job) []string {
	names := map[string]bool{}
	for _, j := range runs {
		if j.Facts != nil {
			for name := range j.Facts.Machines {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// namesOf lists the names of settings that some run has. It lists none if a run has no settings at all,
// because an earlier version recorded it, or because its system reports none.
func namesOf(runs []job.Job, of func(job.Facts) map[string]string) []string {
	names := map[string]bool{}
	for _, j := range runs {
		if j.Facts == nil || len(of(*j.Facts)) == 0 {
			return nil
		}
		for name := range of(*j.Facts) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// measure lists the figures: of the headline, of all transactions, and of each kind.
func (c *Comparison) measure(runs []Measured) {
	var metrics, kinds []string
	for _, r := range runs {
		for _, m := range r.Job.Result.Metrics {
			metrics = append(metrics, m.Name)
		}
		kinds = append(kinds, r.Job.Kinds...)
	}
	c.common(runs)
	own := len(c.Figures)
	for _, name := range distinct(metrics) {
		c.add(name, "", unitOf(name, runs), runs, func(r Measured) (float64, bool) { return r.Job.Result.Metric(name) })
	}
	for i := range c.Figures { // times of different queries than in A are not comparable
		for k, r := range runs {
			if i >= own && !sameDone(runs[0].Job.Result, r.Job.Result) {
				c.Figures[i].Ratios[k] = nil
			}
		}
	}
	c.transactions("", runs)
	c.addTally("client CPU", "", "µs a transaction", runs, func(r Measured, t *meter.Tally) (float64, bool) {
		load := r.Job.Result.Client
		if load == nil || t.Ended() == 0 {
			return 0, false
		}
		return 1e6 * load.CPUSeconds / float64(t.Ended()), true
	})
	c.counters(runs)
	if kinds = distinct(kinds); len(kinds) < 2 {
		return
	}
	var groups []string
	for _, r := range runs {
		for _, g := range r.Job.Spec.Groups() {
			groups = append(groups, g.Name)
		}
	}
	for _, name := range distinct(groups) {
		c.transactions(name, runs)
	}
	for _, kind := range kinds {
		c.transactions(kind, runs)
	}
}

// counters adds the counters of the server that summaries show, for each transaction.
func (c *Comparison) counters(runs []Measured) {
	type name struct{ source, name string }
	seen := map[name]bool{}
	for _, r := range runs {
		if r.Job.Result.ServerCounters == nil {
			continue
		}
		for _, one := range r.Job.Result.ServerCounters.Counters {
			n := name{one.Source, one.Name}
			if seen[n] || !one.Summary || one.Before != nil {
				continue
			}
			seen[n] = true
			unit := "a transaction"
			if one.Unit != "" {
				unit = one.Unit + " a transaction"
			}
			c.add(one.Name, "", unit, runs, func(r Measured) (float64, bool) {
				for _, its := range r.Job.Result.ServerCounters.Of(n.source) {
					if its.Name == n.name {
						return its.PerTransaction, true
					}
				}
				return 0, false
			})
		}
	}
}

// distinct returns the names once each, in the order of their first occurrence.
func distinct(names []string) []string {
	var list []string
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// transactions adds the figures of a kind of transaction, or of all kinds if it is "".
func (c *Comparison) transactions(kind string, runs []Measured) {
	for _, p := range []struct {
		name       string
		percentile float64
	}{{"p50", 50}, {"p95", 95}, {"p99", 99}} {
		c.addTally("response "+p.name, kind, "ms", runs, func(_ Measured, t *meter.Tally) (float64, bool) {
			return float64(t.Response.ValueAtQuantile(p.percentile)) / 1e6, t.Done > 0
		})
	}
	c.addTally("failed", kind, "%", runs, func(_ Measured, t *meter.Tally) (float64, bool) {
		return Percent(float64(t.Failures()), float64(t.Ended())), t.Ended() > 0
	})
	for _, f := range []struct {
		name, unit string
		of         func(*Traffic) float64
	}{
		{"round trips", "a transaction", func(t *Traffic) float64 { return t.RoundTripsEach }},
		{"sent", "bytes a transaction", func(t *Traffic) float64 { return t.SentEach }},
		{"received", "bytes a transaction", func(t *Traffic) float64 { return t.ReceivedEach }},
	} {
		c.addTally(f.name, kind, f.unit, runs, func(_ Measured, t *meter.Tally) (float64, bool) {
			if traffic := newTraffic(t); traffic != nil {
				return f.of(traffic), true
			}
			return 0, false
		})
	}
}

// unitOf returns the unit of a headline figure; "" if its name gives the unit.
func unitOf(metric string, runs []Measured) string {
	for _, r := range runs {
		for _, m := range r.Job.Result.Metrics {
			if m.Name == metric {
				return m.Unit
			}
		}
	}
	return ""
}

// addTally adds a figure that of computes from the tally of a kind.
func (c *Comparison) addTally(name, kind, unit string, runs []Measured, of func(r Measured, t *meter.Tally) (float64, bool)) {
	c.add(name, kind, unit, runs, func(r Measured) (float64, bool) {
		if t := r.tally(kind); t != nil {
			return of(r, t)
		}
		return 0, false
	})
}

// add adds a figure that at least one run has.
func (c *Comparison) add(name, kind, unit string, runs []Measured, of func(r Measured) (float64, bool)) {
	f := SharedFigure{Name: name, Kind: kind, Unit: unit, Values: make([]*float64, len(runs)), Ratios: make([]*float64, len(runs))}
	some := false
	for i, r := range runs {
		value, has := of(r)
		if !has || math.IsNaN(value) || math.IsInf(value, 0) {
			continue
		}
		f.Values[i], some = &value, some || value != 0
		if first := f.Values[0]; first != nil && *first != 0 {
			ratio := value / *first
			f.Ratios[i] = &ratio
		}
	}
	if some {
		c.Figures = append(c.Figures, f)
	}
}

// tally returns the tally of a kind, of a group, or, with "", of all kinds. It returns nil if the
// run lacks the kind, or if its transactions were few and long, because percentiles of few
// transactions mean nothing.
func (r Measured) tally(kind string) *meter.Tally {
	if len(r.Job.Result.Spans) > 0 {
		return nil
	}
	if kind == "" && r.all != nil {
		return r.all
	}
	if kind == "" {
		all := r.Summary.All()
		return &all
	}
	if i := slices.Index(r.Job.Kinds, kind); i >= 0 && i < len(r.Summary.Kinds) {
		return &r.Summary.Kinds[i]
	}
	if part := ofGroup(job.Group{Name: kind}, r.Job.Kinds, r.Summary); len(part.Kinds) > 0 {
		all := part.All()
		return &all
	}
	return nil
}

// MostCompared limits the runs of a comparison, because a table names them by letters.
const MostCompared = 26
