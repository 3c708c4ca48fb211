-- results: p_price
SELECT p_price FROM product WHERE p_id = :p_id;

UPDATE product SET p_stock = p_stock - :number, p_sold = p_sold + :number WHERE p_id = :p_id;

INSERT INTO sale (s_id, s_customer, s_product, s_number, s_total)
VALUES (:s_id, :c_id, :p_id, :number, CAST(:p_price AS decimal(8,2)) * :number);

UPDATE customer SET c_spent = c_spent + CAST(:p_price AS decimal(8,2)) * :number WHERE c_id = :c_id;
