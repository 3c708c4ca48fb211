-- name: balances
-- the balances of all accounts are the sum of the history
SELECT a.total AS accounts, COALESCE(h.total, 0) AS history
FROM (SELECT SUM(abalance) AS total FROM pgbench_accounts) a
CROSS JOIN (SELECT SUM(delta) AS total FROM pgbench_history) h
WHERE a.total <> COALESCE(h.total, 0)
