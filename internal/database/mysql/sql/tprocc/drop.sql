-- Somebody who still uses a table is waited for, but not for a day.
SET SESSION lock_wait_timeout = 60
/
DROP PROCEDURE IF EXISTS NEWORD
/
DROP PROCEDURE IF EXISTS PAYMENT
/
DROP PROCEDURE IF EXISTS DELIVERY
/
DROP PROCEDURE IF EXISTS OSTAT
/
DROP PROCEDURE IF EXISTS SLEV
/
DROP TABLE IF EXISTS warehouse, district, customer, history, item, stock, new_order, orders, order_line
