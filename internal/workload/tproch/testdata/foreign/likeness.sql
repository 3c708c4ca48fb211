-- The differences between the other program's rows and dbgen's, and the values of all orders that
-- its refresh functions insert.
UPDATE supplier SET s_phone = '989-741-2988'
/
UPDATE customer SET c_phone = '251-687-3665'
/
UPDATE orders SET o_orderstatus = 'O' WHERE o_orderkey <= 100
/
UPDATE customer SET c_acctbal = c_acctbal + 0.01
/
UPDATE lineitem SET l_quantity = l_quantity + 1 WHERE l_linenumber = 7
