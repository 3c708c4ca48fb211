package settings

import (
	"fmt"
	"slices"
	"strings"

	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/pool"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/privatefile"
)

// Sources are the sources of settings, weakest first. The strongest source that contains a setting
// decides it.
type Sources struct {
	ConfigFile string            // path of a configuration file; "" for none
	Environ    []string          // lines "NAME=value", as os.Environ has them
	URL        string            // of the database; "" for none
	Given      map[string]string // settings by the names of a configuration file, from GivenBy
	GivenBy    string            // name of Given in messages: "the request"
	Asked      bool              // whether Given is for this job only, as flags are
	Guarded    bool              // whether to protect passwords from servers that Given names: see choice.guard
	Flags      map[string]string // db, workload, users, seed and plain flags, by name without dashes
	Secrets    map[string]string // typed at a prompt: Password, SuperuserPassword
	Set        []string          // "warehouses=100"
	Overrides  []Override        // win over all other sources
	Labels     []string          // "name=value"; they win over equal names in the setting labels
	Note       string            // the user's note on the job
	Beside     []string          // groups of users of a run beside its own: "reads=tproch,users=2"
	Resume     bool              // whether to continue an interrupted build

	// Connections are the saved connections; nil means none. A connection that a source names is
	// stronger than weaker sources, and weaker than the other values of the same source.
	Connections *Connections

	// System is the folder of the machine's configuration, "/etc", for the client settings of
	// databases; "" means none. Fallbacks names the options that take their fallback from the
	// client settings.
	System    string
	Fallbacks []string
}

// Override is a setting that wins over all sources, because it is what makes one run different from
// another: in a second set-up, or in a cell of an experiment.
type Override struct {
	Name, Value string
	Origin      string // as messages name it: "--against", "line 12 of plan.toml"
}

// Order is a job with all its settings resolved.
type Order struct {
	Spec job.Spec
	Plan plan.Plan

	// Profile is the number of the performance profile that the job is part of; 0 means none.
	Profile int

	// Counts has the numbers of virtual users of several runs, done one after another. The spec and
	// the plan have the first number.
	Counts []int

	Origins  map[string]string    // the source of each option of the spec, and of db, workload, users, seed, labels and connection
	unsaid   []option.Description // the secrets that no source has set
	fallback map[string]string    // the fallbacks of unsaid secrets
	Warnings []string
}

// defaultSeed makes runs repeatable by default.
const defaultSeed = 1

// Resolve resolves every setting of a job. It changes nothing, and all its errors are mistakes of
// the user.
func (r Resolver) Resolve(action job.Action, s Sources) (Order, error) {
	order, err := r.resolve(action, s)
	return order, job.WithExit(job.ExitUsage, err)
}

func (r Resolver) resolve(action job.Action, s Sources) (Order, error) {
	chosen := []entry{{text: s.Flags[keyWorkload]}, {text: Variable(s.Environ, EnvironmentPrefix+strings.ToUpper(keyWorkload))}}
	for _, one := range s.Overrides {
		if one.Name == keyWorkload {
			chosen = append(chosen, entry{text: one.Value})
		}
	}
	r = r.withOwn(chosen...)
	config := source{}
	if s.ConfigFile != "" {
		var err error
		if config, err = r.readConfig(s.ConfigFile); err != nil {
			return Order{}, err
		}
		r = r.withOwn(config[keyWorkload])
	}
	environment, warnings := r.readEnvironment(s.Environ)
	given, err := r.readGiven(s)
	if err != nil {
		return Order{}, err
	}
	flags := source{}
	for name, text := range s.Flags {
		flags[name] = entry{text: text, origin: "--" + name}
	}
	if len(s.Beside) > 0 {
		flags[keyBeside] = entry{text: strings.Join(s.Beside, "\n"), origin: "--" + keyBeside}
	}
	last, err := readOverrides(s.Overrides)
	if err != nil {
		return Order{}, err
	}
	target, err := parseURL(s.URL)
	if err != nil {
		return Order{}, err
	}
	// Each of these sources may hold any setting, and a later one wins.
	named := []namedSource{{config, false}, {environment, false}, {given, s.Guarded}}
	general := []source{config, environment, given, flags, last.own}
	if kept, at, err := r.takeConnection(general, s); err != nil {
		return Order{}, err
	} else if kept != nil {
		if general = slices.Insert(general, at, kept); at <= len(named) {
			named = slices.Insert(named, at, namedSource{kept, s.Guarded})
		} else {
			last.connection = kept
		}
	}
	d, err := r.chooseDatabase(general, target)
	if err != nil {
		return Order{}, err
	}
	w, err := r.chooseWorkload(general)
	if err != nil {
		return Order{}, err
	}
	pair, err := r.Match(d, w)
	if err != nil {
		return Order{}, err
	}
	spec := job.Spec{Action: action, Database: d.Name, Workload: w.Name, Files: w.Files, Resume: s.Resume, Note: s.Note}
	if spec.Labels, err = chooseLabels(general, s.Labels); err != nil {
		return Order{}, err
	}
	if err := job.CheckNote(s.Note); err != nil {
		return Order{}, fmt.Errorf("--note: %w", err)
	}
	if spec.Seed, err = chooseSeed(general); err != nil {
		return Order{}, err
	}
	var counts []int
	if action == job.Run {
		if counts, err = chooseUsers(general); err != nil {
			return Order{}, err
		}
		spec.Users = counts[0]
	}
	c := choice{Pair: pair, resolver: r, known: pair.Options(), values: option.Values{}, called: option.Names{}, origins: map[string]string{}, strengths: map[string]int{}, general: general, fallback: map[string]string{}}
	if err := c.takeAll(named, target, s, last); err != nil {
		return Order{}, err
	}
	more, err := c.takeClientSettings(s)
	if err != nil {
		return Order{}, err
	}
	warnings = append(append(warnings, c.warnings...), more...)
	spec.Options, spec.Names = c.values, c.names()
	if text := c.values[pool.Option]; s.Guarded && c.origins[pool.Option] == s.GivenBy && text != "" && text != pool.None && !pool.IsPool(text) {
		return Order{}, fmt.Errorf("%s: Sledge reads no file for %s: give the pool itself", spec.Names.Of(pool.Option), s.GivenBy)
	}
	file, more, err := readPool(pair, &spec)
	if err != nil {
		return Order{}, c.explain(err)
	}
	if file != "" {
		c.origins[pool.Option] = file
	}
	warnings = append(warnings, more...)
	var beside entry
	if action == job.Run {
		beside, _ = strongest(general, keyBeside)
	}
	if _, asked := given[keyBeside]; asked && s.Guarded {
		return Order{}, fmt.Errorf("%s: it may name a folder of the server, so Sledge does not take it from %s", keyBeside, s.GivenBy)
	}
	if len(beside.groups()) > 0 && len(counts) > 1 {
		return Order{}, beside.wrong("the run has several numbers of %s: give one", keyUsers)
	}
	plan, err := r.bind(pair, spec, beside)
	if err != nil {
		return Order{}, c.explain(err)
	}
	if steps := spec.Options["steps"]; len(counts) > 1 && plan.Steps != nil && plan.Pacing.Shifts.Fixed {
		return Order{}, c.explain(spec.Names.Wrong("steps", steps,
			"it sets the number of virtual users itself, so several numbers of users would do the same run again: give one number, or none, or begin with +, as in +2@1m, for users beside them"))
	}
	idle := plan.Idle()
	if len(counts) > 1 { // an option may have an effect only with the greatest number
		if most, err := plan.WithUsers(slices.Max(counts)); err == nil { // otherwise Runs returns the error
			idle = most.Idle()
		}
	}
	more, err = c.judgeIdle(idle, s)
	if err != nil {
		return Order{}, c.explain(err)
	}
	warnings = slices.Concat(warnings, unbuilt(plan), more, exposedFiles(plan))
	order := Order{
		Spec: plan.Spec, Plan: plan, Counts: counts,
		Origins: c.origins, unsaid: c.unsetSecrets(), fallback: c.fallback, Warnings: warnings,
	}
	for _, name := range plainKeys {
		if e, ok := strongest(general, name); ok {
			order.Origins[name] = e.origin
		}
	}
	if _, named := order.Origins[keyDatabase]; target != nil && (!named || flags[keyDatabase].text == "") {
		order.Origins[keyDatabase] = "--url"
	}
	return order, nil
}

// Order binds a spec that contains all values, including secrets. Its errors are about the spec.
func (r Resolver) Order(spec job.Spec) (Order, error) {
	pair, err := r.PairOf(spec)
	if err != nil {
		return Order{}, job.WithExit(job.ExitUsage, err)
	}
	_, warnings, err := readPool(pair, &spec)
	if err != nil {
		return Order{}, job.WithExit(job.ExitUsage, err)
	}
	plan, err := engine.Local{Catalog: r.Catalog}.Plan(spec) // it binds groups, too
	if err != nil {
		return Order{}, job.WithExit(job.ExitUsage, err)
	}
	warnings = append(append(warnings, unbuilt(plan)...), exposedFiles(plan)...)
	return Order{Spec: plan.Spec, Plan: plan, Counts: []int{spec.Users}, Warnings: warnings}, nil
}

// unbuilt warns about options for features that do not exist yet, if they do not change the job.
// Other such options are refused when they are bound.
func unbuilt(plan plan.Plan) (warnings []string) {
	for _, o := range plan.Options() {
		if value, set := plan.Spec.Options[o.Name]; set && o.Soon && value != o.Default {
			warnings = append(warnings, fmt.Sprintf("option %s: %s has no effect, because its feature does not exist yet", plan.Spec.Names.Of(o.Name), value))
		}
	}
	return warnings
}

// exposedFiles warns about files of secrets that others can read. They are used nevertheless,
// because containers mount secrets with such modes.
func exposedFiles(plan plan.Plan) (warnings []string) {
	if plan.Database.Options.SecretFiles == nil {
		return nil
	}
	connections := []any{plan.Connection}
	if plan.Pool != nil {
		connections = append(connections, plan.Pool.Connections...)
	}
	for _, connection := range connections {
		for _, path := range plan.Database.Options.SecretFiles(connection) {
			if warning := exposed(path); warning != "" && !slices.Contains(warnings, warning) {
				warnings = append(warnings, warning)
			}
		}
	}
	return warnings
}

// exposed returns a warning if others can read a file with a secret, or "".
func exposed(path string) string {
	if !privatefile.Exposed(path) {
		return ""
	}
	return fmt.Sprintf("others can read %s, which contains a secret: chmod 600 %s", path, path)
}

// RefuseElsewhere returns an error if the command line sets an option that only affects other
// actions.
func (o Order) RefuseElsewhere() error {
	for _, idle := range o.Plan.Idle() {
		if idle.Elsewhere && onCommandLine(o.Origins[idle.Option]) {
			return job.WithExit(job.ExitUsage, idle.Refusal(o.Spec.Names))
		}
	}
	return nil
}

// onCommandLine reports whether a source is a flag.
func onCommandLine(origin string) bool { return strings.HasPrefix(origin, "--") }

// Runs returns an order for each number of virtual users. An invalid number is an error before the
// first run.
func (o Order) Runs() ([]Order, error) {
	var orders []Order
	for _, users := range o.Counts {
		one := o
		one.Counts = []int{users}
		var err error
		if one.Plan, err = o.Plan.WithUsers(users); err != nil {
			return nil, job.WithExit(job.ExitUsage, err)
		}
		one.Spec.Users = one.Plan.Spec.Users
		orders = append(orders, one)
	}
	return orders, nil
}
