ANALYZE TABLE warehouse, district, customer, history, item, stock, new_order, orders, order_line
