-- TPC-C 2.4.1
\set w_id :client_id % :warehouses + 1
\set max_w_id :warehouses
\set d_id random(1, 10)
\set c_id ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set ol_cnt random(5, 15)
{{sql "function.neword"}}
