-- Orders up to 2100 are delivered when the schema is new, and TPC-C 4.3.3.1 gives
-- their lines an amount of 0.00. HammerDB's loader gives them 0.10 to 100.00.
SELECT COUNT(*) FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id <= 2 AND ol_amount > 0
