-- Queries of TPC-H on the tables of TPROC-C, in the spirit of CH-benCHmark (Cole et al., DBTest 2011): of the same
-- questions, those that need neither suppliers nor nations, which TPC-C has not. Predicates on dates are left out:
-- the rows of a build are of one day. The queries read one district, so that several end in a run of two seconds, also
-- beside other work.

-- name: query_1
SELECT ol_number, SUM(ol_quantity), SUM(ol_amount), AVG(ol_quantity), AVG(ol_amount), COUNT(*)
FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_delivery_d IS NOT NULL
GROUP BY ol_number ORDER BY ol_number

-- name: query_4
SELECT o_ol_cnt, COUNT(*)
FROM orders
WHERE o_w_id = 1 AND o_d_id = 1 AND EXISTS (
    SELECT 1 FROM order_line
    WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id AND ol_delivery_d >= o_entry_d)
GROUP BY o_ol_cnt ORDER BY o_ol_cnt

-- name: query_6
SELECT SUM(ol_amount)
FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_delivery_d IS NOT NULL AND ol_quantity BETWEEN 1 AND 10

-- name: query_12
SELECT o_ol_cnt,
    SUM(CASE WHEN o_carrier_id IN (1, 2) THEN 1 ELSE 0 END),
    SUM(CASE WHEN o_carrier_id IN (1, 2) THEN 0 ELSE 1 END)
FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
WHERE o_w_id = 1 AND o_d_id = 1 AND ol_delivery_d >= o_entry_d
GROUP BY o_ol_cnt ORDER BY o_ol_cnt

-- name: query_14
SELECT 100.0 * SUM(CASE WHEN i_data LIKE 'A%' THEN ol_amount ELSE 0 END) / (1 + SUM(ol_amount))
FROM order_line JOIN item ON i_id = ol_i_id
WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_delivery_d IS NOT NULL
