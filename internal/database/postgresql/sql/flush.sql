-- Makes this session report its transactions to the statistics at once. Otherwise a session reports
-- about once a second, so a count is up to a second old. A session that has read no table since its
-- last report does not report, however many transactions it has run. So this statement reads a
-- table. PostgreSQL before 15 has no such function, and no other way to do this.
DO $$
BEGIN
  IF current_setting('server_version_num')::integer >= 150000 THEN
    PERFORM oid FROM pg_am WHERE oid = 0;
    PERFORM pg_stat_force_next_flush();
  END IF;
END
$$
