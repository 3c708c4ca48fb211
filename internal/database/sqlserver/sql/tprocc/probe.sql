-- What NOPM counts: each new order that commits moves one D_NEXT_O_ID on by one.
SELECT SUM(CAST(d_next_o_id AS bigint)) AS next_o_ids FROM district
