package experiment

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// Experiment is a plan with its cells: all combinations of the values of its factors, or a fraction of them. Its runs are
// found in the repository by their labels, so an experiment that was interrupted in any way continues
// where it ended.
type Experiment struct {
	Plan  settings.Plan
	Cells []Cell
	Steps []Step // all runs, in the order in which they are performed

	order   func([]settings.Override, []string) (settings.Order, error)
	refused map[int]bool // cells that are left out
}

// Cell is a combination of values.
type Cell struct {
	Values []string            // in the order of the factors
	Server []settings.Override // settings of the server
	Order  settings.Order
	Target string // the database; two cells with one target and different schemas need a build between them
	schema string // the options that a build depends on
}

// Step is a run of an experiment.
type Step struct {
	Cell       int // an index of Experiment.Cells
	Repetition int // from 0
}

// New makes an experiment. order resolves the settings of a cell. An error means that a cell cannot be
// performed, and nothing was done.
func New(plan settings.Plan, order func([]settings.Override, []string) (settings.Order, error)) (Experiment, error) {
	e := Experiment{Plan: plan, order: order, refused: map[int]bool{}}
	const most = 10_000
	n := plan.Repeat
	for _, f := range plan.Factors {
		if n *= len(f.Values); n > most && !plan.Fraction {
			return e, job.WithExit(job.ExitUsage, fmt.Errorf("plan %s: it has more than %d runs: vary less", plan.Path, most))
		}
	}
	cells := combinations
	if plan.Fraction {
		cells = fraction
	}
	for _, values := range cells(plan.Factors) {
		c, err := e.cell(values)
		if err != nil {
			return e, err
		}
		e.Cells = append(e.Cells, c)
	}
	if err := e.checkSchemas(); err != nil {
		return e, err
	}
	e.Steps = e.ordered()
	return e, nil
}

// cell makes the cell with these values.
func (e Experiment) cell(values []string) (Cell, error) {
	labels := []string{job.LabelExperiment + "=" + e.Plan.Name}
	for i, f := range e.Plan.Factors {
		labels = append(labels, f.Name+"="+values[i])
	}
	own, server := e.Plan.Overrides(values)
	one, err := e.order(own, labels)
	if err != nil {
		return Cell{}, fmt.Errorf("with %s: %w", strings.Join(labels[1:], ", "), err)
	}
	if len(one.Counts) > 1 {
		return Cell{}, job.WithExit(job.ExitUsage, fmt.Errorf("plan %s: users has several numbers: put them into the table vary", e.Plan.Path))
	}
	c := Cell{Values: values, Server: server, Order: one}
	c.Target, c.schema = schemaOf(one)
	c.Order.Spec.Labels[job.LabelCell] = identity(one.Spec, server)
	return c, nil
}

// Only returns an experiment with one cell, whose values need not be among those of the plan. It has all repetitions, because
// there is no better half of one cell.
func (e Experiment) Only(values []string) (Experiment, error) {
	c, err := e.cell(values)
	if err != nil {
		return e, err
	}
	e.Cells = append(slices.Clone(e.Cells), c)
	if err := e.checkSchemas(); err != nil {
		return e, err
	}
	e.Cells, e.refused, e.Plan.Halve = []Cell{c}, map[int]bool{}, false
	e.Steps = e.ordered()
	return e, nil
}

// Combinations returns the number of all combinations, of which a fraction has some.
func (e Experiment) Combinations() int {
	n := 1
	for _, f := range e.Plan.Factors {
		n *= len(f.Values)
	}
	return n
}

// combinations returns all combinations of the values of factors. The last factor changes fastest.
func combinations(factors []settings.Factor) [][]string {
	all := [][]string{nil}
	for _, f := range factors {
		var next [][]string
		for _, before := range all {
			for _, value := range f.Values {
				next = append(next, append(slices.Clone(before), value))
			}
		}
		all = next
	}
	return all
}

// fraction returns the smallest fraction of all combinations of factors with at most two values in which the effect of
// no factor is mixed up with that of another one or with an interaction of two: a design of resolution IV, made by
// folding over a Hadamard matrix (Box and Hunter, Technometrics 3, 1961). For k factors of two values it has 2n combinations,
// where n is the first power of 2 that is k or more. In each, the first half has the opposite values of the second.
func fraction(factors []settings.Factor) (all [][]string) {
	varied := 0
	for _, f := range factors {
		if len(f.Values) == 2 {
			varied++
		}
	}
	n := uint(1)
	for n < uint(varied) {
		n *= 2
	}
	for _, fold := range []int{0, 1} {
		for row := range n {
			var values []string
			column := uint(0)
			for _, f := range factors {
				which := 0
				if len(f.Values) == 2 {
					which = (bits.OnesCount(row&column) + fold) % 2
					column++
				}
				values = append(values, f.Values[which])
			}
			all = append(all, values)
		}
	}
	return all
}

// identity identifies what a run does, and with which settings of the server.
func identity(s job.Spec, server []settings.Override) string {
	s.Labels, s.Note, s.Names = nil, "", nil
	text, err := json.Marshal(s)
	for _, o := range server {
		text = append(text, "\n"+o.Name+"="+o.Value...)
	}
	if err != nil {
		panic(err) // a spec is plain data
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// schemaOf returns what identifies the database of an order, and the schema in it.
func schemaOf(o settings.Order) (target, schema string) {
	target = o.Plan.Database.Name + " " + o.Plan.Database.Options.Target(o.Plan.Connection)
	parts := []string{o.Spec.Workload}
	for _, d := range o.Plan.Options() {
		if d.Group == option.Schema {
			parts = append(parts, d.Name+"="+o.Spec.Options[d.Name])
		}
	}
	return target, strings.Join(parts, " ")
}

// checkSchemas returns an error if cells need different schemas in one database, and the plan does not allow
// to build them.
func (e Experiment) checkSchemas() error {
	schemas := map[string]int{} // the first cell of each target
	for i, c := range e.Cells {
		first, seen := schemas[c.Target]
		if !seen {
			schemas[c.Target] = i
			continue
		}
		if e.Plan.Build == settings.BuildNever && e.Cells[first].schema != c.schema {
			return job.WithExit(job.ExitUsage, fmt.Errorf("plan %s: its cells need different schemas in %s: add the line build = \"once\" to the table experiment, which drops and builds the schema whenever it changes", e.Plan.Path, c.Target))
		}
	}
	return nil
}

// ordered returns the runs in their order: the cells with one schema together, and of these, each
// repetition of all cells in a random order, so that a drift of the machine affects all cells alike.
func (e Experiment) ordered() (steps []Step) {
	random := rand.New(rand.NewPCG(e.Plan.Seed, 0))
	var groups [][]int
	at := map[string]int{}
	for i, c := range e.Cells {
		key := c.Target + "\n" + c.schema
		if e.Plan.Build == settings.BuildEach {
			key = ""
		}
		if _, seen := at[key]; !seen {
			at[key] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[key]] = append(groups[at[key]], i)
	}
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	for _, cells := range groups {
		for repetition := range e.Plan.Repeat {
			for _, i := range random.Perm(len(cells)) {
				steps = append(steps, Step{cells[i], repetition})
			}
		}
	}
	return steps
}

// Reference returns the cell with which to compare another. If settings of the server vary, it differs
// in them only, and the server has its own; otherwise it has the first value of each factor.
func (e Experiment) Reference(c Cell) Cell {
	if len(c.Server) == 0 {
		return e.Cells[0]
	}
	c.Order.Spec.Labels = maps.Clone(c.Order.Spec.Labels)
	for _, one := range c.Server {
		delete(c.Order.Spec.Labels, settings.ServerPrefix+one.Name)
	}
	c.Server = nil
	return c
}

// State is how far an experiment is.
type State struct {
	Left    []Step // runs that are left, in order; with halving, those of the current round
	Done    int    // runs that have ended and count, with those that failed
	Failed  int    // runs that failed; they are not repeated
	Foreign int    // runs of this name that belong to no cell, because the plan has changed
}

// Blocked reports whether a run could not begin because of the server or its schema, for which there is a remedy. Other
// runs on that server would fail as well.
func Blocked(j job.Job) bool {
	cause := j.Result.Cause
	return j.Status == job.Failed && cause != nil && cause.Kind != job.BadOption
}

// StateOf returns the state of an experiment. jobs are the runs with its name, in any order. Stopped,
// killed and blocked runs are repeated.
func (e Experiment) StateOf(jobs []job.Job) (s State) {
	cells := map[string]int{}
	for i, c := range e.Cells {
		cells[c.Order.Spec.Labels[job.LabelCell]] = i
	}
	performed, figures := make([]int, len(e.Cells)), make([][]float64, len(e.Cells))
	for _, j := range jobs {
		i, known := cells[j.Spec.Labels[job.LabelCell]]
		switch {
		case !known:
			s.Foreign++
		case j.Status == job.Running:
			performed[i]++
		case j.Status.Valid():
			performed[i]++
			s.Done++
			if len(j.Result.Metrics) > 0 {
				figures[i] = append(figures[i], j.Result.Metrics[0].Value)
			}
		case Blocked(j):
		case j.Status == job.Failed || j.Status == job.Invalid:
			performed[i]++
			s.Done++
			s.Failed++
		}
	}
	if e.Plan.Halve {
		s.Left = e.halved(performed, figures)
	} else {
		s.Left = e.left(performed, e.Plan.Repeat, func(int) bool { return true })
	}
	return s
}

// left returns the runs up to a number of repetitions that have not been performed, of some cells.
func (e Experiment) left(performed []int, repetitions int, of func(cell int) bool) (list []Step) {
	for _, step := range e.Steps {
		if step.Repetition >= performed[step.Cell] && step.Repetition < repetitions && of(step.Cell) && !e.refused[step.Cell] {
			list = append(list, step)
		}
	}
	return list
}

// halved returns the runs of the current round of successive halving (Jamieson and Talwalkar, AISTATS 2016), or none
// after the last one. All cells have one run; then the better half, by the median of the first figure, has as many runs
// again, until one cell is left or the cells have all their repetitions.
func (e Experiment) halved(performed []int, figures [][]float64) []Step {
	medians := make([]float64, len(e.Cells))
	var cells []int
	for i := range e.Cells {
		if medians[i] = math.Inf(-1); len(figures[i]) > 0 {
			slices.Sort(figures[i])
			medians[i] = figures[i][len(figures[i])/2]
		}
		if !e.refused[i] {
			cells = append(cells, i)
		}
	}
	for runs := 1; ; runs = min(2*runs, e.Plan.Repeat) {
		list := e.left(performed, runs, func(cell int) bool { return slices.Contains(cells, cell) })
		if len(list) > 0 || len(cells) <= 1 || runs == e.Plan.Repeat {
			return list
		}
		slices.SortStableFunc(cells, func(a, b int) int { return cmp.Compare(medians[b], medians[a]) })
		cells = cells[:(len(cells)+1)/2]
	}
}

// Refuse leaves out the runs of a cell that are left, because the server does not start with its settings.
func (e Experiment) Refuse(cell int) { e.refused[cell] = true }

// Refused reports whether a cell is left out.
func (e Experiment) Refused(cell int) bool { return e.refused[cell] }

// NeedsBuild reports whether the schema must be built before a step. built has the schema that
// this process built last, by target.
func (e Experiment) NeedsBuild(step Step, built map[string]string) bool {
	c := e.Cells[step.Cell]
	switch e.Plan.Build {
	case settings.BuildEach:
		return true
	case settings.BuildOnce:
		return built[c.Target] != c.schema
	}
	return false
}

// Built says that the schema of a step has been built.
func (e Experiment) Built(step Step, built map[string]string) {
	c := e.Cells[step.Cell]
	built[c.Target] = c.schema
}
