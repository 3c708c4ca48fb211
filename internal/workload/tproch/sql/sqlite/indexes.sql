-- Indexes for the references of TPC-H 1.4.2, built for each table as soon as it is loaded.

-- name: supplier
CREATE INDEX IF NOT EXISTS supplier_nation ON supplier (s_nationkey)

-- name: customer
CREATE INDEX IF NOT EXISTS customer_nation ON customer (c_nationkey)

-- name: partsupp
CREATE INDEX IF NOT EXISTS partsupp_supplier ON partsupp (ps_suppkey)

-- name: orders
CREATE INDEX IF NOT EXISTS orders_customer ON orders (o_custkey)

-- name: lineitem
CREATE INDEX IF NOT EXISTS lineitem_partsupp ON lineitem (l_partkey, l_suppkey)
