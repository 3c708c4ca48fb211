# Builds the schema.
source [file join [file dirname [file normalize [info script]]] settings.tcl]

puts "SCHEMA BUILD STARTED"
buildschema
puts "SCHEMA BUILD COMPLETED"
