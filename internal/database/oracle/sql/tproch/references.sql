-- The foreign keys of TPC-H 1.4.2, added when all tables are loaded and have their keys. The one
-- from lineitem to orders is deferrable, so that lines can be inserted before their order. If two
-- statements lock the same table, one waits for the other, for up to the session's
-- DDL_LOCK_TIMEOUT.

-- name: nation
DECLARE
  reference_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(reference_is_there, -2275);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE nation ADD CONSTRAINT nation_region_fk FOREIGN KEY (n_regionkey) REFERENCES region';
EXCEPTION
  WHEN reference_is_there THEN NULL;
END;

-- name: supplier
DECLARE
  reference_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(reference_is_there, -2275);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE supplier ADD CONSTRAINT supplier_nation_fk FOREIGN KEY (s_nationkey) REFERENCES nation';
EXCEPTION
  WHEN reference_is_there THEN NULL;
END;

-- name: customer
DECLARE
  reference_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(reference_is_there, -2275);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE customer ADD CONSTRAINT customer_nation_fk FOREIGN KEY (c_nationkey) REFERENCES nation';
EXCEPTION
  WHEN reference_is_there THEN NULL;
END;

-- name: partsupp
DECLARE
  reference_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(reference_is_there, -2275);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE partsupp ADD CONSTRAINT partsupp_part_fk FOREIGN KEY (ps_partkey) REFERENCES part';
EXCEPTION
  WHEN reference_is_there THEN NULL;
END;
/
DECLARE
  reference_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(reference_is_there, -2275);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE partsupp ADD CONSTRAINT partsupp_supplier_fk FOREIGN KEY (ps_suppkey) REFERENCES supplier';
EXCEPTION
  WHEN reference_is_there THEN NULL;
END;

-- name: orders
DECLARE
  reference_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(reference_is_there, -2275);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE orders ADD CONSTRAINT orders_customer_fk FOREIGN KEY (o_custkey) REFERENCES customer';
EXCEPTION
  WHEN reference_is_there THEN NULL;
END;

-- name: lineitem
DECLARE
  reference_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(reference_is_there, -2275);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE lineitem ADD CONSTRAINT lineitem_partsupp_fk FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp';
EXCEPTION
  WHEN reference_is_there THEN NULL;
END;
/
DECLARE
  reference_is_there EXCEPTION;
  PRAGMA EXCEPTION_INIT(reference_is_there, -2275);
BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE lineitem ADD CONSTRAINT lineitem_order_fk FOREIGN KEY (l_orderkey) REFERENCES orders DEFERRABLE';
EXCEPTION
  WHEN reference_is_there THEN NULL;
END;
