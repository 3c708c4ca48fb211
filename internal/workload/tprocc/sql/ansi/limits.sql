SELECT MAX(w_id) AS max_w_id FROM warehouse
