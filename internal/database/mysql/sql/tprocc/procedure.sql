-- The calls of the stored procedures, in the form of TPROC-C: values for inputs, user variables for
-- outputs. Sledge sends each call as one text in one round trip; MariaDB also receives it as one
-- statement, with one result. With prepared calls, MySQL needs a round trip for each statement. One
-- column has all the values that only a terminal would show, because the description of a column
-- costs more than its content.

-- The number of an order is an input too, but no routine reads it.
-- name: neword
CALL NEWORD(:w_id, :max_w_id, :d_id, :c_id, :ol_cnt, @disc, @last, @credit, @dtax, @wtax, @next_o_id, NOW());
SELECT CAST(@next_o_id AS SIGNED) AS no_d_next_o_id, CONCAT_WS('|', @disc, @last, @credit, @dtax, @wtax) AS output

-- name: payment
SET @p_c_id = :c_id, @p_c_last = :c_last, @p_c_credit = 0, @p_c_balance = 0;
CALL PAYMENT(:w_id, :d_id, :c_w_id, :c_d_id, @p_c_id, :by_name, :h_amount_cents / 100.0, @p_c_last,
  @p_w_street_1, @p_w_street_2, @p_w_city, @p_w_state, @p_w_zip, @p_d_street_1, @p_d_street_2, @p_d_city, @p_d_state, @p_d_zip,
  @p_c_first, @p_c_middle, @p_c_street_1, @p_c_street_2, @p_c_city, @p_c_state, @p_c_zip, @p_c_phone,
  @p_c_since, @p_c_credit, @p_c_credit_lim, @p_c_discount, @p_c_balance, @p_c_data, NOW());
SELECT CAST(@p_c_id AS SIGNED) AS p_c_id, CONCAT_WS('|', @p_c_last,
  @p_w_street_1, @p_w_street_2, @p_w_city, @p_w_state, @p_w_zip, @p_d_street_1, @p_d_street_2, @p_d_city, @p_d_state, @p_d_zip,
  @p_c_first, @p_c_middle, @p_c_street_1, @p_c_street_2, @p_c_city, @p_c_state, @p_c_zip, @p_c_phone,
  @p_c_since, @p_c_credit, @p_c_credit_lim, @p_c_discount, @p_c_balance, @p_c_data) AS output

-- name: delivery
CALL DELIVERY(:w_id, :carrier_id, NOW())

-- name: slev
CALL SLEV(:w_id, :d_id, :threshold, @stock_count);
SELECT CAST(@stock_count AS SIGNED) AS stock_count

-- name: ostat
SET @os_c_id = :c_id, @os_c_last = :c_last;
CALL OSTAT(:w_id, :d_id, @os_c_id, :by_name, @os_c_last, @os_c_first, @os_c_middle, @os_c_balance, @os_o_id, @os_entdate, @os_o_carrier_id);
SELECT CONCAT_WS('|', @os_c_id, @os_c_last, @os_c_first, @os_c_middle, @os_c_balance, @os_o_id, @os_entdate, @os_o_carrier_id) AS output
