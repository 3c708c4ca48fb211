-- Without them, Derby compares each customer with each order, and in one of six runs takes minutes
-- for query 9.
-- name: orders
CREATE INDEX orders_i2 ON orders (o_custkey)

-- name: lineitem
CREATE INDEX lineitem_partsupp ON lineitem (l_partkey, l_suppkey)
