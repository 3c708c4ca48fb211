package settings

import (
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
)

// besideForm says how to write a group of users.
const besideForm = `write NAME=WORKLOAD, then users=NUMBER and options, with commas between: reads=./reads,users=2,"mix=get=1,list=3"`

// noGroups is the value of beside for a run without further groups.
const noGroups = "none"

// groups returns the texts of the groups in a value of beside: NAME=WORKLOAD,users=2,option=value.
func (e entry) groups() []string {
	if text := strings.TrimSpace(e.text); text == "" || text == noGroups {
		return nil
	}
	return strings.Split(e.text, "\n")
}

// bind binds a spec. beside has further groups of users of a run. The first group has the name of its
// workload.
func (r Resolver) bind(pair catalog.Pair, spec job.Spec, beside entry) (plan.Plan, error) {
	if len(beside.groups()) == 0 {
		return plan.New(pair, spec)
	}
	spec.Group = spec.Workload
	for _, text := range beside.groups() {
		g, err := r.readGroup(pair.Database, text, beside.folder)
		if err != nil {
			return plan.Plan{}, beside.wrong("%w", err)
		}
		spec.Beside = append(spec.Beside, g)
	}
	return engine.Local{Catalog: r.Catalog}.Plan(spec)
}

// Alone returns an order for each group of a run, in which that group works alone with the same options.
// Thresholds are left out, because they may be about other groups.
func (r Resolver) Alone(o Order) ([]Order, error) {
	var list []Order
	for _, g := range o.Plan.Groups() {
		spec := g.Spec
		spec.Group, spec.Options = "", maps.Clone(spec.Options)
		spec.Beside = nil
		delete(spec.Options, "fail_if")
		pair, err := r.PairOf(spec)
		if err != nil {
			return nil, err
		}
		if pair.Workload.Users.Finite {
			return nil, fmt.Errorf("group %s: a run of %s alone ends when its work is done, so it has no rate to compare: use a workload whose users go on, such as a folder of your own", g.Spec.Group, g.Workload.Title)
		}
		one := o
		if one.Plan, err = plan.New(pair, spec); err != nil {
			return nil, fmt.Errorf("group %s alone: %w", g.Spec.Group, err)
		}
		one.Spec, one.Counts = one.Plan.Spec, []int{one.Plan.Users}
		list = append(list, one)
	}
	return list, nil
}

// readGroup reads a group of users. A path of a workload is relative to the folder.
func (r Resolver) readGroup(d *database.Database, text, folder string) (g job.Group, err error) {
	parts, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil {
		return g, fmt.Errorf("%q: an option whose value has commas needs double quotes around it: %s", text, besideForm)
	}
	name, of, is := strings.Cut(parts[0], "=")
	if g.Name = strings.TrimSpace(name); !is || g.Name == "" {
		return g, fmt.Errorf("%q is not a group of users: %s", text, besideForm)
	}
	w, err := r.Workload(entry{text: strings.TrimSpace(of), folder: folder}.workload())
	if err != nil {
		return g, err
	}
	pair, err := r.Match(d, w)
	if err != nil {
		return g, err
	}
	g.Workload, g.Files, g.Users, g.Options = w.Name, w.Files, 1, option.Values{}
	for _, part := range parts[1:] {
		name, value, is := strings.Cut(part, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch o, found := Find(pair, name); {
		case !is:
			return g, fmt.Errorf("%q is not name=value: %s", part, besideForm)
		case name == keyUsers:
			if g.Users, err = strconv.Atoi(value); err != nil || g.Users < 1 {
				return g, fmt.Errorf("group %s: users: %q is not a number of virtual users", g.Name, value)
			}
		case !found:
			return g, r.Unknown(pair, name)
		case o.Secret:
			return g, errors.New("a group has no passwords of its own: it uses those of the run")
		default:
			g.Options[o.Name] = value
		}
	}
	return g, nil
}
