-- name: version
SELECT MAX(version) FROM product_component_version WHERE product LIKE 'Oracle%'

-- What was set for the instance, and what decides whether a commit waits for the redo log.
-- Parameters that may hold a password are left out.
-- name: settings
SELECT name, value FROM v$parameter
WHERE (isdefault = 'FALSE' OR name IN ('commit_wait', 'commit_logging', 'commit_write', 'cpu_count', 'db_block_size', 'sga_target', 'pga_aggregate_target'))
  AND name NOT LIKE '%password%' AND name NOT LIKE '%wallet%'
UNION ALL
SELECT 'log_mode', log_mode FROM v$database
ORDER BY 1

-- What v$session calls this session.
-- name: session
SELECT 'session ' || SYS_CONTEXT('USERENV', 'SID') FROM dual

-- What virtual users tell of their connection: tcp, or tcps with TLS.
-- name: connection
SELECT 'Protocol ' || SYS_CONTEXT('USERENV', 'NETWORK_PROTOCOL') FROM dual
