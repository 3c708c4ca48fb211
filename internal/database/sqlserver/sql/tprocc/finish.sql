-- Statistics for the planner, of all tables.
EXECUTE sp_updatestats
