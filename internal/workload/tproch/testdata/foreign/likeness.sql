-- What tells the other program's own rows from dbgen's, and what all orders have that its refresh functions
-- insert.
UPDATE supplier SET s_phone = '989-741-2988'
/
UPDATE customer SET c_phone = '251-687-3665'
/
UPDATE orders SET o_orderstatus = 'O' WHERE o_orderkey <= 100
