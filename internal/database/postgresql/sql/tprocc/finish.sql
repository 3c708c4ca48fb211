-- Statistics for the planner, and the visibility map, which the load leaves empty:
-- else autovacuum would make it in the middle of the first run.
VACUUM (ANALYZE) warehouse, district, customer, history, item, stock, new_order, orders, order_line
/
