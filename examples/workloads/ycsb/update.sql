UPDATE usertable SET field0 = :field0 WHERE ycsb_key = :ycsb_key
