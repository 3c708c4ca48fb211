-- Statistics for the planner. Those of indexes on disk are up to date. sp_updatestats, which only
-- the owner of the database may call, updates the others, because tables in memory had their
-- indexes before they had rows.
{{- if .Connection.InMemory}}
UPDATE STATISTICS dbo.warehouse;
UPDATE STATISTICS dbo.district;
UPDATE STATISTICS dbo.customer;
UPDATE STATISTICS dbo.history;
UPDATE STATISTICS dbo.item;
UPDATE STATISTICS dbo.stock;
UPDATE STATISTICS dbo.new_order;
UPDATE STATISTICS dbo.orders;
UPDATE STATISTICS dbo.order_line
{{- else}}
IF USER_NAME() = 'dbo'
  EXECUTE sp_updatestats
{{- end}}
