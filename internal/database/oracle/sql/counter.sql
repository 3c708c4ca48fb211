-- Commits and rollbacks that users requested, in the whole instance, or in a pluggable database, in
-- that database. The count is from views that every licence includes, not from AWR snapshots, which
-- need the Diagnostics Pack.
SELECT SUM(value) FROM v$sysstat WHERE name IN ('user commits', 'user rollbacks')

-- name: rac
SELECT SUM(value) FROM gv$sysstat WHERE name IN ('user commits', 'user rollbacks')
