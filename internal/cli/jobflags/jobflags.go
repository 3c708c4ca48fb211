// Package jobflags contains the flags of the commands that start jobs, their completions, and what
// these commands have in common: asking for passwords, performing a job, and printing its result.
package jobflags

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/metrics"
	"sledge/internal/settings"
)

// Flags are the flags that the commands build, run, check and delete share.
type Flags struct {
	Config       string
	Connection   string
	URL          string
	Plain        map[string]string // by flag; package settings interprets them
	Set          []string
	Overrides    []settings.Override // what is different in the second of two set-ups, or in a cell of an experiment
	labels       []string
	note         string
	AskPassword  bool
	AskSuperuser bool
	Secrets      map[string]string // as the user typed them
	dryRun       bool
	as           string   // the form in which to print the settings
	Resume       bool     // whether to continue an interrupted build
	Beside       []string // groups of users beside those of the run

	Repository   string
	noRepository bool
	JSON         bool
	details      bool
	Verbose      bool
	Interval     Seconds

	JUnit string    // file for the verdict of runs
	Ended []job.Job // runs, in order

	// Interrupted says that the user pressed Ctrl-C during a job. The job may have succeeded nevertheless, if
	// its measurement was over.
	Interrupted bool

	Metrics *metrics.Registry // gets the metrics of runs; nil if they are not exported

	HammerDB bool   // print the lines of HammerDB's virtual users
	Title    string // such as "run 2 of 5"; "" for a single run

	Demo bool // whether the job is part of the demo, whose user gave no settings

	Runner job.Runner // performs the job; nil for the program's own

	// Brief prints only problems, because the run is one of several.
	Brief bool
}

// Seconds is a flag for a time: a number of seconds, or a number with a unit. Examples are 5, 0.5,
// 90s and 1m.
type Seconds time.Duration

// String implements pflag.Value: it is empty, so that help shows no default.
func (s *Seconds) String() string { return "" }

// Type implements pflag.Value.
func (s *Seconds) Type() string { return "seconds" }

// Set implements pflag.Value.
func (s *Seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	if n, isNumber := strconv.ParseFloat(text, 64); isNumber == nil {
		const most = 1e6 // 11 days; the comparison also refuses NaN and infinity
		if !(n >= 0 && n <= most) {
			return fmt.Errorf("%s seconds is not between 0 and a million", text)
		}
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil || d < 0 {
		return fmt.Errorf("%q is neither a number of seconds nor a time such as 90s or 1m", text)
	}
	*s = Seconds(d)
	return nil
}

// ineffective lists pairs of flags, with the reason why the second has no effect if the first is
// given.
var ineffective = [][3]string{
	{"no-repo", "profile", "the runs of a profile are found in the repository"},
	{"json", "details", "the document always has everything"},
	{"as", "dry-run", "--as also prints the settings and does nothing else"},
	{"as", "against", "--as prints the settings of one set-up"},
	{"as", "json", "--as chooses the form of the output"},
}

// refuseIneffective returns an error for a flag that has no effect because of another flag.
func refuseIneffective(c *cobra.Command) error {
	given := c.Flags().Changed
	for _, pair := range ineffective {
		if given(pair[0]) && given(pair[1]) {
			return program.Usage("--%s has no effect with --%s: %s. Leave one out", pair[1], pair[0], pair[2])
		}
	}
	if given("no-repo") && given("repo") && !given("connection") { // --connection reads a connection beside the repository
		return program.Usage("--repo has no effect with --no-repo: nothing is recorded. Leave one out")
	}
	return nil
}

// RefuseIneffectiveIn returns an error for a flag that has no effect in these runs.
func (s *Flags) RefuseIneffectiveIn(orders []settings.Order, profile int) error {
	test := orders[0].Plan.Pacing.Test
	switch several := len(orders) > 1; {
	case test && s.Interval > 0:
		return program.Usage("--interval has no effect in a test, which measures nothing: leave it out")
	case test && profile > 0:
		return program.Usage("--profile has no effect in a test, which measures nothing: leave it out")
	case several && s.details && !s.Verbose:
		return program.Usage("--details has no effect with several runs, because each run prints one line: add --verbose to print each result, or leave --details out")
	case several && s.HammerDB && s.Brief:
		return program.Usage("--hammerdb has no effect with several runs, because each run prints one line: add --verbose, or leave --hammerdb out")
	}
	return nil
}

// JUnitPath returns the file for the verdict of runs, or "" if no run will be performed.
func (s *Flags) JUnitPath() string {
	if !s.Performs() {
		return ""
	}
	return s.JUnit
}

// Performs reports whether a job will be performed, and not only its settings shown.
func (s *Flags) Performs() bool { return !s.dryRun && s.as == "" }

// AddTo adds the flags that apply to an action to its command. own adds the command's own flags.
func (s *Flags) AddTo(c *cobra.Command, p *program.Program, action job.Action, own func(*pflag.FlagSet)) {
	s.Plain = map[string]string{}
	c.PreRunE = func(c *cobra.Command, _ []string) error { return refuseIneffective(c) }
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(NewPlainFlag("db", "name", s.Plain), "db", "database: "+strings.Join(DatabaseNames(p.Resolver), ", "))
	flags.Var(NewPlainFlag("workload", "name", s.Plain), "workload", "workload: "+strings.Join(WorkloadNames(p.Resolver), ", ")+" (default "+p.Resolver.DefaultWorkload().Name+")")
	own(flags)
	if action == job.Build || action == job.Run {
		flags.Var(NewPlainFlag("seed", "number", s.Plain), "seed", "seed of the random numbers: the same seed gives the same data and the same transactions (default 1)")
	}
	s.AddSources(flags)
	flags.BoolVar(&s.dryRun, "dry-run", false, "print each setting with its source, and do nothing")
	flags.StringVar(&s.as, "as", "", FormHelp())
	flags.BoolVar(&s.JSON, "json", false, "print the result as one JSON document")
	flags.BoolVar(&s.details, "details", false, "print the whole result: each check, service times, failures by class, the network")
	flags.BoolVar(&s.HammerDB, "hammerdb", false, "print HammerDB's lines, for scripts that parse them")
	flags.BoolVar(&s.Verbose, "verbose", false, "print the output of every virtual user, and every sample of a failure")
	flags.StringArrayVar(&s.labels, "label", nil, "label the job with `name=value`; repeat as needed (sledge jobs list --label finds it)")
	flags.StringVar(&s.note, "note", "", "record a `text` with the job, such as its purpose")
	flags.StringVar(&s.Repository, "repo", "", "`file` of the job repository")
	flags.BoolVar(&s.noRepository, "no-repo", false, "do not record the job")
	s.AddPlainFlags(flags, p.Resolver, func(f settings.Flag) bool { return f.MeansSomethingTo(action) })
	program.PutInSection(flags, program.SectionMain, "db", "workload", "users", "beside", "resume", "yes")
	program.PutInSection(flags, program.SectionSettings, "config", "url", "connection", "set", "seed", "ask-password", "ask-superuser-password", "dry-run", "as")
	program.PutInSection(flags, program.SectionOutput, "json", "details", "hammerdb", "verbose", "interval", "junit", "metrics", "otlp")
	program.PutInSection(flags, program.SectionRecord, "profile", "label", "note", "repo", "no-repo")
	CompleteSettings(p, c, s)
}

// AddPlainFlags adds the plain flags of all databases and workloads for which wanted returns true.
func (s *Flags) AddPlainFlags(flags *pflag.FlagSet, b settings.Resolver, wanted func(settings.Flag) bool) {
	for _, f := range b.Flags() {
		if !wanted(f) {
			continue
		}
		help := f.Help
		if len(f.Choices) > 0 {
			help += ": " + strings.Join(f.Choices, ", ")
		}
		if options := unlike(f); options != "" {
			help += " (" + options + ")"
		}
		var value pflag.Value = NewPlainFlag(f.Name, kindName(f.Kind), s.Plain)
		if f.List {
			value, help = listFlag{NewPlainFlag(f.Name, kindName(f.Kind), s.Plain)}, help+"; repeat as needed"
		}
		flag := flags.VarPF(value, f.Name, "", help)
		flag.DefValue = f.Default // shown by help; package settings applies it
		if f.Kind == "bool" {
			flag.NoOptDefVal = "true"
		}
		title := f.Group
		if f.Main {
			title = program.SectionMain
		}
		flag.Annotations = map[string][]string{program.Section: {title}}
	}
}

// unlike lists the options that a flag sets, or returns "" if all of them have the flag's name.
func unlike(f settings.Flag) string {
	own := strings.ReplaceAll(f.Name, "-", "_")
	for _, name := range f.Options {
		if name != own && name+"_file" != own {
			return "option " + strings.Join(f.Options, " or ")
		}
	}
	return ""
}

// kindName returns the type of a flag's value for help.
func kindName(kind string) string {
	switch kind {
	case "string":
		return "text"
	case "int", "float64":
		return "number"
	}
	return kind
}

// PlainFlag is a flag whose value package settings checks, so that a bad value gives the same
// error from every source. A flag that was not given has no entry in values.
type PlainFlag struct {
	name   string
	kind   string
	values map[string]string
}

// NewPlainFlag returns a flag that puts its value into values. The kind of value is shown by --help.
func NewPlainFlag(name, kind string, values map[string]string) PlainFlag {
	return PlainFlag{name, kind, values}
}

// String implements pflag.Value: it is empty, so that help shows no default.
func (f PlainFlag) String() string { return "" }

// Type implements pflag.Value.
func (f PlainFlag) Type() string { return f.kind }

// Set implements pflag.Value. It accepts every text.
func (f PlainFlag) Set(text string) error { f.values[f.name] = text; return nil }

// listFlag is a plain flag that can be repeated; its values are joined by commas.
type listFlag struct{ PlainFlag }

func (f listFlag) Set(text string) error {
	if before, again := f.values[f.name]; again {
		text = before + "," + text
	}
	return f.PlainFlag.Set(text)
}

// Sources returns the sources of a job's settings.
func (s *Flags) Sources(p *program.Program) settings.Sources {
	config := s.Config
	if config == "" {
		config = p.Environment(settings.EnvConfig)
	}
	return settings.Sources{
		ConfigFile:  config,
		Environ:     p.Environ,
		URL:         s.URL,
		Flags:       s.flags(),
		Connections: ConnectionsFor(p, s.Repository),
		Set:         s.Set,
		Overrides:   s.Overrides,
		Labels:      s.labels,
		Note:        s.note,
		Beside:      s.Beside,
		Resume:      s.Resume,
		Secrets:     maps.Clone(s.Secrets),
		System:      p.System,
	}
}

// AddConnection adds the flag that names a saved connection.
func (s *Flags) AddConnection(flags *pflag.FlagSet) {
	flags.StringVar(&s.Connection, "connection", "", "`name` of a saved connection (sledge connections list shows them); other flags win over its settings")
}

// flags returns the flags that package settings interprets.
func (s *Flags) flags() map[string]string {
	all := maps.Clone(s.Plain)
	if s.Connection != "" {
		if all == nil {
			all = map[string]string{}
		}
		all["connection"] = s.Connection
	}
	return all
}

// With resolves the settings of a job and passes them to body, or prints them for --as and
// --dry-run.
func (s *Flags) With(ctx context.Context, p *program.Program, action job.Action, body func(settings.Order) error) error {
	order, err := s.Resolve(p, action)
	if err != nil {
		return err
	}
	if err := order.RefuseElsewhere(); err != nil {
		return err
	}
	if s.as != "" {
		return WriteForm(p, order, s.as)
	}
	if s.dryRun {
		return showSettings(p, order, s)
	}
	if order, err = s.SignIn(ctx, p, order, settings.RefusalOf); err != nil {
		return err
	}
	return body(order)
}

// Resolve resolves the settings of a job. It asks for passwords only after it has found all other
// settings valid.
func (s *Flags) Resolve(p *program.Program, action job.Action) (settings.Order, error) {
	order, err := p.Resolver.Resolve(action, s.Sources(p))
	if err != nil {
		return order, err
	}
	if s.AskPassword || s.AskSuperuser {
		if s.Secrets, err = s.AskSecrets(p); err != nil {
			return order, err
		}
		if order, err = p.Resolver.Resolve(action, s.Sources(p)); err != nil {
			return order, err
		}
	}
	for _, warning := range order.Warnings {
		fmt.Fprintf(p.Stderr, "sledge: warning: %s\n", warning)
	}
	return order, nil
}

// AskSecrets asks for the passwords of --ask-password and --ask-superuser-password, and returns
// them by the names of their settings. It returns an error if there is no terminal, or if a file is
// given for the same password.
func (s *Flags) AskSecrets(p *program.Program) (map[string]string, error) {
	secrets := map[string]string{}
	for _, ask := range []struct {
		wanted       bool
		name, prompt string
	}{
		{s.AskPassword, settings.Password, "Password: "},
		{s.AskSuperuser, settings.SuperuserPassword, "Superuser's password: "},
	} {
		if !ask.wanted {
			continue
		}
		if !p.StdinIsTerminal {
			return nil, program.Usage("--ask-%s needs a terminal: use --%s-file instead", ask.name, ask.name)
		}
		if _, both := s.Plain[ask.name+"-file"]; both {
			return nil, program.Usage("--ask-%s and --%s-file exclude each other: leave one out", ask.name, ask.name)
		}
		var err error
		if secrets[ask.name], err = AskPassword(p, ask.prompt); err != nil {
			return nil, err
		}
	}
	return secrets, nil
}

// AskPassword asks for a password on the terminal.
func AskPassword(p *program.Program, prompt string) (string, error) {
	fmt.Fprint(p.Stderr, prompt)
	secret, err := p.Ask(p.ReadPassword)
	fmt.Fprintln(p.Stderr)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return secret, nil
}

// DatabaseNames returns the name of every database.
func DatabaseNames(b settings.Resolver) (names []string) {
	for _, d := range b.Databases {
		names = append(names, d.Name)
	}
	return names
}

// WorkloadNames returns the name of every workload.
func WorkloadNames(b settings.Resolver) (names []string) {
	for _, w := range b.Workloads {
		names = append(names, w.Name)
	}
	return names
}
