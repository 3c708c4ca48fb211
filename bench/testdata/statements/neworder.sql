-- TPC-C 2.4. The items increase from line to line, so that orders lock stock in the same sequence.
-- Values from answers are drawn instead, except the order's number.
\set w_id :client_id % :warehouses + 1
\set d_id random(1, 10)
\set c_id ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set ol_cnt random(5, 15)
\set all_local 1
\set unused random(1, 100)
BEGIN;
{{sql "neworder.select_customer_warehouse"}}
{{gset (sql "neworder.select_district")}}
{{sql "neworder.update_district"}}
\set o_id :d_next_o_id
{{sql "neworder.insert_order"}}
{{sql "neworder.insert_new_order"}}
{{- range $number := lines}}
\if {{$number}} < :ol_cnt or ({{$number}} = :ol_cnt and :unused > 1)
\set number {{$number}}
\set i_id {{$number}} * 6000 + random(1, 6000)
\set supply_w_id CASE WHEN random(1, 100) = 1 THEN random(1, :warehouses) ELSE :w_id END
\set remote CASE WHEN :supply_w_id = :w_id THEN 0 ELSE 1 END
\set quantity random(1, 10)
\set s_quantity random(10, 100)
\set amount_cents :quantity * random(100, 10000)
{{sql "neworder.select_item"}}
{{sql "neworder.select_stock"}}
{{sql "neworder.update_stock"}}
{{sql "neworder.insert_order_line"}}
\endif
{{- end}}
\if :unused = 1
\set i_id 100001
{{sql "neworder.select_item"}}
ROLLBACK;
\else
COMMIT;
\endif
