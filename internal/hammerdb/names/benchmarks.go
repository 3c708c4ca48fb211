package names

import (
	"regexp"
	"strings"

	"sledge/internal/workload"
)

// Benchmark holds HammerDB's names for a workload, and Sledge's names of the options that the
// compatible commands read and set themselves.
type Benchmark struct {
	Workload string // Sledge's name: "tprocc"
	Name     string // in data: "TPC-C"
	Title    string // in texts: "TPROC-C"
	Section  string // of the dictionaries: "tpcc"

	// Queries means that the result is the time of queries, as for TPC-H, instead of transactions a
	// minute.
	Queries bool

	Labels []string // of the kinds of transaction, in order: "NEWORD"; nil if label is set

	// label returns the label of a kind, for benchmarks with many kinds.
	label func(kind string) string

	Size string // the option for the amount of data: "warehouses"
	Unit string // its unit: "warehouses"

	// Formats for the size: in a build by one user, in a build by several users, and in questions:
	// "%s Warehouse".
	Alone, Together, Asked string

	Builders  string // the option for the number of virtual users that build
	Driver    string // the option that decides whether a run is timed; "" if every run is
	RampUp    string // the option for the ramp-up of a timed run
	UserDelay string // the option for the time between the starts of two users

	// Generated is the generic setting for the amount of data to generate.
	Generated string

	// UnitEach means that each virtual user that builds or generates needs its own unit, so there
	// cannot be more users than units.
	UnitEach bool

	// Saved describes the driver scripts that HammerDB saves for the benchmark; nil if Sledge
	// cannot import any.
	Saved *SavedScript

	// keys maps options to their keys in dictionaries, without prefix, if these differ from the
	// options' names.
	keys map[string]string

	// defaults are HammerDB's defaults that differ from Sledge's, by option.
	defaults map[string]string

	// first lists the keys that come before the database's own keys in a dictionary, and last those
	// that come after them, each in order. All other keys come last.
	first, last []string

	rest []string // keys after all of these and the database's other keys, in order

	// script lists the keys in a driver script, in order. The other keys concern the schema or the
	// server, and are only in the dictionary.
	script []string
}

// SavedScript describes the driver scripts of HammerDB for a benchmark, and the options that they
// decide. Their procedures have the names of the labels of the kinds of transaction, in lower case.
// A field is empty if the benchmark has no such option.
type SavedScript struct {
	Mark      *regexp.Regexp    // matches text that occurs only in its scripts
	Variables map[string]string // keys by the variables at the top of a script, in lower case, if the names differ
	Timed     string            // the variable that only a timed script sets: "rampup"
	Pauses    string            // the option that says whether users pause at all

	// Variables at the top of a script, in lower case: those that are minutes, which the monitor
	// converts, and those that decide the work of the users.
	Minutes, Users []string

	// Options with a value for each kind of transaction, which the loop of transactions decides.
	Mix, Keying, Thinking string

	Spread       string // the option by which each user draws a unit of its share for each transaction
	TimeProfile  string // the option for the response times of each user
	Asynchronous string // the option by which each user works for several clients
	ClientSQL    string // the option by which users send SQL instead of calling stored routines
	Pool         string // the option for several connections per user
	Cloud        string // the key of the option for the cloud analytic queries

	// Calls lists, by procedure, the arguments after the connection that decide what the procedure
	// does. Drawn lists the variables that an unedited script reads from the database or draws; if
	// a script sets one to a number, the user has edited it.
	Calls map[string][]string
	Drawn []string
}

// SavedFor returns the benchmark of a driver script of HammerDB, or a benchmark without Saved if
// the script is not recognized.
func SavedFor(script string) Benchmark {
	for _, b := range Benchmarks {
		if b.Saved != nil && b.Saved.Mark.MatchString(script) {
			return b
		}
	}
	return Benchmark{}
}

// Benchmarks are the benchmarks of HammerDB.
var Benchmarks = []Benchmark{
	{
		Workload: "tprocc", Name: "TPC-C", Title: "TPROC-C", Section: "tpcc",
		Labels: []string{"NEWORD", "PAYMENT", "DELIVERY", "SLEV", "OSTAT"},
		Size:   "warehouses", Unit: "warehouses", Builders: "builders", Driver: "driver", RampUp: "rampup", UserDelay: "user_delay",
		Alone: "%s Warehouses(s)", Together: "%s Warehouses", Asked: "%s Warehouse",
		Generated: "gen_count_ware", UnitEach: true,
		keys: map[string]string{
			"warehouses": "count_ware", "builders": "num_vu", "iterations": "total_iterations", "stop_on_failure": "raiseerror",
			"key_and_think": "keyandthink", "all_warehouses": "allwarehouse", "time_profile": "timeprofile",
			"async_clients": "async_client", "client_sql": "no_stored_procs",
		},
		first: []string{"count_ware", "num_vu"},
		last: []string{
			"total_iterations", "raiseerror", "keyandthink", "driver", "rampup", "duration", "allwarehouse", "timeprofile",
			"async_scale", "async_client", "async_verbose", "async_delay", "connect_pool",
		},
		rest: []string{
			"load_time", "total_iterations", "raiseerror", "max_retries", "max_failures", "fail_if", "on_all_failing", "keyandthink", "keying_time", "think_time",
			"mix", "deck", "driver", "rampup", "duration", "home_warehouses", "allwarehouse", "timeprofile",
			"async_scale", "async_client", "async_verbose", "async_delay", "connect_pool", "no_stored_procs",
			"loops", "rate", "arrivals", "steps", "connections", "pool_file", "reconnect", "reconnects", "reconnect_delay", "reconnect_limit", "ledger", "user_delay",
		},
		script: []string{
			"driver", "rampup", "duration", "total_iterations", "raiseerror", "max_retries",
			"mix", "deck", "keyandthink", "keying_time", "think_time", "home_warehouses", "allwarehouse", "no_stored_procs",
			"timeprofile", "async_scale", "async_client", "async_verbose", "async_delay", "connect_pool",
		},
		Saved: &SavedScript{
			Mark:      regexp.MustCompile(`(?m)^\s*set\s+total_iterations\b`),
			Variables: map[string]string{"allwarehouses": "allwarehouse"},
			Timed:     "rampup",
			Minutes:   []string{"rampup", "duration"},
			Users: []string{
				"total_iterations", "raiseerror", "keyandthink", "allwarehouses", "timeprofile", "async_client", "async_verbose", "async_delay",
			},
			Pauses: "key_and_think",
			Mix:    "mix", Keying: "keying_time", Thinking: "think_time",
			Spread: "all_warehouses", TimeProfile: "time_profile", Asynchronous: "async_scale", ClientSQL: "client_sql", Pool: "connect_pool",
			Calls: map[string][]string{
				"neword": {"w_id", "w_id_input"}, "payment": {"w_id", "w_id_input"},
				"delivery": {"w_id"}, "slev": {"w_id", "stock_level_d_id"}, "ostat": {"w_id"},
			},
			Drawn: []string{"w_id", "w_id_input", "stock_level_d_id", "myWarehouses", "myWhCount"},
		},
	},
	{
		Workload: "tproch", Name: "TPC-H", Title: "TPROC-H", Section: "tpch", Queries: true,
		label: queryLabel,
		Size:  "scale_factor", Unit: "scale factor", Builders: "builders", UserDelay: "user_delay",
		Alone: "Scale Factor %s", Together: "Scale Factor %s", Asked: "Scale Factor %s",
		Generated: "gen_scale_fact",
		keys: map[string]string{
			"scale_factor": "scale_fact", "builders": "num_tpch_threads", "query_sets": "total_querysets",
			"stop_on_failure": "raise_query_error", "refresh": "refresh_on", "refresh_sets": "update_sets",
			"refresh_delay": "trickle_refresh", "cloud_queries": "cloud_query",
			"user_delay": "tpch_user_delay", "max_retries": "tpch_max_retries", "fail_if": "tpch_fail_if", "test": "tpch_test",
		},
		defaults: map[string]string{"refresh_sets": "1", "refresh_delay": "1000"},

		first: []string{"scale_fact"},
		last: []string{
			"total_querysets", "raise_query_error", "verbose",
			"refresh_on", "update_sets", "trickle_refresh", "refresh_verbose", "cloud_query",
		},
		rest: []string{
			"total_querysets", "raise_query_error", "verbose",
			"refresh_on", "update_sets", "trickle_refresh", "refresh_verbose", "cloud_query",
			"tpch_test", "validation", "time_limit", "query_limit", "plans", "tpch_fail_if", "tpch_max_retries", "tpch_user_delay",
		},
		script: []string{
			"total_querysets", "raise_query_error", "verbose", "validation", "time_limit", "query_limit", "plans", "tpch_max_retries",
			"refresh_on", "update_sets", "trickle_refresh", "refresh_verbose", "cloud_query", "tpch_test",
		},
		Saved: &SavedScript{
			Mark:      regexp.MustCompile(`(?im)^\s*set\s+total_querysets\b|\blineitem\b`),
			Variables: map[string]string{"raiseerror": "raise_query_error"},
			Cloud:     "cloud_query",
		},
	},
}

// queryLabel returns the label of a query, a refresh function or a cloud query.
func queryLabel(kind string) string {
	short := map[string]string{"new sales refresh": "RF1", "old sales refresh": "RF2"}
	if label, is := short[kind]; is {
		return label
	}
	return strings.NewReplacer("cloud query ", "CQ", "query ", "Q").Replace(kind)
}

// LabelsOf returns the labels of kinds of transaction, which may come from a job of an earlier
// version.
func (b Benchmark) LabelsOf(kinds []string) []string {
	switch {
	case b.label != nil:
		labels := make([]string, len(kinds))
		for i, kind := range kinds {
			labels[i] = b.label(kind)
		}
		return labels
	case len(b.Labels) == len(kinds):
		return b.Labels
	}
	return kinds
}

// BenchmarkOf returns HammerDB's names for a workload. A workload that HammerDB does not have keeps
// its own names.
func BenchmarkOf(w *workload.Workload) Benchmark {
	b := benchmarkOf(w.Name)
	if b.Name == "" {
		b.Name, b.Title, b.Section, b.Labels = w.Title, w.Title, w.Name, w.KindNames()
		b.Size, b.Unit = w.Schema.Size.Option, w.Schema.Size.Unit
		words := "%s " + b.Unit
		b.Alone, b.Together, b.Asked = words, words, words
	}
	return b
}

// benchmarkOf returns the benchmark of a workload, or a benchmark with only the workload's name.
func benchmarkOf(workload string) Benchmark {
	for _, b := range Benchmarks {
		if b.Workload == workload {
			return b
		}
	}
	return Benchmark{Workload: workload}
}
