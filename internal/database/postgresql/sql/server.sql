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
