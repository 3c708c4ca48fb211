# PostgreSQL: connection, owner of the schema, size of the test.
dbset db pg
dbset bm TPC-C

diset connection pg_host [setting HOST localhost]
diset connection pg_port [setting PORT 5432]
diset connection pg_sslmode prefer

diset tpcc pg_superuser [setting SUPERUSER postgres]
diset tpcc pg_superuserpass [setting SUPERUSERPASS postgres]
diset tpcc pg_defaultdbase postgres
diset tpcc pg_user tpcc
diset tpcc pg_pass [setting PASS tpcc]
diset tpcc pg_dbase tpcc
diset tpcc pg_storedprocs true

diset tpcc pg_count_ware [setting WAREHOUSES 10]
diset tpcc pg_num_vu [setting BUILDERS 2]
diset tpcc pg_driver timed
diset tpcc pg_rampup [setting RAMPUP 2]
diset tpcc pg_duration [setting DURATION 5]
diset tpcc pg_allwarehouse [setting UAW false]
