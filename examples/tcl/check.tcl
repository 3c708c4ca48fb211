# Checks that the schema is complete and its data are consistent.
source [file join [file dirname [file normalize [info script]]] settings.tcl]

puts "CHECK SCHEMA STARTED"
checkschema
puts "CHECK SCHEMA COMPLETED"
