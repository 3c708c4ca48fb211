// Package document has the shapes of all JSON documents that commands print, but those in
// the shapes of another program. Each names its shape in its member "schema", whose number
// changes when a program that reads one shape could misread the other; new members alone do
// not change it. docs/json has a JSON Schema of each, made from these types.
package document

import (
	"errors"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/settings"
)

// The names of the shapes; report has those of a job, of an export and of a profile.
const (
	JobsSchema     = "sledge-jobs-1"
	ProfilesSchema = "sledge-profiles-1"
	TimingSchema   = "sledge-timing-1"
	TPMSchema      = "sledge-tpm-1"
	WatchSchema    = "sledge-watch-1"
	ImportSchema   = "sledge-import-1"
	BestSchema     = "sledge-best-1"
	DeletedSchema  = "sledge-deleted-1"
	CatalogSchema  = "sledge-catalog-1"
	OptionsSchema  = "sledge-options-2"
	SettingsSchema = "sledge-settings-2"
	VersionSchema  = "sledge-version-1"
	DefaultsSchema = "sledge-defaults-1"

	ConnectionsSchema = "sledge-connections-1"
	TrialSchema       = "sledge-trial-1"

	ErrorSchema = "sledge-error-1"
)

// Export is all that the repository knows of a job.
type Export struct {
	report.ExportHead
	Seconds []report.Second `json:"seconds"`
}

// Jobs is a list of jobs, the newest first, without what only one job's own document
// has room for.
type Jobs struct {
	Schema string            `json:"schema"` // always JobsSchema
	Jobs   []report.Document `json:"jobs"`
}

// Best lists the best run of each sort: of a workload on a database, with an amount of data.
type Best struct {
	Schema string           `json:"schema"` // always BestSchema
	Best   []report.BestRun `json:"best"`

	// TooShort is how many runs are left out because they were measured for less than a minute.
	TooShort int `json:"too_short,omitempty"`
}

// Profiles is a list of the performance profiles.
type Profiles struct {
	Schema   string        `json:"schema"` // always ProfilesSchema
	Profiles []ProfileHead `json:"profiles"`
}

// ProfileHead is a performance profile as a list shows it.
type ProfileHead struct {
	Profile  int       `json:"profile"`
	Runs     int       `json:"runs"`
	Database string    `json:"database"`
	Begun    time.Time `json:"begun"`
	BestNOPM float64   `json:"best_nopm,omitempty"` // of the runs that succeeded
	Users    int       `json:"best_users,omitempty"`
}

// Timing is how long the transactions of a job took.
type Timing struct {
	Schema       string               `json:"schema"` // always TimingSchema
	ID           job.ID               `json:"id"`
	Phase        job.Phase            `json:"phase,omitempty"` // missing where it is not known
	Elapsed      float64              `json:"elapsed_seconds"`
	Transactions []report.Transaction `json:"transactions"`
	All          *report.Transaction  `json:"all,omitempty"`

	// Users is what each virtual user measured, and Seconds what was measured in each
	// second; where they were asked for.
	Users   []UserTiming    `json:"users,omitempty"`
	Seconds []report.Second `json:"seconds,omitempty"`

	// Recorded is what another program recorded of its job, where it keeps no histograms.
	Recorded []job.Timing `json:"recorded,omitempty"`
}

// UserTiming is how long the transactions of a virtual user took: each figure is within 1 %
// of the exact one, or a microsecond.
type UserTiming struct {
	User         int                  `json:"user"` // its position; the first is 2
	Elapsed      float64              `json:"elapsed_seconds"`
	Transactions []report.Transaction `json:"transactions"`
	All          *report.Transaction  `json:"all"`
}

// TPM is transactions a minute over the time of a run.
type TPM struct {
	Schema string     `json:"schema"` // always TPMSchema
	ID     job.ID     `json:"id"`
	Points []job.Rate `json:"points"`

	// Series are what observers read beside the run. If a series has more samples than were asked for,
	// each stretch of time keeps the least and the greatest.
	Series []job.Sampled `json:"series,omitempty"`
}

// Watch is a reading of a server while its own count of transactions is watched.
type Watch struct {
	Schema string    `json:"schema"` // always WatchSchema
	At     time.Time `json:"at"`

	// Event is "begun" for the first reading and "back" for the first after the server
	// was away, which have no rate; "reading" for each other one; "away" when the
	// server no longer answers, and "ended" for the last line, which has the summary.
	Event string `json:"event"`

	Database string `json:"database"`
	Target   string `json:"target"` // where the server is, and which database was named

	AllDatabases bool `json:"all_databases"` // whether those of the whole server are counted

	// The time since the previous reading, the transactions that the server counted in it, from all
	// clients, and their rate. They are missing if there is no rate.
	Elapsed      float64  `json:"elapsed_seconds,omitempty"`
	Transactions *int64   `json:"transactions,omitempty"`
	Rate         *float64 `json:"rate,omitempty"`
	RateIs       string   `json:"rate_is"`       // "transactions a minute"; of workloads of queries, "queries an hour"
	TPM          *float64 `json:"tpm,omitempty"` // the rate, where it is of transactions a minute

	// Probed is what the workload's own count on the server says, such as that of new
	// orders; it is missing where the schema is not there.
	Probed *Probed `json:"probed,omitempty"`

	Error   string        `json:"error,omitempty"` // why the server is away
	Summary *WatchSummary `json:"summary,omitempty"`
}

// Probed is how far a workload's own count on the server has moved.
type Probed struct {
	What    string  `json:"what"` // is counted, as "new order"
	Count   int64   `json:"count"`
	Elapsed float64 `json:"elapsed_seconds"` // between the two readings of it
	Rate    float64 `json:"per_minute"`
}

// WatchSummary is what came of watching a server.
type WatchSummary struct {
	Elapsed   float64 `json:"elapsed_seconds"`  // from the first reading on
	Measured  float64 `json:"measured_seconds"` // the time that the rates are of
	Intervals int     `json:"intervals"`        // with a rate
	Rate      *Spread `json:"rate,omitempty"`
	TPM       *Spread `json:"tpm,omitempty"` // the rate, where it is of transactions a minute
	Probed    *Spread `json:"probed_per_minute,omitempty"`
	TimesAway int     `json:"times_away"`   // how often the server did not answer
	Away      float64 `json:"away_seconds"` // from the last answer before to the first after
}

// Spread is the least and the greatest rate of any interval, and the mean: all
// that was counted by all the time.
type Spread struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// Import is what came of an import.
type Import struct {
	Schema  string   `json:"schema"` // always ImportSchema
	Added   []job.ID `json:"added"`
	Present int      `json:"present"` // how many jobs were there already
}

// Deletion lists the jobs that were removed.
type Deletion struct {
	Schema  string   `json:"schema"` // always DeletedSchema
	Deleted []job.ID `json:"deleted"`
}

// Catalog lists the databases and the workloads.
type Catalog struct {
	Schema    string  `json:"schema"` // always CatalogSchema
	Databases []Entry `json:"databases"`
	Workloads []Entry `json:"workloads"`
}

// Entry is a database or a workload.
type Entry struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Aliases []string `json:"aliases"`
	Schemes []string `json:"url_schemes,omitempty"`

	// Proof says in a sentence which releases of a database Sledge's tests run on, and Unproven
	// in sentences what of it they have not shown.
	Proof    string `json:"proof,omitempty"`
	Unproven string `json:"unproven,omitempty"`
}

// Options lists the options of a pair, or one of them.
type Options struct {
	Schema   string   `json:"schema"` // always OptionsSchema
	Database string   `json:"database"`
	Workload string   `json:"workload"`
	Options  []Option `json:"options"`

	// Forms are the parts that a form shows the options in.
	Forms []option.Group `json:"forms"`
}

// Option is an option of a pair.
type Option struct {
	option.Description

	// Key is what the console and its driver scripts call it. It may be
	// set by that name, too.
	Key string `json:"key"`

	Label  string `json:"label"`  // in a form
	Form   string `json:"form"`   // the name of one of Options.Forms
	Limits string `json:"limits"` // what values it takes, in words
}

// NewOptions makes the document of options of a pair.
func NewOptions(pair catalog.Pair, list []option.Description) Options {
	o := Options{Schema: OptionsSchema, Database: pair.Database.Name, Workload: pair.Workload.Name, Options: []Option{}, Forms: settings.Forms}
	for _, one := range list {
		o.Options = append(o.Options, Option{
			Description: one, Key: settings.Key(pair, one),
			Label: settings.Label(pair, one), Form: settings.Form(one), Limits: one.Limits(),
		})
	}
	return o
}

// Settings is what a job would be done with.
type Settings struct {
	Schema   string             `json:"schema"` // always SettingsSchema
	Action   string             `json:"action"`
	Database string             `json:"database"`
	Workload string             `json:"workload"`
	Target   string             `json:"target"`
	Users    []int              `json:"users,omitempty"`
	Seed     uint64             `json:"seed"`
	Origins  map[string]string  `json:"origins"` // of db, workload, users, seed
	Settings []settings.Setting `json:"settings"`
	Warnings []string           `json:"warnings,omitempty"` // a line each
}

// Defaults is what each job takes as given, and where things are kept.
type Defaults struct {
	Schema          string              `json:"schema"`                     // always DefaultsSchema
	Repository      string              `json:"repository"`                 // the file that jobs are kept in
	Connections     string              `json:"connections,omitempty"`      // the file of connections that are kept by name
	ConsoleSettings string              `json:"console_settings,omitempty"` // the file of the console's settings, which jobs of other commands do not take
	ConfigFile      string              `json:"config_file,omitempty"`      // missing where none is read
	Problem         string              `json:"problem,omitempty"`          // why that cannot be read, which refuses each job
	Variables       []settings.Location `json:"variables"`                  // of the environment, that say where something is
	Settings        []settings.Default  `json:"settings"`
	Warnings        []string            `json:"warnings"`
}

// NewDefaults makes the document of what the configuration file and the environment set. It
// also returns what is wrong with that file.
func NewDefaults(b settings.Resolver, s settings.Sources, repository string) (Defaults, error) {
	list, warnings, err := b.Defaults(s)
	d := Defaults{
		Schema: DefaultsSchema, Repository: repository, ConfigFile: s.ConfigFile, ConsoleSettings: settings.ConsoleSettings(s.Environ, repository),
		Settings: orEmpty(list), Warnings: orEmpty(warnings),
	}
	d.Variables = settings.Locations(s.Environ, d.Repository, d.ConfigFile, d.ConsoleSettings)
	if err != nil {
		d.Problem = err.Error()
	}
	if folder := settings.FolderOf(repository); folder != "" {
		d.Connections = filepath.Join(folder, settings.ConnectionsFile)
	}
	return d, err
}

// Version says which version this is, and what it can test.
type Version struct {
	Schema    string   `json:"schema"` // always VersionSchema
	Version   string   `json:"version"`
	Go        string   `json:"go"`
	OS        string   `json:"os"`
	Arch      string   `json:"arch"`
	Databases []string `json:"databases"`
	Workloads []string `json:"workloads"`
}

// NewVersion makes the document of a version.
func NewVersion(b settings.Resolver, version string) Version {
	d := Version{Schema: VersionSchema, Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Databases: []string{}, Workloads: []string{}}
	for _, one := range b.Databases {
		d.Databases = append(d.Databases, one.Name)
	}
	for _, one := range b.Workloads {
		d.Workloads = append(d.Workloads, one.Name)
	}
	return d
}

// Error is what went wrong with a command.
type Error struct {
	Schema  string   `json:"schema"` // always ErrorSchema
	Exit    job.Exit `json:"exit_code"`
	Class   string   `json:"class"`             // a word for the exit code: "usage", "connect"
	Message string   `json:"message"`           // as it is printed for people
	Option  string   `json:"option,omitempty"`  // the option or the flag that is wrong, where it is one
	WayOut  string   `json:"way_out,omitempty"` // what to do, where that is not in the message
}

// classes are words for the exit codes.
var classes = map[job.Exit]string{
	job.ExitError: "error", job.ExitUsage: "usage", job.ExitConnect: "connect", job.ExitCheck: "check",
	job.ExitInvalid: "invalid", job.ExitAborted: "aborted", job.ExitExists: "exists", job.ExitMissing: "missing",
	job.ExitMissed:  "missed",
	job.ExitStopped: "stopped", job.ExitInternal: "internal",
}

// flagged matches how messages name a flag that is wrong.
var flagged = regexp.MustCompile(`(--[a-z][a-z-]*):`)

// NewError makes the document of an error, of the text that it is printed as, and of the
// code that the program exits with.
func NewError(exit job.Exit, err error, message string) Error {
	e := Error{Schema: ErrorSchema, Exit: exit, Class: classes[exit], Message: message}
	wrong, isValue := errors.AsType[*option.Error](err)
	unknown, isName := errors.AsType[*option.UnknownError](err)
	switch {
	case isValue:
		e.Option = wrong.Called
	case isName:
		e.Option = unknown.Name
	default:
		if m := flagged.FindStringSubmatch(message); m != nil {
			e.Option = m[1]
		}
	}
	if exit == job.ExitUsage && !strings.Contains(message, "--help") {
		e.WayOut = "run the command with --help to see its flags, and sledge options to see the options of a database"
	}
	return e
}
