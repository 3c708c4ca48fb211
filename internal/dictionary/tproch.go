package dictionary

// TPROC-H is not built yet, but scripts set its options, and people keep them in
// their settings. The structs below are the section tpch until the workload
// declares its own. Names and defaults are HammerDB's.

// scale says how much data there is.
type scale struct {
	Factor string `opt:"scale_fact" choices:"1|10|30|100|300|1000|3000|10000|30000|100000" help:"scale factor: GB of raw data"`
}

// queries says how queries are run.
type queries struct {
	Sets       int  `opt:"total_querysets" min:"1" help:"query sets that each virtual user runs"`
	RaiseError bool `opt:"raise_query_error" help:"end the run at the first query that fails"`
	Verbose    bool `opt:"verbose" help:"print queries and the rows they return"`
}

// refresh says whether the refresh functions are run, and which queries are.
type refresh struct {
	On      bool `opt:"refresh_on" help:"the first virtual user runs the refresh functions"`
	Sets    int  `opt:"update_sets" min:"1" help:"sets of refresh functions"`
	Trickle int  `opt:"trickle_refresh" min:"0" help:"milliseconds between two refreshed orders"`
	Verbose bool `opt:"refresh_verbose" help:"print what the refresh functions do"`
	Cloud   bool `opt:"cloud_query" help:"run the 13 cloud analytic queries instead of the 22"`
}

// threads says how many virtual users build.
type threads struct {
	Builders int `opt:"num_tpch_threads" min:"1" max:"512" help:"virtual users that build the schema side by side"`
}

type tprochPostgreSQL struct {
	scale
	Superuser         string `opt:"tpch_superuser" help:"user who creates the account and the database of the schema"`
	SuperuserPassword string `opt:"tpch_superuserpass" secret:"true" help:"that user's password"`
	DefaultDatabase   string `opt:"tpch_defaultdbase" help:"database that the superuser connects to before the schema's own exists"`
	User              string `opt:"tpch_user" help:"user who owns the schema and runs the workload"`
	Password          string `opt:"tpch_pass" secret:"true" help:"that user's password"`
	Database          string `opt:"tpch_dbase" help:"database that holds the schema"`
	Tablespace        string `opt:"tpch_tspace" help:"tablespace in which the database is created"`
	Greenplum         bool   `opt:"tpch_gpcompat" help:"build for Greenplum: distribute the tables"`
	GreenplumCompress bool   `opt:"tpch_gpcompress" help:"build for Greenplum: compressed, by column"`
	threads
	queries
	Parallel int `opt:"degree_of_parallel" min:"0" max:"1024" help:"parallel workers of a query"`
	refresh
	Redshift bool `opt:"rs_compat" help:"cloud analytic queries in the words of Redshift"`
}

// tprochMySQL are the options of MariaDB, and most of MySQL's.
type tprochMySQL struct {
	scale
	User     string `opt:"tpch_user" help:"user who owns the schema"`
	Password string `opt:"tpch_pass" secret:"true" help:"that user's password; null connects without one"`
	Database string `opt:"tpch_dbase" help:"database that holds the schema"`
	threads
	Engine string `opt:"tpch_storage_engine" help:"storage engine of the tables"`
}

type tprochMariaDB struct {
	tprochMySQL
	queries
	refresh
}

type tprochOceanBase struct {
	tprochMySQL
	OceanBase  bool   `opt:"tpch_obcompat" help:"build for OceanBase"`
	Partitions int    `opt:"ob_partition_num" min:"1" max:"8192" help:"partitions of each table in OceanBase"`
	Tenant     string `opt:"ob_tenant_name" help:"tenant of OceanBase"`
	queries
	refresh
}

type tprochSQLite struct {
	scale
	File string `opt:"tpch_file" help:"database file"`
	threads
	queries
	refresh
}

// newTPROCH returns a fresh struct of a database's options for TPROC-H. A
// database that HammerDB does not have gets those that name no server.
func newTPROCH(database string) any {
	s, t, q, r := scale{"1"}, threads{1}, queries{Sets: 1}, refresh{Sets: 1, Trickle: 1000}
	mysql := tprochMySQL{scale: s, User: "root", Password: "mysql", Database: "tpch", threads: t, Engine: "innodb"}
	switch database {
	case "postgresql":
		return &tprochPostgreSQL{
			scale:     s,
			Superuser: "postgres", SuperuserPassword: "postgres", DefaultDatabase: "postgres",
			User: "tpch", Password: "tpch", Database: "tpch", Tablespace: "pg_default",
			threads: t, queries: q, Parallel: 2, refresh: r,
		}
	case "mysql":
		return &tprochOceanBase{tprochMySQL: mysql, Partitions: 1, Tenant: "tpch", queries: q, refresh: r}
	case "mariadb":
		mysql.Password = "maria"
		return &tprochMariaDB{tprochMySQL: mysql, queries: q, refresh: r}
	}
	return &tprochSQLite{scale: s, File: "sledge-tpch.sqlite", threads: t, queries: q, refresh: r}
}
