SELECT abalance FROM pgbench_accounts WHERE aid = :aid
