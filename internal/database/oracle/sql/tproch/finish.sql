-- Statistics for the planner.

-- name: lineitem
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'LINEITEM', cascade => TRUE);
END;

-- name: orders
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'ORDERS', cascade => TRUE);
END;

-- name: partsupp
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'PARTSUPP', cascade => TRUE);
END;

-- name: part
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'PART', cascade => TRUE);
END;

-- name: customer
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'CUSTOMER', cascade => TRUE);
END;

-- name: supplier
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'SUPPLIER', cascade => TRUE);
END;

-- name: nation
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'NATION', cascade => TRUE);
END;

-- name: region
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(USER, 'REGION', cascade => TRUE);
END;
