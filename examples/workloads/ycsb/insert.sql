INSERT INTO usertable (ycsb_number, ycsb_key, field0, field1, field2, field3, field4, field5, field6, field7, field8, field9)
VALUES (:ycsb_number, :ycsb_key, :field0, :field0, :field0, :field0, :field0, :field0, :field0, :field0, :field0, :field0)
