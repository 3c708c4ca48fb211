-- Locks rows when it reads them, if it will change them. The columns of names have a fixed width,
-- padded with blanks.

-- name: select_customer
SELECT c_credit, c_data, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
  c_since, c_credit_lim, c_discount, c_balance
FROM customer WITH (UPDLOCK) WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id

-- name: select_warehouse
SELECT RTRIM(w_name) AS w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse WHERE w_id = :w_id

-- name: select_district
SELECT RTRIM(d_name) AS d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM district WHERE d_w_id = :w_id AND d_id = :d_id
