-- The key of each table, built as soon as it is loaded. The exceptions are for a resumed build,
-- which repeats these statements.

-- name: lineitem
DECLARE
  key_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(key_is_there, -2260);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE lineitem ADD CONSTRAINT lineitem_pk PRIMARY KEY (l_orderkey, l_linenumber)';
EXCEPTION
  WHEN key_is_there THEN NULL;
END;

-- name: orders
DECLARE
  key_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(key_is_there, -2260);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE orders ADD CONSTRAINT orders_pk PRIMARY KEY (o_orderkey)';
EXCEPTION
  WHEN key_is_there THEN NULL;
END;

-- name: partsupp
DECLARE
  key_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(key_is_there, -2260);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE partsupp ADD CONSTRAINT partsupp_pk PRIMARY KEY (ps_partkey, ps_suppkey)';
EXCEPTION
  WHEN key_is_there THEN NULL;
END;

-- name: part
DECLARE
  key_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(key_is_there, -2260);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE part ADD CONSTRAINT part_pk PRIMARY KEY (p_partkey)';
EXCEPTION
  WHEN key_is_there THEN NULL;
END;

-- name: customer
DECLARE
  key_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(key_is_there, -2260);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE customer ADD CONSTRAINT customer_pk PRIMARY KEY (c_custkey)';
EXCEPTION
  WHEN key_is_there THEN NULL;
END;

-- name: supplier
DECLARE
  key_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(key_is_there, -2260);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE supplier ADD CONSTRAINT supplier_pk PRIMARY KEY (s_suppkey)';
EXCEPTION
  WHEN key_is_there THEN NULL;
END;

-- name: nation
DECLARE
  key_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(key_is_there, -2260);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE nation ADD CONSTRAINT nation_pk PRIMARY KEY (n_nationkey)';
EXCEPTION
  WHEN key_is_there THEN NULL;
END;

-- name: region
DECLARE
  key_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(key_is_there, -2260);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE region ADD CONSTRAINT region_pk PRIMARY KEY (r_regionkey)';
EXCEPTION
  WHEN key_is_there THEN NULL;
END;
