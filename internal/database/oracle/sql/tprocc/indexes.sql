-- Indexes of each table, built as soon as it is loaded, which is faster than updating them during
-- the load. The exceptions are for a resumed build, which repeats these statements, because
-- versions before 23 have no IF NOT EXISTS. The indexes of orders are partitioned like their table.

-- name: stock
DECLARE
  name_is_taken EXCEPTION;
  PRAGMA EXCEPTION_INIT(name_is_taken, -955);
BEGIN
  EXECUTE IMMEDIATE 'CREATE UNIQUE INDEX stock_i1 ON stock (s_i_id, s_w_id) INITRANS 4';
EXCEPTION
  WHEN name_is_taken THEN NULL;
END;

-- name: customer
DECLARE
  name_is_taken EXCEPTION;
  PRAGMA EXCEPTION_INIT(name_is_taken, -955);
BEGIN
  EXECUTE IMMEDIATE 'CREATE UNIQUE INDEX customer_i1 ON customer (c_w_id, c_d_id, c_id) INITRANS 4';
EXCEPTION
  WHEN name_is_taken THEN NULL;
END;
/
DECLARE
  name_is_taken EXCEPTION;
  PRAGMA EXCEPTION_INIT(name_is_taken, -955);
BEGIN
  EXECUTE IMMEDIATE 'CREATE UNIQUE INDEX customer_i2 ON customer (c_last, c_w_id, c_d_id, c_first, c_id) INITRANS 4';
EXCEPTION
  WHEN name_is_taken THEN NULL;
END;

-- name: orders
DECLARE
  name_is_taken EXCEPTION;
  PRAGMA EXCEPTION_INIT(name_is_taken, -955);
BEGIN
  EXECUTE IMMEDIATE 'CREATE UNIQUE INDEX orders_i1 ON orders (o_w_id, o_d_id, o_id) INITRANS 4{{if .Connection.Partitions .Settings.Warehouses}} LOCAL{{end}}';
EXCEPTION
  WHEN name_is_taken THEN NULL;
END;
/
DECLARE
  name_is_taken EXCEPTION;
  PRAGMA EXCEPTION_INIT(name_is_taken, -955);
BEGIN
  EXECUTE IMMEDIATE 'CREATE UNIQUE INDEX orders_i2 ON orders (o_w_id, o_d_id, o_c_id, o_id) INITRANS 4{{if .Connection.Partitions .Settings.Warehouses}} LOCAL{{end}}';
EXCEPTION
  WHEN name_is_taken THEN NULL;
END;

-- name: item
DECLARE
  name_is_taken EXCEPTION;
  PRAGMA EXCEPTION_INIT(name_is_taken, -955);
BEGIN
  EXECUTE IMMEDIATE 'CREATE UNIQUE INDEX item_i1 ON item (i_id) INITRANS 4';
EXCEPTION
  WHEN name_is_taken THEN NULL;
END;

-- name: district
DECLARE
  name_is_taken EXCEPTION;
  PRAGMA EXCEPTION_INIT(name_is_taken, -955);
BEGIN
  EXECUTE IMMEDIATE 'CREATE UNIQUE INDEX district_i1 ON district (d_w_id, d_id) INITRANS 4';
EXCEPTION
  WHEN name_is_taken THEN NULL;
END;

-- name: warehouse
DECLARE
  name_is_taken EXCEPTION;
  PRAGMA EXCEPTION_INIT(name_is_taken, -955);
BEGIN
  EXECUTE IMMEDIATE 'CREATE UNIQUE INDEX warehouse_i1 ON warehouse (w_id) INITRANS 4';
EXCEPTION
  WHEN name_is_taken THEN NULL;
END;
