# SQLite: database file, size of the test.
dbset('db', 'sqlite')
dbset('bm', 'TPC-C')

diset('connection', 'sqlite_file', setting('FILE', os.path.join(tmpdir, 'tpcc.sqlite')))

diset('tpcc', 'sqlite_count_ware', setting('WAREHOUSES', '10'))
diset('tpcc', 'sqlite_num_vu', setting('BUILDERS', '2'))
diset('tpcc', 'sqlite_driver', 'timed')
diset('tpcc', 'sqlite_rampup', setting('RAMPUP', '2'))
diset('tpcc', 'sqlite_duration', setting('DURATION', '5'))
diset('tpcc', 'sqlite_allwarehouse', setting('UAW', 'false'))
