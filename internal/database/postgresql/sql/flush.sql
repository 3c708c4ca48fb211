-- Has this session report its transactions to the statistics at once. Else a session
-- reports about once a second, so that a count is late by as much.
-- A session that has touched no table since its last report does not report, be its
-- transactions as many as they may, this one among them. So this one touches a table.
-- PostgreSQL before 15 has no such function, and no way to do it.
DO $$
BEGIN
  IF current_setting('server_version_num')::integer >= 150000 THEN
    PERFORM oid FROM pg_am WHERE oid = 0;
    PERFORM pg_stat_force_next_flush();
  END IF;
END
$$
