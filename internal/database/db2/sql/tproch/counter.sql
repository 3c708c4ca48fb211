-- Statements of all applications in the database that have ended, on all its members.
SELECT SUM(act_completed_total) FROM TABLE(mon_get_database(-2)) AS m
