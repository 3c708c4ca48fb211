-- Commits and rollbacks that users asked for, of the whole instance: in a pluggable database,
-- of that one. It is in the views that come with every licence, and not in AWR's snapshots,
-- which take the Diagnostics Pack.
SELECT SUM(value) FROM v$sysstat WHERE name IN ('user commits', 'user rollbacks')

-- name: rac
SELECT SUM(value) FROM gv$sysstat WHERE name IN ('user commits', 'user rollbacks')
