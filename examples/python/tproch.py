"""Do a complete TPROC-H test on the database in $DB.

Build, check, power test, throughput test, results, delete.
"""
import os


def setting(name, default):
    """Return the value of an environment variable, or a default."""
    return os.getenv(name) or default


db = setting('DB', 'postgresql')
prefix = {'postgresql': 'pg', 'mariadb': 'maria', 'mysql': 'mysql', 'sqlite': 'sqlite'}[db]

print('SETTING CONFIGURATION')
dbset('db', prefix)
dbset('bm', 'TPC-H')
if prefix == 'pg':
    diset('connection', 'pg_host', setting('HOST', 'localhost'))
    diset('connection', 'pg_port', setting('PORT', 5432))
    diset('tpch', 'pg_tpch_superuser', setting('SUPERUSER', 'postgres'))
    diset('tpch', 'pg_tpch_superuserpass', setting('SUPERUSERPASS', 'postgres'))
    diset('tpch', 'pg_tpch_user', 'tpch')
    diset('tpch', 'pg_tpch_pass', setting('PASS', 'tpch'))
    diset('tpch', 'pg_degree_of_parallel', 2)
elif prefix == 'sqlite':
    diset('tpch', 'sqlite_tpch_file', setting('FILE', os.path.join(setting('TMP', '/tmp'), 'tpch.sqlite')))
else:
    diset('connection', prefix + '_host', setting('HOST', '127.0.0.1'))
    diset('connection', prefix + '_port', setting('PORT', 3306))
    diset('connection', prefix + '_socket', setting('SOCKET', 'null'))
    diset('tpch', prefix + '_tpch_user', setting('USERNAME', 'root'))
    diset('tpch', prefix + '_tpch_pass', setting('PASS', prefix))
diset('tpch', prefix + '_scale_fact', setting('SCALE', 1))
diset('tpch', prefix + '_num_tpch_threads', setting('BUILDERS', 2))
diset('tpch', prefix + '_total_querysets', setting('QUERYSETS', 1))

print('SCHEMA BUILD STARTED')
buildschema()
print('SCHEMA BUILD COMPLETED')
checkschema()

# One virtual user runs the queries in the order of the power test.
print('POWER TEST STARTED')
loadscript()
vuset('vu', 1)
vucreate()
power = tclpy.eval('vurun')
vudestroy()
print('POWER TEST COMPLETE')

# Several virtual users run them at the same time, each in the order of its stream.
print('THROUGHPUT TEST STARTED')
vuset('vu', setting('VUS', 2))
vuset('delay', 0)
vucreate()
throughput = tclpy.eval('vurun')
vudestroy()
print('THROUGHPUT TEST COMPLETE')

print('RESULT')
jobs(power, 'result')
jobs(throughput, 'result')
print('QUERY TIMES')
jobs(power, 'timing')

deleteschema()
