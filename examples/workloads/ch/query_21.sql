-- Query 21: suppliers of one nation whose line was the last of its order that was delivered, and late. Rows of a build are not late.
SELECT su_name, COUNT(*) AS number_of_waits
FROM supplier
JOIN nation ON n_nationkey = su_nationkey
JOIN stock ON su_suppkey = (s_w_id * s_i_id) % 10000
JOIN order_line late ON late.ol_supply_w_id = s_w_id AND late.ol_i_id = s_i_id
JOIN orders ON o_w_id = late.ol_w_id AND o_d_id = late.ol_d_id AND o_id = late.ol_o_id
WHERE n_name = 'Germany' AND late.ol_delivery_d > o_entry_d AND NOT EXISTS (
  SELECT 1 FROM order_line later
  WHERE later.ol_w_id = late.ol_w_id AND later.ol_d_id = late.ol_d_id AND later.ol_o_id = late.ol_o_id
    AND later.ol_delivery_d > late.ol_delivery_d
)
GROUP BY su_name
ORDER BY number_of_waits DESC, su_name
