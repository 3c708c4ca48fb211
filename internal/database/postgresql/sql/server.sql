-- The full version, which also shows who packaged the server: 15.14 (Debian 15.14-0+deb12u1)
-- name: version
SELECT current_setting('server_version')

-- The settings from the server's files, its command line, the database or the role, but not those
-- of this session, and without settings that may contain a password.
-- name: settings
SELECT name, current_setting(name) FROM pg_settings
WHERE setting IS DISTINCT FROM boot_val AND context <> 'internal'
  AND source NOT IN ('default', 'client', 'session')
  AND name NOT IN ('primary_conninfo', 'ssl_passphrase_command')
ORDER BY name

-- Where these settings were set: configuration file, command line, database, user, ...
-- name: setting_sources
SELECT name, source FROM pg_settings
WHERE setting IS DISTINCT FROM boot_val AND context <> 'internal' AND source NOT IN ('default', 'client', 'session')

-- The name of this session in pg_stat_activity and in the log.
-- name: session
SELECT 'process ' || pg_backend_pid()

-- Sets each of these settings that this server has.
-- name: steady
SELECT set_config(s.name, v.value, false)
FROM (VALUES ('default_transaction_isolation', 'read committed'), ('default_transaction_deferrable', 'off'),
  ('statement_timeout', '0'), ('lock_timeout', '0'), ('transaction_timeout', '0'),
  ('idle_in_transaction_session_timeout', '0'), ('idle_session_timeout', '0')) AS v (name, value)
JOIN pg_settings s ON s.name = v.name
