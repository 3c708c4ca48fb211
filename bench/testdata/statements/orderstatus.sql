-- TPC-C 2.6
\set w_id :client_id % :warehouses + 1
\set d_id random(1, 10)
\set c_id ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set by_name CASE WHEN random(1, 100) <= 60 THEN 1 ELSE 0 END
\set name_number ((random(0, 255) | random(0, 999)) + 223) % 1000
\set o_id random(1, 3000)
BEGIN;
\if :by_name = 1
{{aset (sql "orderstatus.select_customers_by_name")}}
\endif
{{sql "orderstatus.select_customer"}}
{{sql "orderstatus.select_last_order"}}
{{sql "orderstatus.select_lines"}}
COMMIT;
