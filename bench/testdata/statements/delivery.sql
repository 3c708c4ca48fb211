-- TPC-C 2.7. The amount and the customer are drawn.
\set w_id :client_id % :warehouses + 1
\set carrier_id random(1, 10)
BEGIN;
{{- range $district := districts}}
\set d_id {{$district}}
\set no_o_id 0
{{aset (sql "delivery.select_new_order")}}
\if :no_o_id > 0
\set o_id :no_o_id
\set c_id ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set amount_cents random(1000, 1000000)
{{sql "delivery.delete_new_order"}}
{{sql "delivery.select_order"}}
{{sql "delivery.update_order"}}
{{sql "delivery.update_order_lines"}}
{{sql "delivery.select_amount"}}
{{sql "delivery.update_customer"}}
\endif
{{- end}}
COMMIT;
