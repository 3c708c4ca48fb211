-- TPC-C 2.5. One customer in ten has bad credit.
\set w_id :client_id % :warehouses + 1
\set d_id random(1, 10)
\set remote CASE WHEN random(1, 100) > 85 AND :warehouses > 1 THEN 1 ELSE 0 END
\set c_w_id CASE WHEN :remote = 1 THEN (:w_id + random(0, :warehouses - 2)) % :warehouses + 1 ELSE :w_id END
\set c_d_id CASE WHEN :remote = 1 THEN random(1, 10) ELSE :d_id END
\set c_id ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set by_name CASE WHEN random(1, 100) <= 60 THEN 1 ELSE 0 END
\set name_number ((random(0, 255) | random(0, 999)) + 223) % 1000
\set h_amount_cents random(100, 500000)
\set bad_credit random(1, 10)
BEGIN;
\if :by_name = 1
{{aset (sql "payment.select_customers_by_name")}}
\endif
{{sql "payment.select_customer"}}
\if :bad_credit = 1
{{sql "payment.update_customer_bad_credit"}}
\else
{{sql "payment.update_customer"}}
\endif
{{sql "payment.update_district"}}
{{sql "payment.select_district"}}
{{sql "payment.update_warehouse"}}
{{sql "payment.select_warehouse"}}
{{sql "payment.insert_history"}}
COMMIT;
