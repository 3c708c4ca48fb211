-- A date as text has no time here, unlike the sessions' date format.

-- name: days
SELECT COUNT(*) FROM sledge_test_types WHERE day >= DATE '2026-02-28' AND day < DATE '2026-03-01'

-- name: day
SELECT COUNT(*) FROM sledge_test_types WHERE day = DATE '1999-12-31'
