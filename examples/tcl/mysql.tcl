# MySQL: connection, owner of the schema, size of the test.
dbset db mysql
dbset bm TPC-C

diset connection mysql_host [setting HOST 127.0.0.1]
diset connection mysql_port [setting PORT 3306]
diset connection mysql_socket [setting SOCKET null]

diset tpcc mysql_user [setting USERNAME root]
diset tpcc mysql_pass [setting PASS mysql]
diset tpcc mysql_dbase tpcc
diset tpcc mysql_storage_engine innodb
diset tpcc mysql_prepared false

diset tpcc mysql_count_ware [setting WAREHOUSES 10]
diset tpcc mysql_num_vu [setting BUILDERS 2]
diset tpcc mysql_driver timed
diset tpcc mysql_rampup [setting RAMPUP 2]
diset tpcc mysql_duration [setting DURATION 5]
diset tpcc mysql_allwarehouse [setting UAW false]
