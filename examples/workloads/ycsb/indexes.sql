CREATE UNIQUE INDEX usertable_number ON usertable (ycsb_number)
