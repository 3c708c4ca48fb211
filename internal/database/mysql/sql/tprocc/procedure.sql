-- The calls of the stored procedures, in the form that TPROC-C has: values for what
-- goes in, user variables for what comes back. Each is sent as one text and takes
-- one round trip; MariaDB gets it as one statement, too, and answers at once. Where
-- calls are prepared, MySQL takes a round trip for each statement. What is only for a
-- terminal to show comes back in one column, because the description of a column
-- costs more than what is in it.

-- The number of an order goes in, too, but no routine asks for it.
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
