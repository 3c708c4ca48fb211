-- The whole of it, which also says who packaged the server: 15.14 (Debian 15.14-0+deb12u1)
-- name: version
SELECT current_setting('server_version')

-- What was set in the server's files, on its command line, for the database or for
-- the role; not what this session chose. Settings that may hold a password are left
-- out.
-- name: settings
SELECT name, current_setting(name) FROM pg_settings
WHERE setting IS DISTINCT FROM boot_val AND context <> 'internal'
  AND source NOT IN ('default', 'client', 'session')
  AND name NOT IN ('primary_conninfo', 'ssl_passphrase_command')
ORDER BY name

-- What pg_stat_activity and the log call this session.
-- name: session
SELECT 'process ' || pg_backend_pid()

-- Those of these settings that this server knows.
-- name: steady
SELECT set_config(s.name, v.value, false)
FROM (VALUES ('default_transaction_isolation', 'read committed'), ('default_transaction_deferrable', 'off'),
  ('statement_timeout', '0'), ('lock_timeout', '0'), ('transaction_timeout', '0'),
  ('idle_in_transaction_session_timeout', '0'), ('idle_session_timeout', '0')) AS v (name, value)
JOIN pg_settings s ON s.name = v.name
