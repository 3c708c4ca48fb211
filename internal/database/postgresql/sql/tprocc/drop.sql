-- Somebody who still uses a table is waited for, but not for ever.
SET lock_timeout = '60s'
/
DO $drop$
DECLARE
  routine regprocedure;
BEGIN
  FOR routine IN
    SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      AND proname IN ('neword', 'payment', 'delivery', 'ostat', 'slev', 'dbms_random')
  LOOP
    EXECUTE format('DROP ROUTINE IF EXISTS %s', routine);
  END LOOP;
END $drop$
/
DROP TABLE IF EXISTS order_line, orders, new_order, history, customer, district, stock, item, warehouse
/
