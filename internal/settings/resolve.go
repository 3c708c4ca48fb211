package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/engine/pool"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/privatefile"
	"sledge/internal/workload"
)

// Sources is what the user has said, weakest first. The strongest source that
// mentions a setting decides it.
type Sources struct {
	ConfigFile string            // path of a configuration file; "" for none
	Environ    []string          // lines "NAME=value", as os.Environ has them
	URL        string            // of the database; "" for none
	Given      map[string]string // what a configuration file may hold, by the same names, from GivenBy
	GivenBy    string            // as messages name it: "the request"
	Asked      bool              // Given is said for this one job, as flags are
	Guarded    bool              // passwords are kept from servers that Given leads to: see choice.guard
	Flags      map[string]string // db, workload, users, seed and plain flags, by name without dashes
	Secrets    map[string]string // asked for at a prompt: Password, SuperuserPassword
	Set        []string          // "warehouses=100"
	Labels     []string          // "name=value"
	Note       string            // of the user's own
	Resume     bool              // whether a build is to go on with one that was interrupted

	// Connections are the saved connections; nil means none. A connection that a source names is
	// stronger than weaker sources, and weaker than the other values of the same source.
	Connections *Connections

	// System is the folder of the machine's configuration, "/etc", for the client settings of
	// databases; "" means none. Fallbacks are the options whose fallback among those applies.
	System    string
	Fallbacks []string
}

// Order is a job that is ready to be done.
type Order struct {
	Spec job.Spec
	Plan engine.Plan

	// Profile is the number of the performance profile that the job is part of; 0 means none.
	Profile int

	// Counts are the numbers of virtual users that were asked for, to run one after
	// another. The spec and the plan are of the first.
	Counts []int

	Origins  map[string]string    // which source set each of the spec's options, and db, workload, users, seed
	unsaid   []option.Description // the secrets that no source has set
	fallback map[string]string    // for some of these, where there is a fallback
	Warnings []string
}

// defaultSeed makes runs repeatable by default.
const defaultSeed = 1

// Resolve decides every setting of a job. All its errors are mistakes of the
// user, found before anything was changed.
func (r Resolver) Resolve(action job.Action, s Sources) (Order, error) {
	order, err := r.resolve(action, s)
	return order, job.WithExit(job.ExitUsage, err)
}

func (r Resolver) resolve(action job.Action, s Sources) (Order, error) {
	config := source{}
	if s.ConfigFile != "" {
		var err error
		if config, err = r.readConfig(s.ConfigFile); err != nil {
			return Order{}, err
		}
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
	target, err := parseURL(s.URL)
	if err != nil {
		return Order{}, err
	}
	// Each of these sources may hold any setting, and a later one wins.
	named := []saying{{config, false}, {environment, false}, {given, s.Guarded}}
	general := []source{config, environment, given, flags}
	if kept, at, err := r.takeConnection(general, s); err != nil {
		return Order{}, err
	} else if kept != nil {
		named, general = slices.Insert(named, at, saying{kept, s.Guarded}), slices.Insert(general, at, kept)
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
	spec := job.Spec{Action: action, Database: d.Name, Workload: w.Name, Resume: s.Resume, Note: s.Note}
	if spec.Labels, err = readLabels(s.Labels); err != nil {
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
	if err := c.takeAll(named, target, s); err != nil {
		return Order{}, err
	}
	more, err := c.takeClientSettings(s)
	if err != nil {
		return Order{}, err
	}
	warnings = append(append(warnings, c.warnings...), more...)
	spec.Options, spec.Names = c.values, c.names()
	if text := c.values[pool.Option]; s.Guarded && c.origins[pool.Option] == s.GivenBy && text != "" && text != pool.None && !pool.IsPool(text) {
		return Order{}, fmt.Errorf("%s: no file is read for %s: give the pool itself", spec.Names.Of(pool.Option), s.GivenBy)
	}
	file, more, err := readPool(pair, &spec)
	if err != nil {
		return Order{}, c.explain(err)
	}
	if file != "" {
		c.origins[pool.Option] = file
	}
	warnings = append(warnings, more...)
	plan, err := engine.NewPlan(pair, spec)
	if err != nil {
		return Order{}, c.explain(err)
	}
	if steps := spec.Options["steps"]; len(counts) > 1 && plan.Steps != nil && plan.Pacing.Fixed {
		return Order{}, c.explain(spec.Names.Wrong("steps", steps,
			"it says itself how many virtual users there are, so several numbers of users would do the same run again: give one number, or none, or begin with +, as in +2@1m, for users beside them"))
	}
	idle := plan.Idle()
	if len(counts) > 1 { // an option may have an effect with the greatest number only
		if most, err := plan.WithUsers(slices.Max(counts)); err == nil { // else Runs refuses it
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
		Origins: c.origins, unsaid: c.unsaid(), fallback: c.fallback, Warnings: warnings,
	}
	for _, name := range []string{keyDatabase, keyWorkload, keyUsers, keySeed, keyConnection} {
		if e, ok := strongest(general, name); ok {
			order.Origins[name] = e.origin
		}
	}
	if _, named := order.Origins[keyDatabase]; target != nil && (!named || flags[keyDatabase].text == "") {
		order.Origins[keyDatabase] = "--url"
	}
	return order, nil
}

// Order binds a spec whose values are all there: its secrets among them. Its errors are
// mistakes in the spec.
func (r Resolver) Order(spec job.Spec) (Order, error) {
	pair, err := r.Pair(spec.Database, spec.Workload)
	if err != nil {
		return Order{}, job.WithExit(job.ExitUsage, err)
	}
	_, warnings, err := readPool(pair, &spec)
	if err != nil {
		return Order{}, job.WithExit(job.ExitUsage, err)
	}
	plan, err := engine.NewPlan(pair, spec)
	if err != nil {
		return Order{}, job.WithExit(job.ExitUsage, err)
	}
	warnings = append(append(warnings, unbuilt(plan)...), exposedFiles(plan)...)
	return Order{Spec: plan.Spec, Plan: plan, Counts: []int{spec.Users}, Warnings: warnings}, nil
}

// unbuilt names the options that were set for what is not built yet, and without which a job does
// the same. Those that ask for it are refused when they are bound.
func unbuilt(plan engine.Plan) (warnings []string) {
	for _, o := range plan.Options() {
		if value, set := plan.Spec.Options[o.Name]; set && o.Soon && value != o.Default {
			warnings = append(warnings, fmt.Sprintf("option %s: %s has no effect: what it is for is not built yet", plan.Spec.Names.Of(o.Name), value))
		}
	}
	return warnings
}

// exposedFiles warns of the files of secrets that connections read and others can read, too. They are used all
// the same: containers mount secrets with such modes, and scripts name such files.
func exposedFiles(plan engine.Plan) (warnings []string) {
	if plan.Database.SecretFiles == nil {
		return nil
	}
	for _, connection := range plan.Connections() {
		for _, path := range plan.Database.SecretFiles(connection) {
			if warning := exposed(path); warning != "" && !slices.Contains(warnings, warning) {
				warnings = append(warnings, warning)
			}
		}
	}
	return warnings
}

// exposed warns if others can read a file that holds a secret; else it is "".
func exposed(path string) string {
	if !privatefile.Exposed(path) {
		return ""
	}
	return fmt.Sprintf("others can read %s, which holds a secret: chmod 600 %s", path, path)
}

// judgeIdle refuses the first option without effect that was set for this one job: on the command
// line, or in a request. It returns warnings about those that a file or the environment sets.
// Options of other actions are passed over, because each of these may hold the settings of all.
func (c *choice) judgeIdle(idle []option.Idle, s Sources) (warnings []string, err error) {
	names := c.names()
	for _, i := range idle {
		origin := c.origins[i.Option]
		switch {
		case i.Elsewhere:
		case onCommandLine(origin), s.Asked && origin == s.GivenBy:
			return nil, i.Refusal(names)
		default:
			warnings = append(warnings, fmt.Sprintf("%s (it is from %s)", i.Warning(names), origin))
		}
	}
	return warnings, nil
}

// RefuseElsewhere refuses the first option of an order that was given on the command line and
// has an effect in other actions alone.
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

// parseURL reads a database's URL, or returns nil when there is none. Its error
// does not show the URL, which may hold a password.
func parseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return nil, errors.New("--url is not a URL: write scheme://user:password@host:port/database, with %XX for special characters in the password")
	}
	return u, nil
}

// strongest returns what the last of the sources says about a name.
func strongest(sources []source, name string) (entry, bool) {
	for _, p := range slices.Backward(sources) {
		if e, ok := p[name]; ok {
			return e, true
		}
	}
	return entry{}, false
}

// takeConnection returns what the connection says that a source names, and the number of that
// source; nil where none is named.
func (r Resolver) takeConnection(general []source, s Sources) (kept source, at int, err error) {
	for i, p := range slices.Backward(general) {
		e, named := p[keyConnection]
		if !named {
			continue
		}
		if s.Connections == nil {
			return nil, 0, e.wrong("connections are kept beside the job repository, and there is no place for them")
		}
		c, err := s.Connections.Get(e.text)
		if err != nil {
			return nil, 0, e.wrong("%w", err)
		}
		if other, said := strongest(general[i:], keyDatabase); said {
			if d, err := r.Database(other.text); err == nil && d.Name != c.Database {
				return nil, 0, e.wrong("the connection %s is one to %s, and %s chooses %s: leave out one of the two", c.Name, c.Database, cmp.Or(other.key, other.origin), d.Name)
			}
		}
		return c.source(), i, nil
	}
	return nil, 0, nil
}

// ErrNoDatabase says that no source names a database.
var ErrNoDatabase = errors.New("no database chosen")

// chooseDatabase takes the database that was named, or the one that the URL's
// scheme belongs to. A name and a scheme that contradict each other are an error
// where both stand on the command line; else the URL, being nearer, wins.
func (r Resolver) chooseDatabase(general []source, u *url.URL) (*database.Database, error) {
	var named *database.Database
	e, ok := strongest(general, keyDatabase)
	if ok {
		var err error
		if named, err = r.Database(e.text); err != nil {
			return nil, e.wrong("%w", err)
		}
	}
	switch {
	case u == nil && named == nil:
		return nil, fmt.Errorf("%w: give --db with one of %s", ErrNoDatabase, strings.Join(r.databaseNames(), ", "))
	case u == nil:
		return named, nil
	case named != nil && slices.Contains(catalog.Schemes(named), u.Scheme):
		return named, nil
	}
	d, err := r.ByScheme(u.Scheme)
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	if _, chosen := general[len(general)-1][keyDatabase]; chosen {
		return nil, fmt.Errorf("--db chooses %s, but the URL is for %s: leave out --db, or change the URL", named.Title, d.Title)
	}
	return d, nil
}

func (r Resolver) databaseNames() []string {
	var names []string
	for _, d := range r.Databases {
		name := d.Name
		if len(d.Aliases) > 0 {
			name += " (" + strings.Join(d.Aliases, ", ") + ")"
		}
		names = append(names, name)
	}
	return names
}

func (r Resolver) chooseWorkload(general []source) (*workload.Workload, error) {
	e, ok := strongest(general, keyWorkload)
	if !ok {
		return r.DefaultWorkload(), nil
	}
	w, err := r.Workload(e.text)
	if err != nil {
		return nil, e.wrong("%w", err)
	}
	return w, nil
}

func chooseSeed(general []source) (uint64, error) {
	e, ok := strongest(general, keySeed)
	if !ok {
		return defaultSeed, nil
	}
	seed, err := strconv.ParseUint(e.text, 10, 64)
	if err != nil {
		return 0, e.wrong("%q is not a whole number from 0 to 18446744073709551615", e.text)
	}
	return seed, nil
}

// readLabels reads labels, each of which is there once.
func readLabels(texts []string) (map[string]string, error) {
	var labels map[string]string
	for _, text := range texts {
		name, value, err := job.ParseLabel(text)
		if err != nil {
			return nil, fmt.Errorf("--label: %w", err)
		}
		if _, twice := labels[name]; twice {
			return nil, fmt.Errorf("--label: %s is given twice: leave out one", name)
		}
		if labels == nil {
			labels = map[string]string{}
		}
		labels[name] = value
	}
	return labels, nil
}

// chooseUsers reads one number of virtual users, or several with commas between.
func chooseUsers(general []source) ([]int, error) {
	e, ok := strongest(general, keyUsers)
	if !ok {
		return []int{1}, nil
	}
	var counts []int
	for word := range strings.SplitSeq(e.text, ",") {
		users, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, e.wrong("%q is not a whole number", strings.TrimSpace(word))
		}
		if users < 1 {
			return nil, e.wrong("%d is less than 1", users)
		}
		counts = append(counts, users)
	}
	return counts, nil
}

// Runs returns an order for each of the numbers of virtual users. So a number that
// cannot be is found before the first of them runs.
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

// choice gathers option values for one database and workload, weakest source
// first.
type choice struct {
	catalog.Pair
	resolver Resolver
	known    []option.Description
	values   option.Values
	called   option.Names // what the source that set an option calls it
	origins  map[string]string
	general  []source // their settings that are not options

	strength  int            // of the source that is being read; stronger sources have greater numbers
	strengths map[string]int // of the sources that set options, by the options' names
	fallback  map[string]string

	leading  string   // what of a guarded source leads to another server; "" for nothing
	warnings []string // which passwords were not used, or can be read by others, a line each
}

// saying is a source, and whether those who wrote it may only use passwords of weaker sources,
// and not learn them.
type saying struct {
	source
	guarded bool
}

func (c *choice) takeAll(named []saying, u *url.URL, s Sources) error {
	for _, p := range named {
		c.strength++
		if p.guarded {
			if err := c.guard(p.source); err != nil {
				return err
			}
		}
		for _, o := range c.known {
			if err := c.takeFrom(p.source, o); err != nil {
				return err
			}
		}
	}
	c.strength++
	if err := c.takeURL(u); err != nil {
		return err
	}
	c.strength++
	if err := c.takeFlags(s.Flags); err != nil {
		return err
	}
	if err := c.takeSecrets(s.Secrets); err != nil {
		return err
	}
	if err := c.takeSet(s.Set); err != nil {
		return err
	}
	c.settleAlternatives()
	return c.takeImplied()
}

// onWindows is whether the options for Windows count; tests set it.
var onWindows = runtime.GOOS == "windows"

// takeImplied takes what the options that were given imply for options that were not.
func (c *choice) takeImplied() error {
	if c.Database.Implied == nil {
		return nil
	}
	implied, err := c.Database.Implied(c.values.Clone(), c.names())
	for name, text := range implied {
		c.take(name, text, "other options that were given", "")
	}
	return c.explain(err)
}

// settleAlternatives keeps the stronger one if two sources give an option and one that replaces
// it: a port on the command line counts, and not a socket in the configuration file. On Windows,
// an option for Windows takes the value of the option it replaces if that was given by a stronger source.
func (c *choice) settleAlternatives() {
	for _, o := range c.known {
		if other := o.OnWindows; onWindows && other != "" && c.strengths[other] > c.strengths[o.Name] {
			origin, called := c.origins[other], cmp.Or(c.called[other], other)
			c.strength = c.strengths[other]
			c.take(o.Name, c.values[other], origin, called)
		}
		text, said := c.values[o.Name]
		if !said {
			continue
		}
		for _, other := range o.Instead {
			_, both := c.values[other]
			switch {
			case both && c.strengths[other] > c.strengths[o.Name]:
				c.drop(o.Name)
			case both && c.strengths[other] < c.strengths[o.Name] && meansSomething(text):
				c.drop(other)
			}
		}
	}
}

// meansSomething reports whether a value is more than how users write that there is none.
func meansSomething(text string) bool { return text != "" && text != "null" }

// drop takes back what a source said about an option.
func (c *choice) drop(name string) {
	delete(c.values, name)
	delete(c.origins, name)
	delete(c.called, name)
}

// replaced reports whether the value of another option replaces that of an option so far.
func (c *choice) replaced(name string) bool {
	return slices.ContainsFunc(c.known, func(o option.Description) bool {
		return slices.Contains(o.Instead, name) && meansSomething(c.values[o.Name])
	})
}

// guard drops the passwords of weaker sources if the source leads to another server than these
// do. Otherwise a user who may start jobs could send our passwords to their own server.
func (c *choice) guard(p source) error {
	leading := ""
	for _, o := range c.known {
		if o.Secret || o.Group != option.Connection && o.Name != pool.Option {
			continue
		}
		e, called, err := p.find(o, Called(c.Pair, o))
		if err != nil {
			return err
		}
		before, said := c.values[o.Name]
		if !said {
			before = o.Default
		}
		if called != "" && (e.text != before || c.replaced(o.Name)) {
			leading = fmt.Sprintf("%s sets %s", e.origin, called)
			break
		}
	}
	if leading == "" {
		return nil
	}
	c.leading = leading
	for _, o := range c.known {
		if _, said := c.values[o.Name]; !o.Secret || !said {
			continue
		}
		if _, called, err := p.find(o, Called(c.Pair, o)); err != nil {
			return err
		} else if called == "" {
			c.withhold(o, c.origins[o.Name])
		}
		c.drop(o.Name)
	}
	return nil
}

func (c *choice) withhold(o option.Description, origin string) {
	c.warnings = append(c.warnings, fmt.Sprintf("option %s: the one of %s is not used, since %s, which may lead to another server: give the password, too", o.Name, origin, c.leading))
}

// takeClientSettings takes what the database's own programs take as given, for those
// options that no source of ours says anything about.
func (c *choice) takeClientSettings(s Sources) (warnings []string, err error) {
	if c.Database.ClientSettings == nil {
		return nil, nil
	}
	from := database.Surroundings{System: s.System, Variable: func(name string) string { return Variable(s.Environ, name) }}
	found, warnings, err := c.Database.ClientSettings(from, c.Workload.Use, c.values.Clone())
	for _, f := range found {
		_, said := c.origins[f.Option]
		at := slices.IndexFunc(c.known, func(o option.Description) bool { return o.Name == f.Option })
		switch {
		case said || at < 0:
		case c.leading != "" && c.known[at].Secret:
			c.withhold(c.known[at], f.Origin)
		case !f.Fallback || slices.Contains(s.Fallbacks, f.Option):
			c.take(f.Option, f.Value, f.Origin, "")
		default:
			c.fallback[f.Option] = f.Origin
		}
	}
	return warnings, err
}

// unsaid lists the secrets that no source has set.
func (c *choice) unsaid() (list []option.Description) {
	for _, o := range c.known {
		if _, said := c.origins[o.Name]; o.Secret && !said {
			list = append(list, o)
		}
	}
	return list
}

// take sets an option, which a source calls by some name; that is "" where it does not
// name options. Of what the option was set to before nothing stays.
func (c *choice) take(name, text, origin, called string) {
	c.values[name] = text
	c.origins[name] = origin
	c.strengths[name] = c.strength
	delete(c.called, name)
	if called != "" {
		c.called[name] = called
	}
}

func (c *choice) takeFrom(p source, o option.Description) error {
	e, called, err := p.find(o, Called(c.Pair, o))
	if called == "" || err != nil {
		return err
	}
	c.warnIfExposed(e.file)
	if e.folder != "" {
		for _, part := range c.Fresh().All() {
			e.text = option.In(e.folder, part, o.Name, e.text)
		}
	}
	c.take(o.Name, e.text, e.origin, called)
	return nil
}

// warnIfExposed warns if others can read a file that holds a password and nothing else. It is
// read all the same: secrets that a container gets are often such files.
func (c *choice) warnIfExposed(path string) {
	if warning := exposed(path); warning != "" {
		c.warnings = append(c.warnings, warning)
	}
}

func (c *choice) takeURL(u *url.URL) error {
	if u == nil {
		return nil
	}
	if c.Database.FromURL == nil {
		return fmt.Errorf("--url: %s has no URLs: use its options", c.Database.Title)
	}
	values, err := c.Database.FromURL(u)
	if err != nil {
		return fmt.Errorf("--url: %w", withoutPassword(err, u))
	}
	for name, text := range values {
		if !slices.ContainsFunc(c.known, func(o option.Description) bool { return o.Name == name }) {
			return fmt.Errorf("--url: %w", c.resolver.Unknown(c.Pair, name))
		}
		c.take(name, text, "--url", "")
	}
	return nil
}

// withoutPassword hides the password of a URL in an error about it.
func withoutPassword(err error, u *url.URL) error {
	password, ok := u.User.Password()
	if !ok || password == "" || !strings.Contains(err.Error(), password) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), password, "***"))
}

// takeFlags takes the plain flags. One that the pair has no option for would
// otherwise be ignored in silence.
func (c *choice) takeFlags(flags map[string]string) error {
	for _, f := range c.resolver.Flags() {
		text, given := flags[f.Name]
		if !given {
			continue
		}
		i := slices.IndexFunc(c.known, func(o option.Description) bool { return FlagOf(o) == f.Name })
		if i < 0 {
			return fmt.Errorf("--%s is not an option of %s (sledge options %s %s lists them)",
				f.Name, c.Title(), c.Database.Name, c.Workload.Name)
		}
		if c.known[i].Secret {
			secret, err := readSecret(text)
			if err != nil {
				return fmt.Errorf("--%s: %w", f.Name, err)
			}
			c.warnIfExposed(text)
			text = secret
		}
		c.take(c.known[i].Name, text, "--"+f.Name, "")
	}
	return nil
}

// takeSecrets takes what was typed at a prompt.
func (c *choice) takeSecrets(secrets map[string]string) error {
	for _, name := range []string{Password, SuperuserPassword} {
		text, given := secrets[name]
		if !given {
			continue
		}
		i := slices.IndexFunc(c.known, func(o option.Description) bool { return askedName(o) == name })
		if i < 0 {
			return fmt.Errorf("%s has no %s to ask for", c.Database.Title, name)
		}
		c.take(c.known[i].Name, text, "the prompt", "")
	}
	return nil
}

// takeSet takes the pairs name=value, which must be options of the chosen
// database and workload. Of two that set the same option the later counts, whatever
// either calls it.
func (c *choice) takeSet(pairs []string) error {
	set := map[string]source{} // by option
	for _, text := range pairs {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return errors.New("--set: write --set name=value")
		}
		name = strings.ToLower(strings.TrimSpace(name))
		o, called, err := c.named(name)
		if err != nil {
			return err
		}
		if set[o.Name] == nil {
			set[o.Name] = source{}
		}
		for other := range set[o.Name] {
			if other != called && other != called+secretFile {
				delete(set[o.Name], other)
			}
		}
		set[o.Name][name] = entry{text: value, origin: "--set"}
	}
	for _, o := range c.known {
		if err := c.takeFrom(set[o.Name], o); err != nil {
			return err
		}
	}
	return nil
}

// named returns the option that a name after --set means, and what that calls it: for a
// secret it may be the name without its last part, which says that a file holds it.
func (c *choice) named(name string) (o option.Description, called string, err error) {
	if o, ok := Find(c.Pair, name); ok {
		return o, name, nil
	}
	if before, ok := strings.CutSuffix(name, secretFile); ok {
		if o, ok := Find(c.Pair, before); ok && o.Secret {
			return o, before, nil
		}
	}
	if c.resolver.knownNames()[name] {
		hint := ""
		if own := c.resolver.nameHere(c.Pair, name); own != "" {
			hint = ": did you mean " + own + "?"
		}
		return o, "", fmt.Errorf("--set: %s is not an option of %s%s (sledge options %s %s lists them)",
			name, c.Title(), hint, c.Database.Name, c.Workload.Name)
	}
	return o, "", fmt.Errorf("--set: %w", c.resolver.Unknown(c.Pair, name))
}

// names are what the user calls the options: what those are called that are set, and where
// any of them goes by the console's key, the keys of those that are not.
func (c *choice) names() option.Names {
	names, byKey := option.Names{}, false
	for _, o := range c.known {
		names[o.Name] = Key(c.Pair, o)
		byKey = byKey || c.called[o.Name] == names[o.Name]
	}
	if !byKey {
		clear(names)
	}
	maps.Copy(names, c.called)
	return names
}

// explain adds to an error about an option which source its value came from.
func (c *choice) explain(err error) error {
	if _, ok := errors.AsType[*engine.UsersError](err); ok {
		if e, said := strongest(c.general, keyUsers); said && e.key != "" {
			return fmt.Errorf("%w (it is from %s)", err, e.origin)
		}
	}
	if wrong, ok := errors.AsType[*option.Error](err); ok {
		if origin, said := c.origins[wrong.Option]; said {
			return fmt.Errorf("%w (it is from %s)", err, origin)
		}
	}
	return err
}
