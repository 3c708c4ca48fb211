-- TPC-C 2.5.1
\set w_id :client_id % :warehouses + 1
\set d_id random(1, 10)
\set remote CASE WHEN random(1, 100) > 85 AND :warehouses > 1 THEN 1 ELSE 0 END
\set c_w_id CASE WHEN :remote = 1 THEN (:w_id + random(0, :warehouses - 2)) % :warehouses + 1 ELSE :w_id END
\set c_d_id CASE WHEN :remote = 1 THEN random(1, 10) ELSE :d_id END
\set c_id ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set by_name CASE WHEN random(1, 100) <= 60 THEN 1 ELSE 0 END
\set name_number ((random(0, 255) | random(0, 999)) + 223) % 1000
\set h_amount_cents random(100, 500000)
{{sql "function.payment"}}
