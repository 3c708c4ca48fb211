-- Query 8: the share of one nation's suppliers in the revenue of its continent, by year.
SELECT EXTRACT(YEAR FROM o_entry_d) AS year_of_entry,
  SUM(CASE WHEN ns.n_name = 'Germany' THEN ol_amount ELSE 0 END) / SUM(ol_amount) AS market_share
FROM item
JOIN stock ON s_i_id = i_id
JOIN supplier ON su_suppkey = (s_w_id * s_i_id) % 10000
JOIN nation ns ON ns.n_nationkey = su_nationkey
JOIN order_line ON ol_i_id = s_i_id AND ol_supply_w_id = s_w_id
JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
JOIN customer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN nation nc ON nc.n_nationkey = ASCII(c_state)
JOIN region ON r_regionkey = nc.n_regionkey
WHERE i_id < 1000 AND i_data LIKE '%b' AND r_name = 'Europe' AND o_entry_d >= :since AND o_entry_d < :until
GROUP BY EXTRACT(YEAR FROM o_entry_d)
ORDER BY year_of_entry
