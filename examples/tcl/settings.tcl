# What all steps share: the database of $DB, and values from the environment.

# setting returns a variable of the environment, or else a default.
proc setting {name default} {
    if {[info exists ::env($name)] && $::env($name) ne ""} {
        return $::env($name)
    }
    return $default
}

set db [setting DB postgresql]
set tmpdir [setting TMP /tmp]

puts "SETTING CONFIGURATION"
source [file join [file dirname [file normalize [info script]]] $db.tcl]

# A file holds the id of the last run, for the step that shows its result.
set jobfile [file join $tmpdir ${db}_tprocc]
