-- Statistics for the planner, for each table as soon as it is loaded. MariaDB also collects
-- engine-independent statistics, which describe the distribution of values.

-- name: lineitem
ANALYZE TABLE lineitem /*M! PERSISTENT FOR ALL */

-- name: orders
ANALYZE TABLE orders /*M! PERSISTENT FOR ALL */

-- name: partsupp
ANALYZE TABLE partsupp /*M! PERSISTENT FOR ALL */

-- name: part
ANALYZE TABLE part /*M! PERSISTENT FOR ALL */

-- name: customer
ANALYZE TABLE customer /*M! PERSISTENT FOR ALL */

-- name: supplier
ANALYZE TABLE supplier /*M! PERSISTENT FOR ALL */

-- name: nation
ANALYZE TABLE nation /*M! PERSISTENT FOR ALL */

-- name: region
ANALYZE TABLE region /*M! PERSISTENT FOR ALL */
