-- Statements that need the rights of a run, on no rows. They are tried before the virtual users
-- connect.

-- name: read_lineitem
SELECT l_orderkey FROM lineitem WHERE 1 = 0

-- name: read_orders
SELECT o_orderkey FROM orders WHERE 1 = 0

-- name: read_partsupp
SELECT ps_partkey FROM partsupp WHERE 1 = 0

-- name: read_part
SELECT p_partkey FROM part WHERE 1 = 0

-- name: read_customer
SELECT c_custkey FROM customer WHERE 1 = 0

-- name: read_supplier
SELECT s_suppkey FROM supplier WHERE 1 = 0

-- name: read_nation
SELECT n_nationkey FROM nation WHERE 1 = 0

-- name: read_region
SELECT r_regionkey FROM region WHERE 1 = 0

-- The following statements need the rights of the refresh functions.

-- name: write_new_orders
INSERT INTO orders SELECT * FROM orders WHERE 1 = 0

-- name: write_new_lines
INSERT INTO lineitem SELECT * FROM lineitem WHERE 1 = 0

-- name: write_old_lines
DELETE FROM lineitem WHERE 1 = 0

-- name: write_old_orders
DELETE FROM orders WHERE 1 = 0

-- name: write_progress
UPDATE sledge_refresh SET orders_done = orders_done WHERE 1 = 0
