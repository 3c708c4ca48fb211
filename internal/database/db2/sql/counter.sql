-- Commits and rollbacks of all applications in the database, on all its members.
SELECT SUM(total_app_commits + total_app_rollbacks) FROM TABLE(mon_get_database(-2)) AS m
