package names

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"sledge/internal/option"
)

// Key returns the key of an option in HammerDB's dictionaries: "pg_count_ware" for warehouses. If
// HammerDB does not have the option, the key is the prefix and the option's name.
func Key(database, workload, option string) string {
	d, b := Of(database), benchmarkOf(workload)
	return d.full(d.bareKey(b, option))
}

// bareKey returns the key of an option without prefix.
func (d Database) bareKey(b Benchmark, option string) string {
	for _, keys := range []map[string]string{d.keys[b.Workload], d.keys[""], b.keys} {
		if key, ok := keys[option]; ok {
			return key
		}
	}
	return option
}

// full adds the prefix to a key.
func (d Database) full(key string) string {
	if d.bare && !slices.Contains(d.prefixed, key) {
		return key
	}
	return d.Prefix + "_" + key
}

// Option returns the described option with a key, or "".
func Option(database, workload, key string, described []option.Description) string {
	for _, o := range described {
		if Key(database, workload, o.Name) == key {
			return o.Name
		}
	}
	return ""
}

// Keys returns the keys of options, for messages that name options by their keys.
func Keys(database, workload string, described []option.Description) option.Names {
	all := option.Names{}
	for _, o := range described {
		all[o.Name] = Key(database, workload, o.Name)
	}
	return all
}

// socket is the option for the path of a Unix socket.
const socket = "socket"

// Default returns HammerDB's default of an option, given Sledge's.
func Default(database, workload, option, own string) string {
	return cmp.Or(Of(database).defaults[option], benchmarkOf(workload).defaults[option], own)
}

// Unused reports whether HammerDB ignores the value of an option on this machine. It ignores only
// its default socket, if the file does not exist.
func Unused(database, option, value string) bool {
	if option != socket || value != Of(database).defaults[socket] {
		return false
	}
	_, err := os.Stat(value)
	return err != nil
}

// Order lists the keys of a database and a workload in the order of HammerDB's dictionary. For a
// database that HammerDB does not have, it lists only the first ones.
func Order(database, workload string) []string {
	d, b := Of(database), benchmarkOf(workload)
	between := d.order[workload]
	keys := b.first
	if between != nil {
		keys = slices.Concat(b.first, between, b.last, d.behind[workload])
	}
	var list []string
	for _, key := range keys {
		// The order of the database may already contain a key of the workload.
		if full := d.full(key); !slices.Contains(list, full) {
			list = append(list, full)
		}
	}
	return list
}

// Rest lists, in order, the keys that come after those of Order and before all others.
func Rest(database, workload string) []string {
	d := Of(database)
	var list []string
	for _, key := range benchmarkOf(workload).rest {
		list = append(list, d.full(key))
	}
	return list
}

// InScript lists the keys in a driver script, without prefix, in order: first those of the
// workload, then those of the database.
func InScript(database, workload string) []string {
	return slices.Concat(benchmarkOf(workload).script, Of(database).script[workload])
}

// Short returns an option's key in driver scripts, which has no prefix.
func Short(database, workload, option string) string {
	return Of(database).bareKey(benchmarkOf(workload), option)
}

// SavedVariables maps the variables at the top of HammerDB's driver scripts, in lower case, to the
// keys in Sledge's driver scripts, without prefix. A variable without an entry in Variables or
// saved has the name of its key, ignoring case.
func SavedVariables(database, workload string) map[string]string {
	variables := map[string]string{}
	d, b := Of(database), benchmarkOf(workload)
	if b.Saved == nil {
		return variables
	}
	for _, key := range InScript(database, workload) {
		if key != b.Driver && (slices.Contains(d.script[workload], key) || slices.Contains(Order(database, workload), d.full(key))) {
			variables[key] = key
		}
		for _, list := range []map[string]string{b.Saved.Variables, d.saved} {
			for variable, of := range list {
				if of == key {
					variables[variable] = key
				}
			}
		}
	}
	return variables
}

// IsSecret reports whether the value of a key is a secret in HammerDB.
func IsSecret(key string) bool { return strings.Contains(strings.ToLower(key), "pass") }

// Meant returns the option of a key, even for a database or a workload that Sledge does not have. A
// key without an entry in the tables loses its prefix. A key of another database or workload is
// returned unchanged.
func Meant(database, workload, key string) string {
	d, b := Of(database), benchmarkOf(workload)
	short, ours := strings.CutPrefix(key, d.Prefix+"_")
	if d.bare && (!ours || !slices.Contains(d.prefixed, short)) {
		short, ours = key, true
	}
	if !ours {
		return key
	}
	for _, keys := range []map[string]string{d.keys[workload], d.keys[""], b.keys} {
		for option, of := range keys {
			if of == short {
				return option
			}
		}
	}
	for _, other := range Benchmarks {
		for _, of := range other.keys {
			if of == short && other.Workload != workload {
				return key
			}
		}
		for _, of := range d.keys[other.Workload] {
			if of == short && other.Workload != workload {
				return key
			}
		}
	}
	return short
}

// labels are HammerDB's labels of options in its dialogs, by workload and option; "" stands for all
// workloads. %s is replaced by HammerDB's name for the database.
var labels = map[string]map[string]string{
	"": {
		"builders": "Virtual Users to Build Schema", "user_delay": "User Delay", "stop_on_failure": "Exit on %s Error",
		"stored_procedures": "%s Stored Procedures", "client_sql": "No Stored Procedures", "prepared": "Prepare Statements",
		"history_pk": "History Table Primary Key", "purge": "Purge when complete", "vacuum": "Vacuum when complete",
		"wait_snapshots": "EnterpriseDB DRITA Snapshots", "oracle_compatible": "EnterpriseDB Oracle Compatible", "citus": "Citus Compatible",
		"parallel_workers": "Degree of Parallelism", "redshift": "Redshift Compatible Queries",
		"greenplum": "Greenplum Database Compatible", "greenplum_compress": "Greenplum Compressed Columns",
		"in_memory": "In-Memory OLTP", "bucket": "In-Memory Hash Bucket Multiplier", "durability": "In-Memory Durability", "bulk_copy": "Use BCP Option",
		"azure": "Azure", "encrypt": "Encrypt Connection", "trust_server_cert": "Trust Server Certificate", "msi_object_id": "MSI Object ID",
		"checkpoint": "Checkpoint when complete", "maxdop": "MAXDOP", "columnstore": "Clustered Columnstore",
		"partition_by_date": "Partition Orders and Lineitems", "advanced_statistics": "Create Advanced Statistics",
		"hash_clusters": "Use Hash Clusters", "timesten": "TimesTen Database Compatible",
		"system_user": "System User", "system_password": "System User Password", "instance": "Oracle Service Name",
		"oceanbase": "Oceanbase Database Compatible", "oceanbase_tenant": "Oceanbase Tenant Name", "oceanbase_partitions": "Oceanbase Partitions",
		"monreport": "Minutes for MONREPORT", "table_tablespaces": "Tablespace List", "organize_by": "%s Organize By", "degree_of_parallel": "Degree of Parallelism",
	},
	"tprocc": {
		"warehouses": "Number of Warehouses", "partition": "Partition Order Line Table", "iterations": "Total Transactions per User",
		"key_and_think": "Keying and Thinking Time", "rampup": "Minutes of Rampup Time", "duration": "Minutes for Test Duration",
		"all_warehouses": "Use All Warehouses", "time_profile": "Time Profile", "driver": "TPROC-C Driver Script",
		"async_scale": "Asynchronous Scaling", "async_clients": "Asynch Clients per Virtual User", "async_delay": "Asynch Client Login Delay",
		"async_verbose": "Asynchronous Verbose", "connect_pool": "Cluster Connect Pool",
	},
	"tproch": {
		"scale_factor": "Scale Factor", "query_sets": "Total Query Sets per User", "verbose": "Verbose Output",
		"refresh": "Refresh Function", "refresh_sets": "Number of Update Sets", "refresh_delay": "Trickle Refresh Delay(ms)",
		"refresh_verbose": "Refresh Verbose", "cloud_queries": "Cloud Analytic Queries",
	},
}

// Label returns HammerDB's label of an option in its dialogs, or "".
func Label(database, workload, option string) string {
	label := cmp.Or(labels[workload][option], labels[""][option])
	if strings.Contains(label, "%s") {
		d := Of(database)
		label = fmt.Sprintf(label, cmp.Or(d.Display, d.Name, database))
	}
	return label
}
