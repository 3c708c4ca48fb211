-- Statistics for the planner, of each table and its indexes. If tables are in hash clusters,
-- disables their table locks: changes of rows then need no lock on the table, and the table's
-- structure cannot be changed.

-- name: order_line
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'ORDER_LINE', cascade => TRUE);
END;

-- name: stock
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'STOCK', cascade => TRUE);
END;
{{- if .Connection.HashKeys .Settings.Warehouses}}
/
ALTER TABLE stock DISABLE TABLE LOCK
{{- end}}

-- name: customer
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'CUSTOMER', cascade => TRUE);
END;
{{- if .Connection.HashKeys .Settings.Warehouses}}
/
ALTER TABLE customer DISABLE TABLE LOCK
{{- end}}

-- name: history
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'HISTORY', cascade => TRUE);
END;

-- name: orders
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'ORDERS', cascade => TRUE);
END;

-- name: new_order
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'NEW_ORDER', cascade => TRUE);
END;

-- name: item
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'ITEM', cascade => TRUE);
END;
{{- if .Connection.HashKeys .Settings.Warehouses}}
/
ALTER TABLE item DISABLE TABLE LOCK
{{- end}}

-- name: district
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'DISTRICT', cascade => TRUE);
END;
{{- if .Connection.HashKeys .Settings.Warehouses}}
/
ALTER TABLE district DISABLE TABLE LOCK
{{- end}}

-- name: warehouse
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'WAREHOUSE', cascade => TRUE);
END;
{{- if .Connection.HashKeys .Settings.Warehouses}}
/
ALTER TABLE warehouse DISABLE TABLE LOCK
{{- end}}
