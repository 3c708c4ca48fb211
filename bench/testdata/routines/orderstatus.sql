-- TPC-C 2.6.1
\set w_id :client_id % :warehouses + 1
\set d_id random(1, 10)
\set c_id ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set by_name CASE WHEN random(1, 100) <= 60 THEN 1 ELSE 0 END
\set name_number ((random(0, 255) | random(0, 999)) + 223) % 1000
{{sql "function.ostat"}}
