// Package pgbench has the command line of pgbench, the load tester of PostgreSQL: its options, its built-in
// scripts, its tables, its output and its logs (PostgreSQL's manual, pgbench). Runs are those of Sledge; only this
// package and its command know that pgbench exists.
package pgbench

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"sledge/internal/option"
	"sledge/internal/workload/script/pgbench"
)

// postgreSQL is the database that has pgbench.
const postgreSQL = "postgresql"

// Arguments are the arguments of pgbench.
type Arguments struct {
	Connection
	Initialisation
	Benchmark

	Initialise bool // -i
	NoVacuum   bool
	Scale      int // 0 if it is not given

	Help, Version bool
	Show          string // the built-in script to show, or "list"; "" for none
}

// Connection says where the database is.
type Connection struct {
	Host, Port, User, Database string // "" if not given

	// Sledge's own options.
	DBMS         string   // Sledge's name of the database
	Set          []string // options of Sledge, as name=value
	Repository   string
	NoRepository bool
}

// Initialisation are the arguments for making the tables.
type Initialisation struct {
	Steps           string
	FillFactor      int
	Quiet           bool
	ForeignKeys     bool
	Unlogged        bool
	Tablespace      string
	IndexTablespace string
	PartitionMethod string
	Partitions      int
}

// Benchmark are the arguments of a run.
type Benchmark struct {
	Scripts          []Script
	Clients, Jobs    int
	Transactions     int // of each client; 0 for Duration
	Duration         int // in seconds; 0 for Transactions
	Variables        []Variable
	Protocol         pgbench.Protocol
	PerCommand       bool
	Rate             float64 // transactions a second; 0 for none
	LatencyLimit     float64 // in ms; 0 for none
	Progress         int     // in seconds; 0 for none
	Timestamps       bool
	VacuumAll        bool
	Log              bool
	LogPrefix        string
	Sampling         float64 // share of transactions to log; 0 for all
	Aggregate        int     // in seconds; 0 for none
	MaxTries         int     // 0 for no limit
	FailuresDetailed bool
	VerboseErrors    bool
	Seed             string
	ExitOnAbort      bool
	ContinueOnError  bool
	AllowUnsafe      bool
}

// Variable is a variable with the text of its value.
type Variable struct{ Name, Text string }

// Flags returns the options, for help.
func Flags() *pflag.FlagSet { return flagSet(&Arguments{}) }

// flagSet returns the flags. Scripts are added to a in the order of their options.
func flagSet(a *Arguments) *pflag.FlagSet {
	f := pflag.NewFlagSet("pgbench", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.BoolVarP(&a.Initialise, "initialize", "i", false, "make the tables, and fill them")
	f.StringVarP(&a.Steps, "init-steps", "I", "dtgvp", "steps of the initialization: drop (d), tables (t), generate by the client (g) or by the server (G), vacuum (v), primary keys (p), foreign keys (f)")
	f.IntVarP(&a.FillFactor, "fillfactor", "F", 100, "fill factor of the tables, in percent")
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "report the progress of the initialization every 5 seconds")
	f.BoolVar(&a.ForeignKeys, "foreign-keys", false, "create foreign keys between the tables")
	f.BoolVar(&a.Unlogged, "unlogged-tables", false, "create tables that are not logged")
	f.StringVar(&a.Tablespace, "tablespace", "", "tablespace of the tables")
	f.StringVar(&a.IndexTablespace, "index-tablespace", "", "tablespace of the indexes")
	f.StringVar(&a.PartitionMethod, "partition-method", "", "partition pgbench_accounts by range or hash (default range)")
	f.IntVar(&a.Partitions, "partitions", 0, "number of partitions of pgbench_accounts")

	f.VarP(&builtins{a}, "builtin", "b", "add the built-in script `NAME[@WEIGHT]`; list shows them")
	f.VarP(&files{a}, "file", "f", "add the script in `FILE[@WEIGHT]`")
	f.VarP(&fixed{&builtins{a}, "simple-update"}, "skip-some-updates", "N", "the same as --builtin simple-update")
	f.VarP(&fixed{&builtins{a}, "select-only"}, "select-only", "S", "the same as --builtin select-only")
	for _, name := range []string{"skip-some-updates", "select-only"} {
		f.Lookup(name).NoOptDefVal = "true"
	}
	f.StringVar(&a.Show, "show-script", "", "show the built-in script `NAME`, and end")

	f.IntVarP(&a.Clients, "client", "c", 1, "number of clients")
	f.IntVarP(&a.Jobs, "jobs", "j", 1, "number of threads, which the output repeats: Sledge itself decides how many it needs")
	f.IntVarP(&a.Transactions, "transactions", "t", 0, "number of transactions of each client (default 10)")
	f.IntVarP(&a.Duration, "time", "T", 0, "duration of the run, in seconds")
	f.VarP(&variables{a}, "define", "D", "define a variable of the scripts, as `NAME=VALUE`")
	f.StringVarP((*string)(&a.Protocol), "protocol", "M", string(pgbench.Simple), "how statements are sent: simple, extended or prepared")
	f.BoolVarP(&a.PerCommand, "report-per-command", "r", false, "report the mean time of each command")
	f.BoolVar(&a.PerCommand, "report-latencies", false, "the name of --report-per-command before PostgreSQL 15")
	f.Lookup("report-latencies").Hidden = true
	f.Float64VarP(&a.Rate, "rate", "R", 0, "start transactions at this rate, in transactions a second")
	f.Float64VarP(&a.LatencyLimit, "latency-limit", "L", 0, "count transactions that take longer, in milliseconds; with --rate, skip those that are later than that")
	f.IntVarP(&a.Progress, "progress", "P", 0, "report the progress every so many seconds")
	f.BoolVar(&a.Timestamps, "progress-timestamp", false, "progress has the time as seconds since 1970")
	f.BoolVarP(&a.NoVacuum, "no-vacuum", "n", false, "vacuum no tables")
	f.BoolVarP(&a.VacuumAll, "vacuum-all", "v", false, "vacuum pgbench_accounts too before the run")
	f.IntVarP(&a.Scale, "scale", "s", 0, "scale factor (default 1; a run with built-in scripts reads it from the tables)")
	f.BoolVarP(&a.Log, "log", "l", false, "write every transaction to a log file")
	f.StringVar(&a.LogPrefix, "log-prefix", "pgbench_log", "beginning of the name of the log file")
	f.Float64Var(&a.Sampling, "sampling-rate", 0, "share of the transactions to log, such as 0.01")
	f.IntVar(&a.Aggregate, "aggregate-interval", 0, "log sums of so many seconds instead of transactions")
	f.IntVar(&a.MaxTries, "max-tries", 1, "how often a transaction is tried after deadlocks and serialization failures; 0 sets no limit")
	f.BoolVar(&a.FailuresDetailed, "failures-detailed", false, "report failures by their kind")
	f.BoolVar(&a.VerboseErrors, "verbose-errors", false, "print every error")
	f.StringVar(&a.Seed, "random-seed", "", "seed of the random numbers: a whole number, time or rand (default time)")
	f.BoolVar(&a.ExitOnAbort, "exit-on-abort", false, "end the run when a client is aborted")
	f.BoolVar(&a.ContinueOnError, "continue-on-error", false, "go on with the next transaction after an error")
	f.BoolP("connect", "C", false, "connect again for every transaction: Sledge cannot do that")
	f.BoolP("debug", "d", false, "has no effect")

	f.StringVarP(&a.Host, "host", "h", "", "host of the server, or the folder of its socket (default $PGHOST)")
	f.StringVarP(&a.Port, "port", "p", "", "port of the server (default $PGPORT)")
	f.StringVarP(&a.User, "username", "U", "", "user (default $PGUSER, or the name of the system's user)")
	f.BoolVarP(&a.Version, "version", "V", false, "print the version, and end")
	f.BoolVarP(&a.Help, "help", "?", false, "print this help, and end")

	f.BoolVar(&a.AllowUnsafe, "allow-unsafe", false, "let scripts run programs, with \\shell and \\setshell")
	f.StringVar(&a.DBMS, "db", postgreSQL, "another database: mysql, mariadb, sqlite")
	f.StringArrayVar(&a.Set, "set", nil, "set an option of Sledge, as `NAME=VALUE`")
	f.StringVar(&a.Repository, "repo", "", "job repository of Sledge")
	f.BoolVar(&a.NoRepository, "no-repo", false, "do not record the run")
	return f
}

// Read reads arguments. On PostgreSQL, parts of the connection that are not given are those of libpq's variables.
func Read(args []string, variable func(string) string) (a Arguments, err error) {
	f := flagSet(&a)
	if err := f.Parse(args); err != nil {
		return a, explain(f, err)
	}
	rest := f.Args()
	if len(rest) > 1 {
		return a, fmt.Errorf("too many arguments: %q comes after the database %q", rest[1], rest[0])
	}
	a.Database = first(rest...)
	if a.DBMS == postgreSQL {
		a.User = first(a.User, variable("PGUSER"), variable("USER"), variable("LOGNAME"))
		if system, err := user.Current(); a.User == "" && err == nil {
			a.User = system.Username
		}
		a.Host, a.Port = first(a.Host, variable("PGHOST")), first(a.Port, variable("PGPORT"))
		a.Database = first(a.Database, variable("PGDATABASE"), a.User)
	}
	return a, a.check(f.Changed)
}

// explain rewrites an error about an option.
func explain(f *pflag.FlagSet, err error) error {
	if wrong, is := errors.AsType[*pflag.InvalidValueError](err); is {
		why := wrong.Unwrap()
		if _, is := errors.AsType[*strconv.NumError](why); is || strings.Contains(why.Error(), "strconv") {
			why = errors.New("it must be a number")
		}
		return fmt.Errorf("--%s %s: %w", wrong.GetFlag().Name, wrong.GetValue(), why)
	}
	unknown, is := errors.AsType[*pflag.NotExistError](err)
	if !is {
		return err
	}
	var names []string
	f.VisitAll(func(one *pflag.Flag) { names = append(names, one.Name) })
	return fmt.Errorf("%w%s (pgbench --help lists the options)", err, option.Suggest(unknown.GetSpecifiedName(), names))
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// onlyToInitialise and onlyToRun are the options that only one of both accepts.
var (
	onlyToInitialise = []string{"init-steps", "fillfactor", "quiet", "foreign-keys", "unlogged-tables", "tablespace", "index-tablespace", "partition-method", "partitions"}
	onlyToRun        = []string{
		"builtin", "file", "skip-some-updates", "select-only", "client", "jobs", "transactions", "time", "define", "protocol",
		"report-per-command", "report-latencies", "rate", "latency-limit", "progress", "progress-timestamp", "vacuum-all", "log", "log-prefix", "sampling-rate",
		"aggregate-interval", "max-tries", "failures-detailed", "verbose-errors", "random-seed", "exit-on-abort", "continue-on-error", "connect", "allow-unsafe",
	}
)

// check checks the arguments and sets their defaults. given reports whether an option was given.
func (a *Arguments) check(given func(string) bool) error {
	if a.Help || a.Version || a.Show != "" {
		return nil
	}
	refused, mode := onlyToInitialise, "in a run: add --initialize, or leave it out"
	if a.Initialise {
		refused, mode = onlyToRun, "with --initialize: leave out one of them"
	}
	for _, name := range refused {
		if given(name) {
			return fmt.Errorf("--%s cannot be used %s", name, mode)
		}
	}
	between := func(name string, value, least, most int) error {
		if given(name) && (value < least || value > most) {
			return fmt.Errorf("--%s %d: it must be between %d and %d", name, value, least, most)
		}
		return nil
	}
	const many = 1 << 30
	positive := func(name string, value float64) error {
		if given(name) && !(value > 0) {
			return fmt.Errorf("--%s %g: it must be more than 0", name, value)
		}
		return nil
	}
	if err := errors.Join(
		between("scale", a.Scale, 1, 1_000_000), between("fillfactor", a.FillFactor, 10, 100), between("partitions", a.Partitions, 0, many),
		between("client", a.Clients, 1, 100_000), between("jobs", a.Jobs, 1, many), between("transactions", a.Transactions, 1, many),
		between("time", a.Duration, 1, 31_536_000), between("progress", a.Progress, 1, many), between("aggregate-interval", a.Aggregate, 1, many),
		between("max-tries", a.MaxTries, 0, 1001),
		positive("rate", a.Rate), positive("latency-limit", a.LatencyLimit), positive("sampling-rate", a.Sampling),
	); err != nil {
		return err
	}
	if a.Initialise {
		return a.checkInitialisation(given)
	}
	return a.checkBenchmark(given)
}

func (a *Arguments) checkInitialisation(given func(string) bool) error {
	a.Scale = max(a.Scale, 1)
	for _, step := range a.Steps {
		if !strings.ContainsRune("dtgGvpf ", step) {
			return fmt.Errorf("--init-steps %s: there is no step %q: write letters of dtgGvpf", a.Steps, step)
		}
	}
	if a.NoVacuum {
		a.Steps = strings.ReplaceAll(a.Steps, "v", "")
	}
	if a.ForeignKeys && !strings.Contains(a.Steps, "f") {
		a.Steps += "f"
	}
	switch {
	case a.PartitionMethod != "" && a.PartitionMethod != "range" && a.PartitionMethod != "hash":
		return fmt.Errorf("--partition-method %s: it must be range or hash", a.PartitionMethod)
	case a.PartitionMethod != "" && a.Partitions == 0:
		return fmt.Errorf("--partition-method %s needs --partitions", a.PartitionMethod)
	}
	if a.Partitions > 0 {
		a.PartitionMethod = first(a.PartitionMethod, "range")
	}
	return nil
}

func (a *Arguments) checkBenchmark(given func(string) bool) error {
	switch {
	case a.Transactions > 0 && a.Duration > 0:
		return errors.New("specify either a number of transactions (-t) or a duration (-T), not both")
	case given("connect"):
		return errors.New("--connect: Sledge cannot connect again for every transaction")
	case !slices.Contains(pgbench.Protocols, a.Protocol):
		return fmt.Errorf("--protocol %s: it must be simple, extended or prepared", a.Protocol)
	case a.MaxTries == 0 && a.Duration == 0 && a.LatencyLimit == 0:
		return errors.New("--max-tries 0 needs --time or --latency-limit, so that the tries end")
	case given("sampling-rate") && !a.Log:
		return errors.New("--sampling-rate needs --log")
	case a.Sampling > 1:
		return fmt.Errorf("--sampling-rate %g: it cannot be more than 1", a.Sampling)
	case given("aggregate-interval") && !a.Log:
		return errors.New("--aggregate-interval needs --log")
	case given("log-prefix") && !a.Log:
		return errors.New("--log-prefix needs --log")
	case a.Aggregate > 0 && a.Sampling > 0:
		return errors.New("--sampling-rate and --aggregate-interval cannot be used together")
	case a.Timestamps && a.Progress == 0:
		return errors.New("--progress-timestamp needs --progress")
	case a.ExitOnAbort && a.ContinueOnError:
		return errors.New("--exit-on-abort and --continue-on-error cannot be used together")
	case a.Duration > 0 && a.Aggregate > a.Duration:
		return fmt.Errorf("--aggregate-interval %d is longer than the run of %d seconds", a.Aggregate, a.Duration)
	}
	if a.Transactions == 0 && a.Duration == 0 {
		a.Transactions = 10
	}
	if len(a.Scripts) == 0 {
		if err := (&builtins{a}).Set("tpcb-like"); err != nil {
			return err
		}
	}
	sum := 0
	for _, s := range a.Scripts {
		sum += s.Weight
	}
	if sum == 0 {
		return errors.New("all scripts have the weight 0: give one a positive weight")
	}
	return a.checkSeed()
}

// checkSeed checks the seed.
func (a *Arguments) checkSeed() error {
	switch a.Seed {
	case "", "time", "rand":
		return nil
	}
	if _, err := strconv.ParseUint(a.Seed, 10, 64); err != nil {
		return fmt.Errorf("--random-seed %s: it must be a whole number, time or rand", a.Seed)
	}
	return nil
}

// variables is the option that defines variables.
type variables struct{ *Arguments }

func (v *variables) String() string { return "" }
func (v *variables) Type() string   { return "NAME=VALUE" }
func (v *variables) Set(text string) error {
	name, value, is := strings.Cut(text, "=")
	if !is || name == "" {
		return errors.New("write NAME=VALUE")
	}
	v.Variables = append(v.Variables, Variable{name, value})
	return nil
}

// fixed is an option without a value that stands for a built-in script.
type fixed struct {
	*builtins
	name string
}

func (v *fixed) Type() string     { return "bool" }
func (v *fixed) Set(string) error { return v.builtins.Set(v.name) }

// files is the option that adds a script of a file.
type files struct{ *Arguments }

func (v *files) String() string { return "" }
func (v *files) Type() string   { return "FILE" }
func (v *files) Set(text string) error {
	name, weight, err := weighted(text)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	v.Scripts = append(v.Scripts, Script{Name: name, Title: name, Text: string(content), Weight: weight})
	return nil
}

// weighted divides NAME@WEIGHT; the weight is 1 if it is missing.
func weighted(text string) (name string, weight int, err error) {
	at := strings.LastIndex(text, "@")
	if at < 0 {
		return text, 1, nil
	}
	if weight, err = strconv.Atoi(text[at+1:]); err != nil || weight < 0 {
		return "", 0, fmt.Errorf("%q is not a weight: write a whole number that is not negative", text[at+1:])
	}
	return text[:at], weight, nil
}
