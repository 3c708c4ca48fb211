package dictionaries

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/hammerdb/names"
	"sledge/internal/option"
)

// The settings that the book itself reads.
const (
	benchmarkSection = "benchmark"
	rdbmsKey         = "rdbms"
	bmKey            = "bm"
)

// WithoutEffect is in the help of each setting that Sledge does not use.
const WithoutEffect = "without effect"

// genericSettings are the settings of the console itself, in HammerDB's order. Some have no effect
// in Sledge, but scripts and imported files set them.
type genericSettings struct {
	theme          `dict:"theme"`
	settingsFiles  `dict:"sqlitedb"`
	highlighting   `dict:"code_highlight"`
	benchmark      `dict:"benchmark"`
	virtualUsers   `dict:"virtual_user_options"`
	autopilot      `dict:"autopilot"`
	mode           `dict:"mode"`
	counter        `dict:"transaction_counter"`
	metrics        `dict:"metrics"`
	dataGeneration `dict:"datageneration"`
	commandLine    `dict:"commandline"`
	webService     `dict:"webservice"`
	results        `dict:"tpcoss"`
	timeProfile    `dict:"timeprofile"`
	version        `dict:"hdb_version"`
}

type theme struct {
	Scale  string `opt:"scaletheme" choices:"dark|light|auto" help:"theme of HammerDB's windows; without effect"`
	Pixels string `opt:"pixelsperpoint" help:"scaling of HammerDB's windows; without effect"`
}

type settingsFiles struct {
	Folder string `opt:"sqlitedb_dir" help:"folder of HammerDB's settings; without effect, because Sledge has its own file of settings"`
}

type highlighting struct {
	Highlight      bool `opt:"highlight" help:"colours in HammerDB's editor; without effect"`
	QuotePasswords bool `opt:"quote_passwords" help:"escape characters in passwords that Tcl would evaluate; without effect, because Sledge never evaluates passwords"`
}

type benchmark struct {
	Database    chosenDatabase  `opt:"rdbms" help:"current database; dbset db sets it"`
	Benchmark   chosenBenchmark `opt:"bm" help:"current benchmark; dbset bm sets it"`
	FirstResult string          `opt:"first_result" choices:"NOPM|TPM" help:"first figure in the line of a result"`
}

type virtualUsers struct {
	Users       int  `opt:"virtual_users" min:"1" max:"100000" help:"number of virtual users"`
	UserDelay   int  `opt:"user_delay" min:"0" max:"3600000" help:"milliseconds between the starts of two virtual users"`
	RepeatDelay int  `opt:"repeat_delay" min:"0" max:"3600000" help:"milliseconds between two iterations of a virtual user"`
	Iterations  int  `opt:"iterations" min:"1" max:"1000000000" help:"number of times each virtual user runs the script"`
	ShowOutput  flag `opt:"show_output" help:"print the output of virtual users"`
	LogToTemp   flag `opt:"log_to_temp" help:"write the output of virtual users to a file in the folder for temporary files"`
	UniqueName  flag `opt:"unique_log_name" help:"give each of these files a unique name"`
	NoBuffer    flag `opt:"no_log_buffer" help:"write each line at once; without effect, because Sledge always does"`
	Timestamps  flag `opt:"log_timestamps" help:"write the time before each line of the file"`
}

type autopilot struct {
	Mode     string `opt:"apmode" choices:"disabled|enabled" help:"run the following numbers of virtual users in HammerDB's windows; without effect, because the command autopilot does"`
	Minutes  int    `opt:"autopilot_duration" min:"1" max:"100000" help:"minutes for each number of virtual users in HammerDB; without effect, because each run takes its rampup and duration"`
	Sequence counts `opt:"autopilot_sequence" help:"numbers of virtual users"`
}

type mode struct {
	Host string `opt:"hostname" help:"host of the primary of a replica; without effect, because replicas are not built yet"`
	ID   int    `opt:"id" min:"0" help:"ID of that primary; without effect, because replicas are not built yet"`
}

type counter struct {
	Seconds    int  `opt:"tc_refresh_rate" min:"1" max:"59" help:"seconds between two lines of the transaction counter"`
	LogToTemp  flag `opt:"tc_log_to_temp" help:"write the counter's lines to a file in the folder for temporary files"`
	UniqueName flag `opt:"tc_unique_log_name" help:"give each of these files a unique name"`
	Timestamps flag `opt:"tc_log_timestamps" help:"write the time before each line of the file"`
	Ribbon     bool `opt:"tc_graph_ribbon" help:"shape of the graph in HammerDB's windows; without effect"`
}

type metrics struct {
	Host string `opt:"agent_hostname" help:"machine that metstart shows: localhost, or the name or the host of a saved agent"`
	ID   int    `opt:"agent_id" min:"0" max:"65535" help:"port of that agent, if several agents of its host are saved"`
}

type dataGeneration struct {
	Warehouses int         `opt:"gen_count_ware" min:"1" max:"100000" help:"number of warehouses to generate"`
	Scale      scaleFactor `opt:"gen_scale_fact" help:"scale factor to generate; fractions such as 0.01 are allowed"`
	Users      int         `opt:"gen_num_vu" min:"1" max:"1024" help:"number of virtual users that generate in parallel"`
	Folder     string      `opt:"gen_directory" help:"folder for the files; empty is the folder for temporary files"`
	Compress   flag        `opt:"gen_compress" help:"compress the files with gzip"`
	Overwrite  flag        `opt:"gen_overwrite" help:"replace existing files in the folder"`
}

type commandLine struct {
	Repository      string       `opt:"sqlite_db" help:"job repository: TMP is the default file, :memory: is discarded at the end, anything else is the path of a file"`
	KeepaliveMargin int          `opt:"keepalive_margin" min:"0" max:"100000000" help:"seconds that HammerDB waits beyond the planned end of a run; without effect, because Sledge waits until virtual users are done"`
	JobsOutput      outputFormat `opt:"jobsoutput" help:"output format of jobs: JSON or text"`
	NoJobs          flag         `opt:"jobs_disable" help:"do not record jobs in the repository"`
	Profile         int          `opt:"jobs_profile_id" min:"0" max:"1000000000" help:"number of the performance profile of the next runs; 0 means no profile"`
}

type webService struct {
	Port int `opt:"ws_port" min:"1" max:"65535" help:"TCP port of the web service"`
}

type results struct {
	URL string `opt:"submit_url" help:"page to which HammerDB submits results; without effect, because Sledge submits none"`
}

type timeProfile struct {
	Profiler      string `opt:"profiler" choices:"xtprof|etprof" help:"how HammerDB measures response times; without effect, because Sledge measures all of them"`
	UniqueName    flag   `opt:"xt_unique_log_name" help:"give each file of response times a unique name"`
	GatherMinutes int    `opt:"xt_gather_timeout" min:"0" max:"1000000" help:"minutes that HammerDB waits for response times; without effect, because Sledge has them when the run ends"`
	Store         flag   `opt:"xt_job_storage" help:"record response times with the job; without effect, because Sledge always does"`
	Reservoir     int    `opt:"xt_reservoir" min:"0" max:"1000000000" help:"size of HammerDB's sample of response times; without effect, because Sledge records their whole distribution"`
}

type version struct {
	Version string `opt:"version" choices:"v6.0" help:"version of HammerDB of these settings; without effect"`
}

// newGeneric makes the generic dictionary with HammerDB's defaults, except the database, which is
// Oracle in HammerDB.
func newGeneric(products []product, benchmarks []Benchmark) *dictionary {
	d := &dictionary{name: "generic", of: "generic"}
	d.add(func(option string) string { return option }, &genericSettings{
		theme:         theme{Scale: "dark", Pixels: "auto"},
		settingsFiles: settingsFiles{Folder: "TMP"},
		highlighting:  highlighting{Highlight: true, QuotePasswords: true},
		benchmark: benchmark{
			Database:    chosenDatabase{firstChoice(products), products},
			Benchmark:   chosenBenchmark{usualBenchmark(benchmarks), benchmarks},
			FirstResult: "NOPM",
		},
		virtualUsers:   virtualUsers{Users: 1, UserDelay: 500, RepeatDelay: 500, Iterations: 1, ShowOutput: true},
		autopilot:      autopilot{Mode: "disabled", Minutes: 10, Sequence: "1 2 4 8 12 16 20 24"},
		mode:           mode{Host: "localhost"},
		counter:        counter{Seconds: 10},
		metrics:        metrics{Host: "localhost", ID: 10000},
		dataGeneration: dataGeneration{Warehouses: 1, Scale: "1", Users: 1},
		commandLine:    commandLine{Repository: "TMP", KeepaliveMargin: 60, JobsOutput: "JSON"},
		webService:     webService{Port: 8080},
		results:        results{URL: "https://tpc-council.github.io/hammerdb-results/submit.html"},
		timeProfile:    timeProfile{Profiler: "xtprof", GatherMinutes: 60, Store: true, Reservoir: 10000},
		version:        version{"v6.0"},
	}, "", nil)
	return d
}

// firstChoice returns the default database: PostgreSQL, or else the first supported one.
func firstChoice(products []product) string {
	first := ""
	for _, p := range products {
		if p.database != nil && (first == "" || p.prefix == names.Usual) {
			first = p.name
		}
	}
	return first
}

// chosenDatabase is the name of a supported database.
type chosenDatabase struct {
	name     string
	products []product
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *chosenDatabase) UnmarshalText(text []byte) error {
	for _, p := range c.products {
		if p.name != string(text) {
			continue
		}
		if p.database == nil {
			return p.notBuilt(c.products)
		}
		c.name = p.name
		return nil
	}
	var names []string
	for _, p := range c.products {
		if p.database != nil {
			names = append(names, p.name)
		}
	}
	return fmt.Errorf("%q is not one of %s%s", text, strings.Join(names, ", "), option.Suggest(string(text), names))
}

// MarshalText implements encoding.TextMarshaler.
func (c chosenDatabase) MarshalText() ([]byte, error) { return []byte(c.name), nil }

// Kind names the type for people.
func (chosenDatabase) Kind() string { return "database" }

// flag is a boolean that HammerDB writes as 0 or 1.
type flag bool

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *flag) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "1", "true", "yes", "on":
		*f = true
	case "0", "false", "no", "off":
		*f = false
	default:
		return fmt.Errorf("%q is not one of 0, 1, false, true, no, yes, off, on", text)
	}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (f flag) MarshalText() ([]byte, error) {
	if f {
		return []byte("1"), nil
	}
	return []byte("0"), nil
}

// scaleFactor is a number as the user wrote it, so that 10 is not shown as 10.0.
type scaleFactor string

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *scaleFactor) UnmarshalText(text []byte) error {
	const least, most = 0.001, 100_000
	if n, err := strconv.ParseFloat(string(text), 64); err != nil || !(n >= least && n <= most) {
		return fmt.Errorf("%q is not a number from %g to %d", text, least, most)
	}
	*s = scaleFactor(text)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (s scaleFactor) MarshalText() ([]byte, error) { return []byte(s), nil }

// Kind names the type for people.
func (scaleFactor) Kind() string { return "number" }

// Kind names the type for people.
func (flag) Kind() string { return "0 or 1" }

// counts is a list of numbers of virtual users, separated by blanks.
type counts string

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *counts) UnmarshalText(text []byte) error {
	fields := strings.Fields(string(text))
	for _, field := range fields {
		if n, err := strconv.Atoi(field); err != nil || n < 1 {
			return fmt.Errorf("%q is not a number of virtual users", field)
		}
	}
	if len(fields) == 0 {
		return fmt.Errorf("%q has no numbers of virtual users, such as 1 2 4 8", text)
	}
	*c = counts(strings.Join(fields, " "))
	return nil
}

// Kind names the type for people.
func (counts) Kind() string { return "numbers of virtual users" }

// MarshalText implements encoding.TextMarshaler.
func (c counts) MarshalText() ([]byte, error) { return []byte(c), nil }

// outputFormat is how jobs are printed.
type outputFormat string

var outputFormats = []string{"JSON", "text"}

// UnmarshalText implements encoding.TextUnmarshaler. It ignores case, like HammerDB.
func (o *outputFormat) UnmarshalText(text []byte) error {
	i := slices.IndexFunc(outputFormats, func(f string) bool { return strings.EqualFold(f, string(text)) })
	if i < 0 {
		return fmt.Errorf("%q is not one of %s", text, strings.Join(outputFormats, ", "))
	}
	*o = outputFormat(outputFormats[i])
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (o outputFormat) MarshalText() ([]byte, error) { return []byte(o), nil }

// Kind names the type for people.
func (outputFormat) Kind() string { return "JSON or text" }
