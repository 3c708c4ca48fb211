// Package document declares the JSON documents that commands print, except those in the format of
// another program. The member "schema" names the format and its version. The version changes if a
// program that reads the old format could misread the new one; new members do not change it.
// docs/json has a JSON Schema of each document, generated from these types.
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
	"sledge/internal/live"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/settings"
)

// The names of the formats; package report has those of a job, an export and a profile.
const (
	JobsSchema     = "sledge-jobs-1"
	ProfilesSchema = "sledge-profiles-1"
	TimingSchema   = "sledge-timing-1"
	TPMSchema      = "sledge-tpm-1"
	SamplesSchema  = "sledge-samples-1"
	ActivitySchema = "sledge-activity-1"
	PointsSchema   = "sledge-points-1"
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

	NoticeSchema = "sledge-notice-1"

	ErrorSchema = "sledge-error-1"
)

// Export is everything that the repository has recorded about a job.
type Export struct {
	report.ExportHead
	Seconds []report.Second `json:"seconds"`
}

// Jobs lists jobs, newest first. Each has fewer members than the document of one job.
type Jobs struct {
	Schema string            `json:"schema"` // always JobsSchema
	Jobs   []report.Document `json:"jobs"`
}

// Best lists the best run of each group of comparable runs: those of the same workload and database,
// with the same amount of data.
type Best struct {
	Schema string           `json:"schema"` // always BestSchema
	Best   []report.BestRun `json:"best"`

	// TooShort counts the runs that were left out because they were measured for less than a minute.
	TooShort int `json:"too_short,omitempty"`
}

// Profiles lists the performance profiles.
type Profiles struct {
	Schema   string        `json:"schema"` // always ProfilesSchema
	Profiles []ProfileHead `json:"profiles"`
}

// ProfileHead describes a performance profile in a list.
type ProfileHead struct {
	Profile  int       `json:"profile"`
	Runs     int       `json:"runs"`
	Database string    `json:"database"`
	Begun    time.Time `json:"begun"`
	BestNOPM float64   `json:"best_nopm,omitempty"` // of the runs that succeeded
	Users    int       `json:"best_users,omitempty"`
}

// Timing has the response and service times of a job's transactions.
type Timing struct {
	Schema       string               `json:"schema"` // always TimingSchema
	ID           job.ID               `json:"id"`
	Phase        job.Phase            `json:"phase,omitempty"` // missing if unknown
	Elapsed      float64              `json:"elapsed_seconds"`
	Transactions []report.Transaction `json:"transactions"`
	All          *report.Transaction  `json:"all,omitempty"`

	// Users has the times of each virtual user, Seconds the measurements of each second; both only
	// if requested.
	Users   []UserTiming    `json:"users,omitempty"`
	Seconds []report.Second `json:"seconds,omitempty"`

	// Recorded has the times that another program recorded, if it records no histograms.
	Recorded []job.Timing `json:"recorded,omitempty"`
}

// UserTiming has the times of a virtual user's transactions. Each figure is within 1 % of the exact
// one, or within a microsecond.
type UserTiming struct {
	User         int                  `json:"user"` // its position; the first is 2
	Elapsed      float64              `json:"elapsed_seconds"`
	Transactions []report.Transaction `json:"transactions"`
	All          *report.Transaction  `json:"all"`
}

// TPM has transactions per minute over the time of a run.
type TPM struct {
	Schema string     `json:"schema"` // always TPMSchema
	ID     job.ID     `json:"id"`
	Points []job.Rate `json:"points"`

	// ServerDelay is the mean time after which the server counts a transaction: a chart draws the
	// server's rates that much earlier. It is missing if the server counts at once.
	ServerDelay float64 `json:"server_delay_seconds,omitempty"`
}

// Samples has what observers sampled beside a run, such as the use of the client's machine.
type Samples struct {
	Schema string    `json:"schema"` // always SamplesSchema
	ID     job.ID    `json:"id"`
	Axis   time.Time `json:"axis,omitzero"` // start of the axis of time, when the first second of the run began; missing if nothing was measured

	// Series are in the order of their names, units and labels. If a series has more samples than
	// requested, each interval keeps its minimum and maximum.
	Series []job.Sampled `json:"series"`
}

// Activity has what the server's active sessions did over the time of a run, by samples. Samples of several seconds are
// added up if there are more seconds than requested intervals, so that no session is lost. A number of sessions divided by
// the samples of its interval, or by all, is the mean number of sessions that were active like this.
type Activity struct {
	Schema string    `json:"schema"` // always ActivitySchema
	ID     job.ID    `json:"id"`
	Axis   time.Time `json:"axis,omitzero"` // start of the axis of time, when the first second of the run began; missing if nothing was sampled
	Width  int       `json:"width_seconds"` // length of an interval

	// The machine that the server runs on, by the label machine of its series, and its CPUs; missing if they are not
	// known.
	ServerMachine string `json:"server_machine,omitempty"`
	ServerCPUs    int    `json:"server_cpus,omitempty"`

	Samples int `json:"samples"` // in all intervals
	Missed  int `json:"missed,omitempty"`

	Intervals []ActivityInterval `json:"intervals"` // in order of time, without those that have no samples
	Shares    []ActivityShare    `json:"shares"`    // the greatest first
}

// ActivityInterval is a part of the time of a run.
type ActivityInterval struct {
	End     float64 `json:"at_seconds"` // on the axis
	Samples int     `json:"samples"`
}

// ActivityShare counts sampled sessions that did the same.
type ActivityShare struct {
	job.ActivityShare
	OverTime []int64 `json:"over_time"` // sessions in each interval
}

// Points has the points of a run's charts. A point covers one second or several: it counts all their
// transactions, and its percentiles are those of their merged histograms. The points are those of the
// live view of the run. A run that ends when its work is done has none.
type Points struct {
	Schema  string       `json:"schema"` // always PointsSchema
	ID      job.ID       `json:"id"`
	Axis    time.Time    `json:"axis,omitzero"` // start of the axis of time, when the first second of the run began; missing if nothing was measured
	Width   int          `json:"width_seconds"` // seconds in the widest point
	Figures []string     `json:"figures"`       // names of the headline figures, in the order of each point's figures
	Points  []live.Point `json:"points"`
	Phases  []live.Phase `json:"phases"` // of the whole run

	// Markers are events on the axis of time that charts mark, such as lost connections and the first
	// failure of each class; those of the whole run.
	Markers []live.Marker `json:"markers,omitempty"`

	ServerDelay float64 `json:"server_delay_seconds,omitempty"` // as in TPM
}

// Watch is a reading of a server's own count of transactions.
type Watch struct {
	Schema string    `json:"schema"` // always WatchSchema
	At     time.Time `json:"at"`

	// Event is "begun" for the first reading, and "back" for the first reading after the server was
	// away; these have no rate. It is "reading" for the other readings, "away" when the server no
	// longer answers, and "ended" for the last line, which has the summary.
	Event string `json:"event"`

	Database string `json:"database"`
	Target   string `json:"target"` // the server's address and the database

	AllDatabases bool `json:"all_databases"` // whether the count covers all databases of the server

	// The time since the previous reading, the transactions of all clients that the server counted in
	// it, and their rate. They are missing if there is no rate.
	Elapsed      float64  `json:"elapsed_seconds,omitempty"`
	Transactions *int64   `json:"transactions,omitempty"`
	Rate         *float64 `json:"rate,omitempty"`
	RateIs       string   `json:"rate_is"`       // "transactions a minute", or "queries an hour" for a workload of queries
	TPM          *float64 `json:"tpm,omitempty"` // the rate, if it counts transactions per minute

	// Probed is the workload's own count in the database, such as that of new orders; missing without
	// a schema.
	Probed *Probed `json:"probed,omitempty"`

	Error   string        `json:"error,omitempty"` // why the server is away
	Summary *WatchSummary `json:"summary,omitempty"`
}

// Probed is the increase of a workload's own count in the database.
type Probed struct {
	What    string  `json:"what"` // what is counted, such as "new order"
	Count   int64   `json:"count"`
	Elapsed float64 `json:"elapsed_seconds"` // between two readings of the count
	Rate    float64 `json:"per_minute"`
}

// WatchSummary summarizes the readings of a server.
type WatchSummary struct {
	Elapsed   float64 `json:"elapsed_seconds"`  // since the first reading
	Measured  float64 `json:"measured_seconds"` // the part of the elapsed time that has rates
	Intervals int     `json:"intervals"`        // intervals that have a rate
	Rate      *Spread `json:"rate,omitempty"`
	TPM       *Spread `json:"tpm,omitempty"` // the rate, if it counts transactions per minute
	Probed    *Spread `json:"probed_per_minute,omitempty"`
	TimesAway int     `json:"times_away"`   // how often the server stopped answering
	Away      float64 `json:"away_seconds"` // from the last answer before each outage to the first after it
}

// Spread has the minimum and maximum rate of the intervals, and the mean: the total count divided by
// the total time.
type Spread struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// Import is the result of an import.
type Import struct {
	Schema  string   `json:"schema"` // always ImportSchema
	Added   []job.ID `json:"added"`
	Present int      `json:"present"` // jobs that the repository already had
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

	// Proof says on which releases of a database Sledge's tests run, and Unproven what they have not
	// tested, both in sentences.
	Proof    string `json:"proof,omitempty"`
	Unproven string `json:"unproven,omitempty"`

	// Unsampled says why runs on a database do not sample the server's sessions and counters. It is
	// missing if they do.
	Unsampled string `json:"unsampled,omitempty"`
}

// Options lists the options of a database with a workload, or one of them.
type Options struct {
	Schema   string   `json:"schema"` // always OptionsSchema
	Database string   `json:"database"`
	Workload string   `json:"workload"`
	Options  []Option `json:"options"`

	// Forms are the sections of a form for the options.
	Forms []option.Group `json:"forms"`
}

// Option is an option of a database with a workload.
type Option struct {
	option.Description

	// Key is its name in the console and in driver scripts. Settings accept that name, too.
	Key string `json:"key"`

	Label  string `json:"label"`  // in a form
	Form   string `json:"form"`   // the name of one of Options.Forms
	Limits string `json:"limits"` // the values that it accepts, in words
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

// Settings has the settings that a job would use, with their sources.
type Settings struct {
	Schema   string             `json:"schema"` // always SettingsSchema
	Action   string             `json:"action"`
	Database string             `json:"database"`
	Workload string             `json:"workload"`
	Target   string             `json:"target"`
	Users    []int              `json:"users,omitempty"`
	Seed     uint64             `json:"seed"`
	Labels   map[string]string  `json:"labels,omitempty"` // of the job
	Note     string             `json:"note,omitempty"`   // of the job
	Origins  map[string]string  `json:"origins"`          // the sources of db, workload, users and seed
	Settings []settings.Setting `json:"settings"`
	Warnings []string           `json:"warnings,omitempty"` // one line each
}

// Defaults has the settings from the configuration file and the environment, and the paths of Sledge's
// files.
type Defaults struct {
	Schema          string              `json:"schema"`                     // always DefaultsSchema
	Repository      string              `json:"repository"`                 // file of the job repository
	Connections     string              `json:"connections,omitempty"`      // file of the saved connections
	ConsoleSettings string              `json:"console_settings,omitempty"` // file of the console's settings, which other commands do not use
	ConfigFile      string              `json:"config_file,omitempty"`      // missing without a configuration file
	Problem         string              `json:"problem,omitempty"`          // why the configuration file cannot be read; then every job is refused
	Variables       []settings.Location `json:"variables"`                  // environment variables that name a file or folder
	Settings        []settings.Default  `json:"settings"`
	Warnings        []string            `json:"warnings"`
}

// NewDefaults returns the document of the settings from the configuration file and the environment.
// It also returns the error in that file.
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

// Version is the version of the program, with its databases and workloads.
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

// Error is the error of a command.
type Error struct {
	Schema  string   `json:"schema"` // always ErrorSchema
	Exit    job.Exit `json:"exit_code"`
	Class   string   `json:"class"`             // a word for the exit code: "usage", "connect"
	Message string   `json:"message"`           // as printed for people
	Option  string   `json:"option,omitempty"`  // the wrong option or flag, if any
	WayOut  string   `json:"way_out,omitempty"` // what to do, if the message does not say it
}

// classes are words for the exit codes.
var classes = map[job.Exit]string{
	job.ExitError: "error", job.ExitUsage: "usage", job.ExitConnect: "connect", job.ExitCheck: "check",
	job.ExitInvalid: "invalid", job.ExitAborted: "aborted", job.ExitExists: "exists", job.ExitMissing: "missing",
	job.ExitMissed:  "missed",
	job.ExitStopped: "stopped", job.ExitInternal: "internal",
}

// flagged matches the name of a wrong flag in a message.
var flagged = regexp.MustCompile(`(--[a-z][a-z-]*):`)

// NewError makes the document of an error. message is the error as printed for people.
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
