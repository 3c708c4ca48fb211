-- Query 7: trade between two nations, by year.
SELECT ns.n_name AS supplier_nation, nc.n_name AS customer_nation, EXTRACT(YEAR FROM o_entry_d) AS year_of_entry, SUM(ol_amount) AS revenue
FROM supplier
JOIN stock ON su_suppkey = (s_w_id * s_i_id) % 10000
JOIN order_line ON ol_supply_w_id = s_w_id AND ol_i_id = s_i_id
JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
JOIN customer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN nation ns ON ns.n_nationkey = su_nationkey
JOIN nation nc ON nc.n_nationkey = ASCII(c_state)
WHERE (ns.n_name = 'Germany' AND nc.n_name = 'Cambodia' OR ns.n_name = 'Cambodia' AND nc.n_name = 'Germany')
  AND ol_delivery_d >= :since AND ol_delivery_d < :until
GROUP BY ns.n_name, nc.n_name, EXTRACT(YEAR FROM o_entry_d)
ORDER BY supplier_nation, customer_nation, year_of_entry
