# Deletes the schema.
source [file join [file dirname [file normalize [info script]]] settings.tcl]

puts "DELETE SCHEMA STARTED"
deleteschema
puts "DELETE SCHEMA COMPLETED"
