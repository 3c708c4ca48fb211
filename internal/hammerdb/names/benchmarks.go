package names

import (
	"regexp"
	"strings"

	"sledge/internal/workload"
)

// Benchmark is what HammerDB calls a workload, and which of its options the commands that
// speak as HammerDB's do read and set themselves. Options have Sledge's names.
type Benchmark struct {
	Workload string // Sledge's name for it: "tprocc"
	Name     string // in data: "TPC-C"
	Title    string // to people: "TPROC-C"
	Section  string // of the dictionaries: "tpcc"

	// Queries says that its result is how long queries took, as TPC-H's is, and not how
	// many transactions were done in a minute.
	Queries bool

	Labels []string // of its kinds of transaction, in their order: "NEWORD"; nil where label says them

	// label returns that of a kind by its name, for benchmarks with many kinds.
	label func(kind string) string

	Size string // the option that says how much data there is: "warehouses"
	Unit string // what that counts: "warehouses"

	// The formats in which the size is said: of a build by one user, of a build by
	// several, and in questions. "%s Warehouse"
	Alone, Together, Asked string

	Builders  string // the option that says how many virtual users build
	Driver    string // the option that says whether a run is timed; "" where each is
	RampUp    string // the option that says how long users work before a timed run is measured
	UserDelay string // the option that is the time between the starts of two users

	// Generated is the generic setting that says how much data is generated.
	Generated string

	// UnitEach says that everybody who builds or generates needs a unit, so that there
	// cannot be more of them than units.
	UnitEach bool

	// Saved says which options the driver scripts that HammerDB itself saves decide. It is
	// nil where it saves none that could be taken over.
	Saved *SavedScript

	// keys are the keys that dictionaries have for its options, without prefix, where they
	// differ from the options' names.
	keys map[string]string

	// defaults are those of HammerDB's defaults that differ from Sledge's, by the options' names.
	defaults map[string]string

	// first and last list keys in the order in which dictionaries have them: before the
	// database's own, and after them. Those that neither lists come last.
	first, last []string

	rest []string // keys after all of those and the database's other ones, in their order

	// script lists the keys that a driver script holds, in its order. The others belong to
	// the schema or to the server, and stay with the dictionary.
	script []string
}

// SavedScript says which options are decided by a driver script of HammerDB's. Its
// procedures are called as the labels of the kinds of transaction, in lower case. Fields of
// which a benchmark has nothing are empty.
type SavedScript struct {
	Mark      *regexp.Regexp    // finds what only its scripts have
	Variables map[string]string // keys by the variables at its top, in lower case, where they differ
	Timed     string            // the variable that only a timed script sets: "rampup"
	Pauses    string            // the option that says whether users pause at all

	// Variables at its top, in lower case: those that are minutes, which who times the run
	// computes with, and those that say what the users do.
	Minutes, Users []string

	// Options with a value for each kind of transaction, which the loop decides.
	Mix, Keying, Thinking string

	Spread       string // the option that has each user take a unit of its share for each transaction
	TimeProfile  string // the option that asks for the response times of each user
	Asynchronous string // the option that has each user work for several clients
	ClientSQL    string // the option that has users send SQL, and call no stored routines
	Pool         string // the option that gives each user several connections
	Cloud        string // the key of the option that has users do the cloud analytic queries

	// Calls lists, by procedure, the variables that it is called with after the
	// connection, and that decide what it does. Drawn lists the variables that the
	// script itself finds out, so that one which is set to a number was edited.
	Calls map[string][]string
	Drawn []string
}

// SavedFor returns the benchmark that a driver script of HammerDB's is for, or one without
// Saved where it is for none.
func SavedFor(script string) Benchmark {
	for _, b := range Benchmarks {
		if b.Saved != nil && b.Saved.Mark.MatchString(script) {
			return b
		}
	}
	return Benchmark{}
}

// Benchmarks are HammerDB's.
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

// queryLabel is the label of a query, of a refresh function or of a cloud query.
func queryLabel(kind string) string {
	short := map[string]string{"new sales refresh": "RF1", "old sales refresh": "RF2"}
	if label, is := short[kind]; is {
		return label
	}
	return strings.NewReplacer("cloud query ", "CQ", "query ", "Q").Replace(kind)
}

// LabelsOf returns the labels of kinds of transaction, which may be those of a job that an
// earlier version did.
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

// BenchmarkOf returns what HammerDB calls a workload. One that it lacks goes by its own
// names.
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

// benchmarkOf returns the benchmark of a workload, or one with nothing but the workload.
func benchmarkOf(workload string) Benchmark {
	for _, b := range Benchmarks {
		if b.Workload == workload {
			return b
		}
	}
	return Benchmark{Workload: workload}
}
