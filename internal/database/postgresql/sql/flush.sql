-- Has this session report its transactions to the statistics at once. Else a session
-- reports about once a second, so that a count is late by as much.
-- PostgreSQL before 15 has no such function, and no way to do it.
DO $$
BEGIN
  IF current_setting('server_version_num')::integer >= 150000 THEN
    PERFORM pg_stat_force_next_flush();
  END IF;
END
$$
