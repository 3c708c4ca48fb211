# The settings of all steps: the database in $DB, and values of environment variables.

# setting returns the value of an environment variable, or a default.
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

# A file contains the id of the last run, for the step that shows its result.
set jobfile [file join $tmpdir ${db}_tprocc]
