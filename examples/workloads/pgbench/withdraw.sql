-- An account is not overdrawn.
\set aid random(1, 100000 * :scale)
\set delta -random(1, :most)
BEGIN;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid \gset
\if :abalance + :delta >= 0
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (1, 1, :aid, :delta, CURRENT_TIMESTAMP);
\endif
END;
