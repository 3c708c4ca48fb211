-- The options of a kept spec go by their names, which are the same for every database,
-- and no longer by the keys that the console's dictionaries have for them. A key that has
-- a name of its own is in the list below; any other only loses its prefix. What begins
-- with no prefix of its job's database, or is a key of another workload, stays as it is.
CREATE TEMP TABLE prefixed (database TEXT, prefix TEXT);
INSERT INTO prefixed VALUES
	('postgresql', 'pg_'), ('mariadb', 'maria_'), ('mysql', 'mysql_'), ('sqlite', 'sqlite_'),
	('mssqlserver', 'mssqls_'), ('db2', 'db2_'), ('oracle', '');

-- A key without prefix, of a database or '' for any, in jobs with a workload or '' for any.
CREATE TEMP TABLE named (database TEXT, workload TEXT, key TEXT, name TEXT);
INSERT INTO named VALUES
	('', 'tprocc', 'count_ware', 'warehouses'),
	('', 'tprocc', 'num_vu', 'builders'),
	('', 'tprocc', 'total_iterations', 'iterations'),
	('', 'tprocc', 'raiseerror', 'stop_on_failure'),
	('', 'tprocc', 'keyandthink', 'key_and_think'),
	('', 'tprocc', 'allwarehouse', 'all_warehouses'),
	('', 'tprocc', 'timeprofile', 'time_profile'),
	('', 'tprocc', 'async_client', 'async_clients'),
	('', 'tprocc', 'no_stored_procs', 'client_sql'),
	('', 'tproch', 'scale_fact', 'scale_factor'),
	('', 'tproch', 'num_tpch_threads', 'builders'),
	('', 'tproch', 'total_querysets', 'query_sets'),
	('', 'tproch', 'raise_query_error', 'stop_on_failure'),
	('', 'tproch', 'refresh_on', 'refresh'),
	('', 'tproch', 'update_sets', 'refresh_sets'),
	('', 'tproch', 'trickle_refresh', 'refresh_delay'),
	('', 'tproch', 'cloud_query', 'cloud_queries'),
	('postgresql', '', 'sslmode', 'ssl_mode'),
	('postgresql', '', 'sslrootcert', 'ssl_ca'),
	('postgresql', '', 'sslcert', 'ssl_cert'),
	('postgresql', '', 'sslkey', 'ssl_key'),
	('postgresql', '', 'defaultdbase', 'superuser_dbname'),
	('postgresql', '', 'dbase', 'dbname'),
	('postgresql', '', 'tspace', 'tablespace'),
	('postgresql', '', 'storedprocs', 'stored_procedures'),
	('postgresql', '', 'oracompat', 'oracle_compatible'),
	('postgresql', '', 'cituscompat', 'citus'),
	('postgresql', '', 'dritasnap', 'wait_snapshots'),
	('postgresql', '', 'tpch_gpcompat', 'greenplum'),
	('postgresql', '', 'tpch_gpcompress', 'greenplum_compress'),
	('postgresql', '', 'degree_of_parallel', 'parallel_workers'),
	('postgresql', '', 'rs_compat', 'redshift'),
	('postgresql', 'tproch', 'tpch_superuser', 'superuser'),
	('postgresql', 'tproch', 'tpch_defaultdbase', 'superuser_dbname'),
	('postgresql', 'tproch', 'tpch_user', 'user'),
	('postgresql', 'tproch', 'tpch_dbase', 'dbname'),
	('postgresql', 'tproch', 'tpch_tspace', 'tablespace'),
	('mysql', '', 'dbase', 'dbname'),
	('mysql', '', 'tpch_obcompat', 'oceanbase'),
	('mysql', '', 'ob_partition_num', 'oceanbase_partitions'),
	('mysql', '', 'ob_tenant_name', 'oceanbase_tenant'),
	('mysql', 'tproch', 'tpch_user', 'user'),
	('mysql', 'tproch', 'tpch_dbase', 'dbname'),
	('mysql', 'tproch', 'tpch_storage_engine', 'storage_engine'),
	('mariadb', '', 'dbase', 'dbname'),
	('mariadb', 'tproch', 'tpch_user', 'user'),
	('mariadb', 'tproch', 'tpch_dbase', 'dbname'),
	('mariadb', 'tproch', 'tpch_storage_engine', 'storage_engine'),
	('oracle', '', 'ora_driver', 'driver');

CREATE TEMP TABLE renamed AS
	SELECT job.number AS job, o.key, o.value, CASE
		WHEN p.prefix IS NULL THEN o.key
		ELSE coalesce(
			(SELECT n.name FROM named AS n WHERE n.key = substr(o.key, length(p.prefix) + 1)
				AND n.database IN ('', job.database) AND n.workload IN ('', job.workload) ORDER BY n.workload DESC LIMIT 1),
			(SELECT o.key FROM named AS n WHERE n.key = substr(o.key, length(p.prefix) + 1) AND n.database IN ('', job.database) LIMIT 1),
			substr(o.key, length(p.prefix) + 1))
	END AS name
	FROM job, json_each(job.spec, '$.options') AS o
	LEFT JOIN prefixed AS p ON p.database = job.database AND substr(o.key, 1, length(p.prefix)) = p.prefix
	WHERE json_type(job.spec, '$.options') = 'object';
CREATE INDEX temp.renamed_of_job ON renamed (job, name);

-- Where two keys of a job come to one name, the first stays a key, so that neither is lost.
UPDATE renamed SET name = key WHERE EXISTS (
	SELECT 1 FROM renamed AS other WHERE other.job = renamed.job AND other.name = renamed.name AND other.key <> renamed.key);

UPDATE job SET spec = json_set(spec, '$.options', json((
	SELECT json_group_object(name, value) FROM renamed WHERE renamed.job = job.number)))
WHERE number IN (SELECT job FROM renamed);

-- Which profile a job is part of is no part of what was asked of it: the column says it.
UPDATE job SET spec = json_remove(spec, '$.profile') WHERE json_type(spec, '$.profile') IS NOT NULL;

DROP TABLE renamed;
DROP TABLE named;
DROP TABLE prefixed;
