-- Without it, Derby compares each customer with each order.
-- name: orders
CREATE INDEX orders_i2 ON orders (o_custkey)
