// Package metrics turns the events of runs into metrics for monitoring systems, once a second and
// outside the virtual users' work. It does not know who starts runs.
package metrics

import (
	"slices"
	"strings"
)

// Type is the type of a metric.
type Type string

// The types.
const (
	Counter   Type = "counter"   // only grows during a run
	Gauge     Type = "gauge"     // a value of the last second
	Histogram Type = "histogram" // counts of times by length
)

// Metric is a metric by its name in Prometheus. Each series also has the label "run".
type Metric struct {
	Name   string // its end is the unit
	Type   Type
	Labels []string
	Help   string // without a full stop

	// Series is the name of the series of samples whose last value is the metric, and Factor converts
	// it to the unit of the metric; "" for other metrics.
	Series string
	Factor float64
}

// Unit returns the unit in the notation of UCUM, which OpenTelemetry uses; "" for a number.
func (m *Metric) Unit() string {
	for _, known := range units {
		if strings.HasSuffix(m.Name, known.end) {
			return known.ucum
		}
	}
	return ""
}

// units are the ends of names with their units.
var units = []struct{ end, ucum, words string }{
	{"_bytes_per_second", "By/s", "bytes a second"},
	{"_per_second", "1/s", "a second"},
	{"_per_minute", "1/min", "a minute"},
	{"_seconds_total", "s", "seconds"},
	{"_bytes_total", "By", "bytes"},
	{"_seconds", "s", "seconds"},
	{"_bytes", "By", "bytes"},
	{"_ratio", "1", "ratio"},
}

// Metrics that are computed from events other than samples.
var (
	jobInfo = &Metric{
		Name: "sledge_job_info", Type: Gauge, Labels: []string{"id", "database", "workload", "sledge_version", "server_version"},
		Help: "1 for each run. It connects the label run, which other metrics have, to the ID of the job",
	}
	jobState = &Metric{
		Name: "sledge_job_state", Type: Gauge, Labels: []string{"state"},
		Help: "1 for the current state: connecting, log in, ramp-up, measure or finish; when the job has ended, its status",
	}
	transactions = &Metric{
		Name: "sledge_transactions_total", Type: Counter, Labels: []string{"kind", "phase", "outcome", "class"},
		Help: "Transactions that ended. The outcome is done, rolled back or failed. The class is that of the failure, or empty",
	}
	retries = &Metric{
		Name: "sledge_retries_total", Type: Counter, Labels: []string{"kind", "phase"},
		Help: "Further tries of transactions whose first try failed",
	}
	response = &Metric{
		Name: "sledge_response_seconds", Type: Histogram, Labels: []string{"kind", "phase"},
		Help: "Response times of done transactions, from scheduled start to completion, retries included",
	}
	service = &Metric{
		Name: "sledge_service_seconds", Type: Histogram, Labels: []string{"kind", "phase"},
		Help: "Service times of done transactions, which are those of their last try",
	}
	elapsed = &Metric{
		Name: "sledge_elapsed_seconds_total", Type: Counter, Labels: []string{"phase"},
		Help: "Time that a phase has lasted",
	}
	traffic = &Metric{
		Name: "sledge_traffic_bytes_total", Type: Counter, Labels: []string{"kind", "phase", "direction"},
		Help: "Bytes that virtual users sent to the database and received; missing for an embedded database",
	}
	roundTrips = &Metric{
		Name: "sledge_round_trips_total", Type: Counter, Labels: []string{"kind", "phase"},
		Help: "Requests of virtual users that the database answered; missing for an embedded database",
	}
	users = &Metric{
		Name: "sledge_users", Type: Gauge, Labels: []string{"state"},
		Help: "Virtual users that are waiting, running, succeeded or failed",
	}
	working = &Metric{
		Name: "sledge_working_users", Type: Gauge,
		Help: "Virtual users at work by the load steps of the run; missing if their number does not change",
	}
	clients = &Metric{
		Name: "sledge_logged_in_clients", Type: Gauge,
		Help: "Asynchronous clients that have logged in; missing if the run has none",
	}
	serverRate = &Metric{
		Name: "sledge_server_transactions_per_minute", Type: Gauge,
		Help: "Rate of the server's own count of transactions",
	}
	startLag = &Metric{
		Name: "sledge_start_lag_seconds", Type: Gauge, Labels: []string{"quantile"},
		Help: "Start lag of transactions at the end of a run that pauses or has a rate, for the quantiles 0.5, 0.95, 0.99 and 1",
	}
	result = &Metric{
		Name: "sledge_result", Type: Gauge, Labels: []string{"figure"},
		Help: "Headline figures at the end of a run, such as NOPM",
	}
	otherSamples = &Metric{
		Name: "sledge_sample", Type: Gauge, Labels: []string{"series", "unit", "which"},
		Help: "Last value of any other series that is sampled beside a run. The label which has the values of its labels",
	}
)

// Metrics lists all metrics.
var Metrics = slices.Concat([]*Metric{
	jobInfo, jobState, transactions, retries, response, service, elapsed, traffic, roundTrips, users, working, clients, serverRate, startLag, result, otherSamples,
}, sampled)

// sampled are the metrics that are the last values of series of samples.
var sampled = []*Metric{
	{
		Name: "sledge_active_sessions", Type: Gauge, Labels: []string{"class"}, Series: "active sessions", Factor: 1,
		Help: "Mean number of the server's active sessions by what they wait for; the class cpu waits for nothing",
	},
	{
		Name: "sledge_active_background_processes", Type: Gauge, Labels: []string{"class"}, Series: "active background processes", Factor: 1,
		Help: "Mean number of the server's own active processes by what they wait for",
	},
	{
		Name: "sledge_server_counter_per_minute", Type: Gauge, Series: "transaction counter", Factor: 1,
		Help: "Rate of a transaction counter that runs beside the job",
	},
	{
		Name: "sledge_host_cpu_ratio", Type: Gauge, Labels: []string{"machine", "mode"}, Series: "CPU", Factor: 0.01,
		Help: "Share of the time of all cores by mode",
	},
	{
		Name: "sledge_host_cpu_frequency_hertz", Type: Gauge, Labels: []string{"machine"}, Series: "CPU frequency", Factor: 1e6,
		Help: "Mean frequency of up to eight cores",
	},
	{
		Name: "sledge_host_cpu_limit_ratio", Type: Gauge, Labels: []string{"machine", "time"}, Series: "CPU limit of the container", Factor: 0.01,
		Help: "Use of the container's limit of CPU time: used, and throttled",
	},
	{
		Name: "sledge_host_context_switches_per_second", Type: Gauge, Labels: []string{"machine"}, Series: "context switches", Factor: 1,
		Help: "Context switches",
	},
	{
		Name: "sledge_host_threads_waiting", Type: Gauge, Labels: []string{"machine"}, Series: "threads waiting for a core", Factor: 1,
		Help: "Mean number of threads that wait for a core",
	},
	{
		Name: "sledge_host_memory_bytes", Type: Gauge, Labels: []string{"machine", "use"}, Series: "memory", Factor: 1 << 20,
		Help: "Memory by use",
	},
	{
		Name: "sledge_host_pages_per_second", Type: Gauge, Labels: []string{"machine", "pages"}, Series: "pages", Factor: 1,
		Help: "Pages that were read from disk, swapped in or swapped out",
	},
	{
		Name: "sledge_host_processes_killed_per_second", Type: Gauge, Labels: []string{"machine"}, Series: "processes killed for memory", Factor: 1,
		Help: "Processes that the kernel killed because memory was exhausted",
	},
	{
		Name: "sledge_host_disk_bytes_per_second", Type: Gauge, Labels: []string{"machine", "disk", "direction"}, Series: "disk throughput", Factor: 1e6,
		Help: "Throughput of a disk",
	},
	{
		Name: "sledge_host_disk_requests_per_second", Type: Gauge, Labels: []string{"machine", "disk", "kind"}, Series: "disk requests", Factor: 1,
		Help: "Requests that a disk completed: reads, writes, flushes",
	},
	{
		Name: "sledge_host_disk_response_seconds", Type: Gauge, Labels: []string{"machine", "disk", "kind"}, Series: "disk response time", Factor: 1e-3,
		Help: "Mean response time of a disk",
	},
	{
		Name: "sledge_host_disk_in_use_ratio", Type: Gauge, Labels: []string{"machine", "disk"}, Series: "disk in use", Factor: 0.01,
		Help: "Share of the time in which a disk had requests",
	},
	{
		Name: "sledge_host_disk_queue", Type: Gauge, Labels: []string{"machine", "disk"}, Series: "disk queue", Factor: 1,
		Help: "Mean number of requests that a disk works on or has queued",
	},
	{
		Name: "sledge_host_network_bytes_per_second", Type: Gauge, Labels: []string{"machine", "interface", "direction"}, Series: "network throughput", Factor: 1e6,
		Help: "Throughput of a network interface",
	},
	{
		Name: "sledge_host_network_problems_per_second", Type: Gauge, Labels: []string{"machine", "problem"}, Series: "network problems", Factor: 1,
		Help: "Errors, drops, retransmitted segments and full queues of the network",
	},
	{
		Name: "sledge_host_pressure_ratio", Type: Gauge, Labels: []string{"machine", "resource", "threads"}, Series: "pressure", Factor: 0.01,
		Help: "Share of the time in which some threads, or all, waited for a resource",
	},
	{
		Name: "sledge_client_scheduling_delay_seconds", Type: Gauge, Labels: []string{"machine", "share"}, Series: "scheduling delay", Factor: 1e-3,
		Help: "Time that Sledge's goroutines waited for a thread: the 99th percentile of a second",
	},
	{
		Name: "sledge_client_cpu_cores", Type: Gauge, Labels: []string{"machine"}, Series: "Sledge's CPU", Factor: 1,
		Help: "Cores that Sledge uses",
	},
	{
		Name: "sledge_client_memory_bytes", Type: Gauge, Labels: []string{"machine"}, Series: "Sledge's memory", Factor: 1 << 20,
		Help: "Memory that Sledge uses",
	},
}

// bySeries returns the metric of a series of samples, or nil.
func bySeries(name string) *Metric {
	i := slices.IndexFunc(sampled, func(m *Metric) bool { return m.Series == name })
	if i < 0 {
		return nil
	}
	return sampled[i]
}
