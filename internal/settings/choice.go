package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/pool"
	"sledge/internal/option"
)

// judgeIdle refuses the first option without effect that was set for this job only: on the command
// line, or in a request. It warns about options without effect from a file or the environment. It
// ignores options of other actions, because a file may contain the settings of all actions.
func (c *choice) judgeIdle(idle []option.Idle, s Sources) (warnings []string, err error) {
	names := c.names()
	for _, i := range idle {
		origin := c.origins[i.Option]
		switch {
		case i.Elsewhere:
		case onCommandLine(origin), s.Asked && origin == s.GivenBy, slices.ContainsFunc(s.Overrides, func(one Override) bool { return one.Origin == origin }):
			return nil, i.Refusal(names)
		default:
			warnings = append(warnings, fmt.Sprintf("%s (it is from %s)", i.Warning(names), origin))
		}
	}
	return warnings, nil
}

// choice collects the option values for one database and workload, weakest source first.
type choice struct {
	catalog.Pair
	resolver Resolver
	known    []option.Description
	values   option.Values
	called   option.Names // the name of an option in the source that set it
	origins  map[string]string
	general  []source // all sources, for the settings that are not options

	strength  int            // of the current source; a stronger source has a greater number
	strengths map[string]int // strength of the source that set each option
	fallback  map[string]string

	leading  string   // "SOURCE sets NAME", if a guarded source sets a connection option that may lead to another server
	warnings []string // warnings, a line each, about passwords that were not used or can be read by others
}

// namedSource is a source whose settings have names. guarded means that its sender may use the
// passwords of weaker sources, but must not learn them.
type namedSource struct {
	source
	guarded bool
}

// takeAll takes the options of all sources.
func (c *choice) takeAll(named []namedSource, u *url.URL, s Sources, last overriding) error {
	for _, p := range named {
		c.strength++
		if p.guarded {
			if err := c.guard(p.source); err != nil {
				return err
			}
		}
		if err := c.takeSource(p.source); err != nil {
			return err
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
	set, err := ParseOverrides("--set", s.Set)
	if err != nil {
		return err
	}
	if err := c.takeSet(set); err != nil {
		return err
	}
	c.strength++
	if err := c.takeSource(last.connection); err != nil {
		return err
	}
	c.strength++
	if err := c.takeSet(last.options); err != nil {
		return err
	}
	c.settleAlternatives()
	return c.takeImplied()
}

// onWindows is whether options for Windows apply; tests set it.
var onWindows = runtime.GOOS == "windows"

// takeImplied sets the options that the given options imply.
func (c *choice) takeImplied() error {
	if c.Database.Options.Implied == nil {
		return nil
	}
	implied, err := c.Database.Options.Implied(c.values.Clone(), c.names())
	for name, text := range implied {
		c.take(name, text, "other options that were given", "")
	}
	return c.explain(err)
}

// settleAlternatives settles options that replace each other: the option from the stronger source
// wins, such as a port on the command line over a socket in the configuration file. On Windows, an
// option for Windows takes the value of the option that it replaces, if that one has a stronger
// source.
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

// meansSomething reports whether a value is neither empty nor null.
func meansSomething(text string) bool { return text != "" && text != "null" }

// drop removes the value that a source gave for an option.
func (c *choice) drop(name string) {
	delete(c.values, name)
	delete(c.origins, name)
	delete(c.called, name)
}

// replaced reports whether another option replaces an option's current value.
func (c *choice) replaced(name string) bool {
	return slices.ContainsFunc(c.known, func(o option.Description) bool {
		return slices.Contains(o.Instead, name) && meansSomething(c.values[o.Name])
	})
}

// guard drops the passwords of weaker sources if the source leads to another server than they do.
// Otherwise a user who may start jobs could send our passwords to their own server.
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
	c.warnings = append(c.warnings, fmt.Sprintf("option %s: the password from %s is not used, because %s, which may lead to another server: give the password too", o.Name, origin, c.leading))
}

// takeClientSettings takes the settings of the database's own clients, for options that no other
// source sets.
func (c *choice) takeClientSettings(s Sources) (warnings []string, err error) {
	if c.Database.Options.Client == nil {
		return nil, nil
	}
	from := database.Surroundings{System: s.System, Variable: func(name string) string { return Variable(s.Environ, name) }}
	found, warnings, err := c.Database.Options.Client(from, c.Workload.Use, c.values.Clone())
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

// unsetSecrets returns the secrets that no source has set.
func (c *choice) unsetSecrets() (list []option.Description) {
	for _, o := range c.known {
		if _, said := c.origins[o.Name]; o.Secret && !said {
			list = append(list, o)
		}
	}
	return list
}

// take sets an option. called is its name in the source; "" if the source does not name options.
// The new value replaces everything about the old one.
func (c *choice) take(name, text, origin, called string) {
	c.values[name] = text
	c.origins[name] = origin
	c.strengths[name] = c.strength
	delete(c.called, name)
	if called != "" {
		c.called[name] = called
	}
}

// takeSource takes all options of a source.
func (c *choice) takeSource(p source) error {
	for _, o := range c.known {
		if err := c.takeFrom(p, o); err != nil {
			return err
		}
	}
	return nil
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

// warnIfExposed warns if others can read a file that contains only a password. The file is used
// nevertheless, because secrets of containers often have such modes.
func (c *choice) warnIfExposed(path string) {
	if warning := exposed(path); warning != "" {
		c.warnings = append(c.warnings, warning)
	}
}

func (c *choice) takeURL(u *url.URL) error {
	if u == nil {
		return nil
	}
	if c.Database.Options.FromURL == nil {
		return fmt.Errorf("--url: %s has no URLs: use its options", c.Database.Title)
	}
	values, err := c.Database.Options.FromURL(u)
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

// withoutPassword removes the password from an error about a URL.
func withoutPassword(err error, u *url.URL) error {
	password, ok := u.User.Password()
	if !ok || password == "" || !strings.Contains(err.Error(), password) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), password, "***"))
}

// takeFlags takes the plain flags. It refuses a flag for which the pair has no option, which would
// have no effect.
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
			secret, err := ReadSecret(text)
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

// takeSecrets takes the passwords that were typed at a prompt.
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

// takeSet takes options by their names, which must be options of the chosen database and workload. If
// two set the same option, even by different names, the later one wins.
func (c *choice) takeSet(list []Override) error {
	set := map[string]source{} // by option
	for _, one := range list {
		o, called, err := c.named(one.Name)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Origin, err)
		}
		if set[o.Name] == nil {
			set[o.Name] = source{}
		}
		for other := range set[o.Name] {
			if other != called && other != called+secretFile {
				delete(set[o.Name], other)
			}
		}
		set[o.Name][one.Name] = entry{text: one.Value, origin: one.Origin}
	}
	for _, o := range c.known {
		if err := c.takeFrom(set[o.Name], o); err != nil {
			return err
		}
	}
	return nil
}

// named returns the option that the name of an override means, and the name, without "_file" if it names
// the file of a secret.
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
		return o, "", fmt.Errorf("%s is not an option of %s%s (sledge options %s %s lists them)",
			name, c.Title(), hint, c.Database.Name, c.Workload.Name)
	}
	return o, "", c.resolver.Unknown(c.Pair, name)
}

// names returns the user's names of options: for an option that is set, the name that was used; for
// others the console's keys, if any option was set by a key.
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

// explain adds the source of an option's value to an error about it.
func (c *choice) explain(err error) error {
	if _, ok := errors.AsType[*plan.UsersError](err); ok {
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
