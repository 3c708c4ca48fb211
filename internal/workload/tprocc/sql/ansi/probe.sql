-- What NOPM counts: each new order that commits moves one D_NEXT_O_ID on by one.
SELECT SUM(d_next_o_id) FROM district
