// Package names maps Sledge's names of databases, workloads and options to HammerDB's names in its
// commands, data and driver scripts. Names that HammerDB does not have follow a rule, so a new
// database or workload needs no entry here.
package names

import "strings"

// Database holds HammerDB's names for a database.
type Database struct {
	Name    string // in commands and data: "MSSQLServer"
	Display string // in texts, if it differs from Name: "SQL Server"
	Prefix  string // of its options: "mssqls"
	Library string // the Tcl library that driver scripts load: "tdbc::odbc"

	// folder is Sledge's name for the database.
	folder string

	// bare means that only the keys in prefixed have the prefix.
	bare     bool
	prefixed []string

	// keys maps, by workload, options of the database to their keys in dictionaries, without
	// prefix, if these differ from the options' names. The workload "" stands for all.
	keys map[string]map[string]string

	// defaults are those of HammerDB's defaults that differ from Sledge's, by the options' names.
	defaults map[string]string

	// order lists, by workload, the database's keys between the first and the last keys of the
	// workload, without prefix; behind lists its keys after those.
	order, behind map[string][]string

	// script lists, by workload, the database's keys that a driver script has after those of the
	// workload. These concern a run, not the schema or the server. saved maps variables of
	// HammerDB's driver scripts, in lower case, to these keys if the names differ.
	script map[string][]string
	saved  map[string]string
}

// Known lists HammerDB's databases in its order.
var Known = []Database{
	{
		Name: "Oracle", Prefix: "ora", Library: "Oratcl", folder: "oracle", bare: true, prefixed: []string{"driver", "timeprofile"},
		keys: map[string]map[string]string{
			"tprocc": {
				"user": "tpcc_user", "password": "tpcc_pass", "tablespace": "tpcc_def_tab", "order_line_tablespace": "tpcc_ol_tab",
				"temporary_tablespace": "tpcc_def_temp", "timesten": "tpcc_tt_compat",
			},
			"tproch": {
				"user": "tpch_user", "password": "tpch_pass", "tablespace": "tpch_def_tab",
				"temporary_tablespace": "tpch_def_temp", "timesten": "tpch_tt_compat",
			},
		},
		order: map[string][]string{
			"tprocc": {
				"tpcc_user", "tpcc_pass", "tpcc_def_tab", "tpcc_ol_tab", "tpcc_def_temp", "partition", "hash_clusters", "tpcc_tt_compat",
				"total_iterations", "raiseerror", "keyandthink", "checkpoint",
			},
			"tproch": {
				"tpch_user", "tpch_pass", "tpch_def_tab", "tpch_def_temp", "num_tpch_threads", "tpch_tt_compat",
				"total_querysets", "raise_query_error", "verbose", "degree_of_parallel",
			},
		},
		script: map[string][]string{"tprocc": {"checkpoint"}, "tproch": {"degree_of_parallel"}},
	},
	{
		Name: "MSSQLServer", Display: "SQL Server", Prefix: "mssqls", Library: "tdbc::odbc", folder: "sqlserver",
		keys: map[string]map[string]string{
			"": {
				"windows_host": "server", "host": "linux_server", "windows_authentication": "authentication", "authentication": "linux_authent",
				"windows_odbc_driver": "odbc_driver", "odbc_driver": "linux_odbc", "user": "uid", "password": "pass",
				"encrypt": "encrypt_connection", "dbname": "dbase", "in_memory": "imdb", "bulk_copy": "use_bcp", "columnstore": "colstore",
				"partition_by_date": "tpch_partition_orders_and_lineitems", "advanced_statistics": "tpch_advanced_stats",
			},
			"tproch": {
				"dbname": "tpch_dbase", "bulk_copy": "tpch_use_bcp", "bulk_folder": "tpch_bulk_folder",
				"bulk_folder_on_server": "tpch_bulk_folder_on_server",
			},
		},
		order: map[string][]string{
			"tprocc": {
				"dbase", "imdb", "bucket", "durability", "use_bcp", "total_iterations", "raiseerror", "keyandthink", "checkpoint",
			},
			"tproch": {
				"maxdop", "tpch_dbase", "num_tpch_threads", "colstore", "tpch_use_bcp", "tpch_partition_orders_and_lineitems", "tpch_advanced_stats",
			},
		},
		script: map[string][]string{"tprocc": {"checkpoint"}, "tproch": {"maxdop"}},
	},
	{
		Name: "Db2", Prefix: "db2", Library: "db2tcl", folder: "db2",
		keys: map[string]map[string]string{
			"": {
				"superuser": "def_user", "superuser_password": "def_pass", "superuser_dbname": "def_dbase",
				"password": "pass", "dbname": "dbase", "tablespace": "def_tab", "table_tablespaces": "tab_list",
			},
			"tproch": {
				"user": "tpch_user", "password": "tpch_pass", "dbname": "tpch_dbase", "tablespace": "tpch_def_tab", "organize_by": "tpch_organizeby",
			},
		},
		order: map[string][]string{
			"tprocc": {"user", "pass", "dbase", "def_tab", "tab_list", "partition", "monreport"},
			"tproch": {
				"tpch_user", "tpch_pass", "tpch_dbase", "tpch_def_tab", "num_tpch_threads", "tpch_organizeby",
				"total_querysets", "raise_query_error", "verbose", "degree_of_parallel",
			},
		},
		script: map[string][]string{"tprocc": {"monreport"}, "tproch": {"degree_of_parallel"}},
		saved:  map[string]string{"monreportinterval": "monreport"},
	},
	{
		Name: "MySQL", Prefix: "mysql", Library: "mysqltcl", folder: "mysql",
		keys: mysqlKeys, defaults: map[string]string{socket: "/tmp/mysql.sock"},
		order:  mysqlOrder("tpch_obcompat", "ob_partition_num", "ob_tenant_name"),
		script: map[string][]string{"tprocc": {"prepared"}}, saved: map[string]string{"prepare": "prepared"},
	},
	{
		Name: "PostgreSQL", Prefix: "pg", Library: "Pgtcl", folder: "postgresql",
		keys: map[string]map[string]string{
			"": {
				"ssl_mode": "sslmode", "ssl_ca": "sslrootcert", "ssl_cert": "sslcert", "ssl_key": "sslkey",
				"superuser_password": "superuserpass", "superuser_dbname": "defaultdbase", "password": "pass", "dbname": "dbase",
				"tablespace": "tspace", "stored_procedures": "storedprocs",
				"oracle_compatible": "oracompat", "citus": "cituscompat", "wait_snapshots": "dritasnap",
				"greenplum_compress": "tpch_gpcompress", "greenplum": "tpch_gpcompat",
				"parallel_workers": "degree_of_parallel", "redshift": "rs_compat",
			},
			"tproch": {
				"superuser": "tpch_superuser", "superuser_password": "tpch_superuserpass", "superuser_dbname": "tpch_defaultdbase",
				"user": "tpch_user", "password": "tpch_pass", "dbname": "tpch_dbase", "tablespace": "tpch_tspace",
				"no_superuser": "tpch_no_superuser",
			},
		},
		order: map[string][]string{
			"tprocc": {
				"superuser", "superuserpass", "defaultdbase", "user", "pass", "dbase", "tspace",
				"oracompat", "cituscompat", "storedprocs", "partition", "vacuum", "dritasnap",
			},
			"tproch": {
				"tpch_superuser", "tpch_superuserpass", "tpch_defaultdbase", "tpch_user", "tpch_pass", "tpch_dbase", "tpch_tspace",
				"tpch_gpcompat", "tpch_gpcompress", "num_tpch_threads", "total_querysets", "raise_query_error", "verbose", "degree_of_parallel",
			},
		},
		behind: map[string][]string{"tproch": {"rs_compat"}},
		script: map[string][]string{"tprocc": {"vacuum", "dritasnap", "oracompat"}, "tproch": {"degree_of_parallel", "rs_compat"}},
		saved:  map[string]string{"drita_snapshots": "dritasnap", "ora_compatible": "oracompat"},
	},
	{
		Name: "MariaDB", Prefix: "maria", Library: "mariatcl", folder: "mariadb",
		keys: mysqlKeys, defaults: map[string]string{socket: "/tmp/mariadb.sock"}, order: mysqlOrder(),
		script: map[string][]string{"tprocc": {"prepared", "purge"}}, saved: map[string]string{"prepare": "prepared"},
	},
}

// mysqlKeys are the keys of MySQL and its variants. A database ignores keys of options that it does
// not have.
var mysqlKeys = map[string]map[string]string{
	"": {
		"password": "pass", "dbname": "dbase",
		"oceanbase": "tpch_obcompat", "oceanbase_partitions": "ob_partition_num", "oceanbase_tenant": "ob_tenant_name",
	},
	"tproch": {"user": "tpch_user", "password": "tpch_pass", "dbname": "tpch_dbase", "storage_engine": "tpch_storage_engine"},
}

// mysqlOrder returns the order of the keys of MySQL or a variant, which may have more keys for
// TPROC-H.
func mysqlOrder(more ...string) map[string][]string {
	return map[string][]string{
		"tprocc": {"user", "pass", "dbase", "storage_engine", "partition", "prepared", "history_pk", "no_stored_procs"},
		"tproch": append([]string{"tpch_user", "tpch_pass", "tpch_dbase", "num_tpch_threads", "tpch_storage_engine"}, more...),
	}
}

// ownKeys maps options to keys for databases that HammerDB does not have, by folder and workload.
// They are needed if two workloads have the same option, because a key is in only one section.
var ownKeys = map[string]map[string]map[string]string{
	"sqlite": {"tproch": {"file": "tpch_file"}},
}

// Usual is the prefix of the default database. HammerDB's own default is Oracle.
const Usual = "pg"

// Named returns the database of that name, ignoring case, or an empty Database.
func Named(name string) Database {
	return find(func(d Database) bool { return strings.EqualFold(d.Name, name) })
}

// Folder returns Sledge's name for the database with that Name, ignoring case. If Sledge has no
// name for it, Folder returns Name in lower case.
func Folder(name string) string {
	if d := Named(name); d.folder != "" {
		return d.folder
	}
	return strings.ToLower(name)
}

// Loading returns the database of a Tcl library, or an empty Database.
func Loading(library string) Database {
	return find(func(d Database) bool { return d.Library == library })
}

// Of returns the database with Sledge's name, or with HammerDB's Name in lower case, which is in
// jobs that were imported before Sledge had the database. If HammerDB does not have the database,
// Name is empty and Prefix is Sledge's name.
func Of(folder string) Database {
	d := find(func(d Database) bool { return d.folder == folder || strings.ToLower(d.Name) == folder })
	if d.folder == "" {
		return Database{Prefix: folder, folder: folder, keys: ownKeys[folder]}
	}
	return d
}

func find(is func(Database) bool) Database {
	for _, d := range Known {
		if is(d) {
			return d
		}
	}
	return Database{}
}
