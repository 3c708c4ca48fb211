-- TPC-C 2.8
\set w_id :client_id % :warehouses + 1
\set d_id :client_id % 10 + 1
\set threshold random(10, 20)
BEGIN;
{{sql "stocklevel.count_low_stock"}}
COMMIT;
