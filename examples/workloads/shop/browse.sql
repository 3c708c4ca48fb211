SELECT p_name, p_price, p_stock FROM product WHERE p_id = :p_id
