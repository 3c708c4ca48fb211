-- TPC-C 2.7.1
\set w_id :client_id % :warehouses + 1
\set carrier_id random(1, 10)
{{sql "function.delivery"}}
