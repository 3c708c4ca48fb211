-- name: version
SELECT COALESCE(MAX(SUBSTR(service_level, LOCATE('v', service_level) + 1)), 'unknown') FROM sysibmadm.env_inst_info

-- The settings on which the performance of these workloads depends, if the user may see them.
-- name: settings
SELECT name, COALESCE(value, '') AS value FROM sysibmadm.dbcfg
WHERE dbpartitionnum = CURRENT DBPARTITIONNUM AND name IN (
  'applheapsz', 'auto_maint', 'auto_runstats', 'auto_stmt_stats', 'auto_tbl_maint', 'catalogcache_sz', 'chngpgs_thresh', 'codeset', 'collate_info', 'cur_commit',
  'database_memory', 'dbheap', 'dft_degree', 'dft_prefetch_sz', 'dft_table_org', 'dlchktime', 'hadr_syncmode', 'locklist', 'locktimeout', 'log_write_dup_part',
  'logarchmeth1', 'logbufsz', 'logfilsiz', 'logprimary', 'logsecond', 'maxappls', 'maxlocks', 'mincommit', 'mirrorlogpath', 'num_iocleaners', 'num_ioservers', 'page_age_trgt_mcr',
  'pagesize', 'pckcachesz', 'self_tuning_mem', 'seqdetect', 'sheapthres_shr', 'softmax', 'sortheap', 'stmtheap', 'stmt_conc', 'util_heap_sz')

-- name: settings_of_instance
SELECT name, COALESCE(value, '') FROM sysibmadm.dbmcfg
WHERE name IN ('cpuspeed', 'federated', 'instance_memory', 'intra_parallel', 'max_connections', 'max_coordagents', 'max_querydegree', 'num_poolagents', 'sheapthres', 'srvcon_auth')

-- name: settings_of_registry
SELECT reg_var_name, COALESCE(reg_var_value, '') FROM TABLE(env_get_reg_variables(-1, 0)) AS r

-- The name of this session in LIST APPLICATIONS.
-- name: session
SELECT 'application ' || RTRIM(CHAR(mon_get_application_handle())) FROM sysibm.sysdummy1
