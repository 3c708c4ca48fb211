-- Query 9: revenue of the items of some kind, by the supplier's nation and year.
SELECT n_name, STRFTIME('%Y', o_entry_d) AS year_of_entry, SUM(ol_amount) AS profit
FROM item
JOIN stock ON s_i_id = i_id
JOIN supplier ON su_suppkey = (s_w_id * s_i_id) % 10000
JOIN nation ON n_nationkey = su_nationkey
JOIN order_line ON ol_i_id = s_i_id AND ol_supply_w_id = s_w_id
JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
WHERE i_data LIKE '%bb'
GROUP BY n_name, STRFTIME('%Y', o_entry_d)
ORDER BY n_name, year_of_entry DESC
