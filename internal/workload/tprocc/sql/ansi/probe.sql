-- The count behind NOPM: each committed new order increases a D_NEXT_O_ID by one.
SELECT SUM(d_next_o_id) FROM district
