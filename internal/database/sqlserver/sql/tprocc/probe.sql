-- The orders that NOPM counts: each new order that commits increments one D_NEXT_O_ID.
SELECT SUM(CAST(d_next_o_id AS bigint)) AS next_o_ids FROM district
