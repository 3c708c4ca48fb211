-- Without them, Derby compares each customer with each order, and sometimes takes minutes for
-- query 9, because it searches lineitem once for each part.
-- name: orders
CREATE INDEX orders_i2 ON orders (o_custkey)

-- name: lineitem
CREATE INDEX lineitem_partsupp ON lineitem (l_partkey, l_suppkey)
