SELECT s_id, s_product, s_number, s_total FROM sale WHERE s_customer = :c_id ORDER BY s_id
