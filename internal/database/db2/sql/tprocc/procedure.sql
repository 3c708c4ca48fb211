-- The calls of the stored procedures. A parameter that is not among the inputs is an output; the
-- outputs of a call form its only row. A parameter that is both is used only as an input.

-- The number of an order is an input too, but no routine reads it.
-- name: neword
CALL NEWORD(:w_id, :max_w_id, :d_id, :c_id, :ol_cnt, :no_c_discount, :no_c_last, :no_c_credit, :no_d_tax, :no_w_tax, :no_d_next_o_id, CURRENT TIMESTAMP)

-- name: payment
CALL PAYMENT(:w_id, :d_id, :c_w_id, :c_d_id, :c_id, :by_name, CAST(:h_amount_cents AS INTEGER) * 0.01, :c_last,
  :w_street_1, :w_street_2, :w_city, :w_state, :w_zip, :d_street_1, :d_street_2, :d_city, :d_state, :d_zip,
  :c_first, :c_middle, :c_street_1, :c_street_2, :c_city, :c_state, :c_zip, :c_phone,
  :c_since, :c_credit, :c_credit_lim, :c_discount, :c_balance, :c_data, CURRENT TIMESTAMP)

-- name: delivery
CALL DELIVERY(:w_id, :carrier_id, CURRENT TIMESTAMP, deliv_data)

-- name: slev
CALL SLEV(:w_id, :d_id, :threshold, :stock_count)

-- name: ostat
CALL OSTAT(:w_id, :d_id, :c_id, :by_name, :c_last, :os_c_first, :os_c_middle, :os_c_balance, :os_o_id, :os_entdate, :os_o_carrier_id)
