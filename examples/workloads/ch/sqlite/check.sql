-- name: nations
-- each customer's state begins with the character of a nation's key
SELECT c_w_id, c_d_id, c_id, c_state FROM customer
WHERE UNICODE(c_state) NOT IN (SELECT n_nationkey FROM nation)

-- name: suppliers
-- each supplier is of a nation
SELECT su_suppkey, su_nationkey FROM supplier WHERE su_nationkey NOT IN (SELECT n_nationkey FROM nation)
