# A complete TPROC-H test on the database in $DB: build, check, power test, throughput test,
# results, delete.

# setting returns the value of an environment variable, or a default.
proc setting {name default} {
    if {[info exists ::env($name)] && $::env($name) ne ""} {
        return $::env($name)
    }
    return $default
}

set db [setting DB postgresql]
set prefix [dict get {postgresql pg mariadb maria mysql mysql sqlite sqlite} $db]

puts "SETTING CONFIGURATION"
dbset db $prefix
dbset bm TPC-H
switch $prefix {
    pg {
        diset connection pg_host [setting HOST localhost]
        diset connection pg_port [setting PORT 5432]
        diset tpch pg_tpch_superuser [setting SUPERUSER postgres]
        diset tpch pg_tpch_superuserpass [setting SUPERUSERPASS postgres]
        diset tpch pg_tpch_user tpch
        diset tpch pg_tpch_pass [setting PASS tpch]
        diset tpch pg_degree_of_parallel 2
    }
    maria - mysql {
        diset connection ${prefix}_host [setting HOST 127.0.0.1]
        diset connection ${prefix}_port [setting PORT 3306]
        diset connection ${prefix}_socket [setting SOCKET null]
        diset tpch ${prefix}_tpch_user [setting USERNAME root]
        diset tpch ${prefix}_tpch_pass [setting PASS $prefix]
    }
    sqlite {
        diset tpch sqlite_tpch_file [setting FILE [file join [setting TMP /tmp] tpch.sqlite]]
    }
}
diset tpch ${prefix}_scale_fact [setting SCALE 1]
diset tpch ${prefix}_num_tpch_threads [setting BUILDERS 2]
diset tpch ${prefix}_total_querysets [setting QUERYSETS 1]

puts "SCHEMA BUILD STARTED"
buildschema
puts "SCHEMA BUILD COMPLETED"
checkschema

# One virtual user runs the queries in the order of the power test.
puts "POWER TEST STARTED"
loadscript
vuset vu 1
vucreate
set power [ vurun ]
vudestroy
puts "POWER TEST COMPLETE"

# Several virtual users run them at the same time, each in the order of its stream.
puts "THROUGHPUT TEST STARTED"
vuset vu [setting VUS 2]
vuset delay 0
vucreate
set throughput [ vurun ]
vudestroy
puts "THROUGHPUT TEST COMPLETE"

puts "RESULT"
jobs $power result
jobs $throughput result
puts "QUERY TIMES"
jobs $power timing

deleteschema
