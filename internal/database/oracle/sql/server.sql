-- name: version
SELECT MAX(version) FROM product_component_version WHERE product LIKE 'Oracle%'

-- The parameters that were set for the instance, and those that decide whether a commit waits for
-- the redo log, without parameters that may contain a password.
-- name: settings
SELECT name, value FROM v$parameter
WHERE (isdefault = 'FALSE' OR name IN ('commit_wait', 'commit_logging', 'commit_write', 'cpu_count', 'db_block_size', 'sga_target', 'pga_aggregate_target'))
  AND name NOT LIKE '%password%' AND name NOT LIKE '%wallet%'
UNION ALL
SELECT 'log_mode', log_mode FROM v$database
ORDER BY 1

-- The name of this session in v$session.
-- name: session
SELECT 'session ' || SYS_CONTEXT('USERENV', 'SID') FROM dual

-- What virtual users report about their connection: tcp, or tcps with TLS.
-- name: connection
SELECT 'Protocol ' || SYS_CONTEXT('USERENV', 'NETWORK_PROTOCOL') FROM dual
