# MariaDB: connection, owner of the schema, size of the test.
dbset db maria
dbset bm TPC-C

diset connection maria_host [setting HOST 127.0.0.1]
diset connection maria_port [setting PORT 3306]
diset connection maria_socket [setting SOCKET null]

diset tpcc maria_user [setting USERNAME root]
diset tpcc maria_pass [setting PASS maria]
diset tpcc maria_dbase tpcc
diset tpcc maria_storage_engine innodb
diset tpcc maria_prepared false

diset tpcc maria_count_ware [setting WAREHOUSES 10]
diset tpcc maria_num_vu [setting BUILDERS 2]
diset tpcc maria_driver timed
diset tpcc maria_rampup [setting RAMPUP 2]
diset tpcc maria_duration [setting DURATION 5]
diset tpcc maria_allwarehouse [setting UAW false]
