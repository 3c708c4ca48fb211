-- A day as text has no time, and the sessions' format of dates has one.

-- name: days
SELECT COUNT(*) FROM sledge_test_types WHERE day >= DATE '2026-02-28' AND day < DATE '2026-03-01'

-- name: day
SELECT COUNT(*) FROM sledge_test_types WHERE day = DATE '1999-12-31'
