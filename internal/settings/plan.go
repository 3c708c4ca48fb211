package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/job"
	"sledge/internal/option"
)

// The tables of a configuration file that make it the plan of an experiment. Other commands ignore
// them, so that sledge build --config plan.toml builds the schema of an experiment.
const (
	varyTable       = "vary"
	serverTable     = "server"
	experimentTable = "experiment"
)

// ServerPrefix begins the name of a factor that is a setting of the server.
const ServerPrefix = serverTable + "."

// Plan is what the tables experiment, vary and server of a configuration file say.
type Plan struct {
	Path    string
	Name    string // default: the name of the file, without its ending
	Repeat  int    // runs of each cell, 1 or more
	Seed    uint64 // of the order of runs
	Build   Building
	Stop    bool // whether to end at the first run that fails
	Halve   bool // whether only the better half of the cells is repeated, again and again
	Factors []Factor

	// Fraction is whether only some combinations are performed: as many as tell the effect of each factor from those of
	// the others. Each factor then has at most two values.
	Fraction bool

	// Notify is a command of the shell that reads, when the experiment ends, how it ended; "" for none.
	Notify string

	// For settings of the server that take effect when it starts: commands of the shell that restart it
	// and that write the file of settings from their input, and the path of that file.
	Restart, WriteSettings, SettingsFile string

	// Agent is the name of the agent of the server's machine, in place of them; "" for none.
	Agent string
}

// Factor is a setting that the plan varies.
type Factor struct {
	Name   string   // of a setting of the server: "server.work_mem"
	Values []string // different ones
	Origin string   // "line 12 of plan.toml"
}

// Building says when an experiment builds the schema.
type Building string

// When to build.
const (
	BuildNever Building = "never" // the schema is there
	BuildOnce  Building = "once"  // before the first run, and when a run needs another schema
	BuildEach  Building = "each"  // before each run
)

// Overrides returns the settings of a cell, which has a value of each factor: those of Sledge, and
// those of the server.
func (p Plan) Overrides(values []string) (own, server []Override) {
	for i, f := range p.Factors {
		if name, is := strings.CutPrefix(f.Name, ServerPrefix); is {
			server = append(server, Override{name, values[i], f.Origin})
		} else {
			own = append(own, Override{f.Name, values[i], f.Origin})
		}
	}
	return own, server
}

// ReadPlan reads the plan in a configuration file. It does not check the values of factors: Resolve
// does.
func (r Resolver) ReadPlan(path string) (Plan, error) {
	plan, err := r.readPlan(path)
	if err != nil {
		return Plan{}, job.WithExit(job.ExitUsage, fmt.Errorf("plan %s: %w", path, err))
	}
	return plan, nil
}

func (r Resolver) readPlan(path string) (Plan, error) {
	items, err := readItems(path)
	if err != nil {
		return Plan{}, err
	}
	r = r.withOwn(workloadsOf(items, filepath.Dir(path))...)
	base := filepath.Base(path)
	plan := Plan{Path: path, Name: strings.TrimSuffix(base, filepath.Ext(base)), Repeat: 1, Seed: defaultSeed, Build: BuildNever}
	for _, i := range items {
		switch {
		case i.key == experimentTable && i.what == isTable:
			err = plan.read(i.table)
		case i.key == varyTable && i.what == isTable:
			err = plan.readFactors(i.table, r.knownNames())
		case i.key == serverTable && i.what == isTable:
			err = plan.readServer(i.table)
		}
		if err != nil {
			return Plan{}, err
		}
	}
	if len(plan.Factors) == 0 {
		return Plan{}, fmt.Errorf("it varies nothing: add a table [%s] with a line such as users = [1, 2, 4], or a table [%s] with settings of the server", varyTable, serverTable)
	}
	if plan.Halve && plan.Repeat == 1 {
		return Plan{}, fmt.Errorf("halve has no effect, because each cell has one run: raise repeat, the number of runs that the best cells get, to 4 or 8")
	}
	if plan.Fraction {
		if err := plan.checkFraction(); err != nil {
			return Plan{}, err
		}
	}
	ofServer := func(f Factor) bool { return strings.HasPrefix(f.Name, ServerPrefix) }
	if plan.Restart+plan.SettingsFile+plan.WriteSettings+plan.Agent != "" && !slices.ContainsFunc(plan.Factors, ofServer) {
		return Plan{}, fmt.Errorf("restart, settings_file, write_settings and agent have no effect, because no setting of the server varies: add a table [%s], or leave them out", serverTable)
	}
	if _, _, err := job.ParseLabel(experimentTable + "=" + plan.Name); err != nil {
		return Plan{}, fmt.Errorf("the name %q: %w", plan.Name, err)
	}
	return plan, nil
}

// checkFraction returns an error if there is no fraction of the combinations.
func (p *Plan) checkFraction() error {
	varied := 0
	for _, f := range p.Factors {
		switch n := len(f.Values); {
		case n > 2:
			return fmt.Errorf("fraction: %s has %d values (%s), and a fraction takes two of each setting: leave out the others, and vary them in another plan if the setting turns out to matter", f.Name, n, f.Origin)
		case n == 2:
			varied++
		}
	}
	if varied < leastFactors {
		return fmt.Errorf("fraction has no effect, because all combinations of fewer than %d settings are needed: leave it out", leastFactors)
	}
	return nil
}

// leastFactors is the number of factors from which on a fraction is smaller than all combinations.
const leastFactors = 4

// read reads the table experiment.
func (p *Plan) read(table []item) error {
	for _, i := range table {
		if i.what != isValue || i.list || len(i.values) != 1 {
			return i.wrong("%s takes one value", i.key)
		}
		value := i.values[0]
		var err error
		switch i.key {
		case "name":
			p.Name = value
		case "repeat":
			if p.Repeat, err = strconv.Atoi(value); err != nil || p.Repeat < 1 {
				return i.wrong("repeat: %q is not a number of runs: give 1 or more", value)
			}
		case "seed":
			if p.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
				return i.wrong("seed: %q is not a whole number of 0 or more", value)
			}
		case "params":
			if err := p.readParams(filepath.Join(relativeTo(filepath.Dir(p.Path), value), value)); err != nil {
				return i.wrong("params: %w", err)
			}
		case "notify":
			p.Notify = value
		case "restart":
			p.Restart = value
		case "agent":
			p.Agent = value
		case "write_settings":
			p.WriteSettings = value
		case "settings_file":
			p.SettingsFile = filepath.Join(relativeTo(filepath.Dir(p.Path), value), value)
		case "build":
			p.Build = Building(value)
			if known := []Building{BuildNever, BuildOnce, BuildEach}; !slices.Contains(known, p.Build) {
				return i.wrong("build: %q is not never, once or each", value)
			}
		case "on_failure":
			if value != "continue" && value != "stop" {
				return i.wrong("on_failure: %q is neither continue nor stop", value)
			}
			p.Stop = value == "stop"
		case "halve", "fraction":
			if value != "true" && value != "false" {
				return i.wrong("%s: %q is neither true nor false", i.key, value)
			}
			if i.key == "halve" {
				p.Halve = value == "true"
			} else {
				p.Fraction = value == "true"
			}
		default:
			return i.wrong("%s is not known in the table %s%s", i.key, experimentTable, option.Suggest(i.key, []string{"name", "repeat", "seed", "build", "on_failure", "halve", "fraction", "notify", "params", "restart", "settings_file", "write_settings", "agent"}))
		}
	}
	return nil
}

// readFactors reads the table vary.
func (p *Plan) readFactors(table []item, known nameSet) error {
	for _, i := range table {
		switch {
		case !known[i.key]:
			return i.wrong("%s is not known%s", i.key, option.Suggest(i.key, known.list()))
		case i.key == keyLabels:
			return i.wrong("labels make no difference to a run: vary an option")
		}
		if err := p.readFactor(i, i.key); err != nil {
			return err
		}
	}
	return nil
}

// readServer reads the table server.
func (p *Plan) readServer(table []item) error {
	for _, i := range table {
		if err := p.readFactor(i, ServerPrefix+i.key); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) readFactor(i item, name string) error {
	origin := fmt.Sprintf("line %d of %s", i.line, p.Path)
	if i.line == 0 {
		origin = p.Path
	}
	if i.what != isValue {
		return i.wrong("%s: give a list of values, such as [1, 2, 4]", i.key)
	}
	if err := p.add(Factor{name, i.values, origin}); err != nil {
		return i.wrong("%w", err)
	}
	return nil
}

// add adds a factor whose values have not been checked yet.
func (p *Plan) add(f Factor) error {
	for n, value := range f.Values {
		if _, _, err := job.ParseLabel(f.Name + "=" + value); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if slices.Contains(f.Values[:n], value) {
			return fmt.Errorf("%s has the value %s twice: leave out one (repeat in the table %s repeats runs)", f.Name, value, experimentTable)
		}
	}
	if len(f.Values) == 0 {
		return fmt.Errorf("%s has no values: give a list such as [1, 2, 4]", f.Name)
	}
	if slices.ContainsFunc(p.Factors, func(other Factor) bool { return other.Name == f.Name }) {
		return fmt.Errorf("%s occurs twice", f.Name)
	}
	p.Factors = append(p.Factors, f)
	return nil
}

// readParams reads settings of the server from a file with the parameters of hammerpost: a JSON object
// with a list of values for each.
func (p *Plan) readParams(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var params map[string][]string
	if err := json.Unmarshal(text, &params); err != nil {
		return fmt.Errorf("%s is not a JSON object with a list of texts for each setting: %w", path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if err := p.add(Factor{ServerPrefix + name, params[name], path}); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}
