# Runs the workload once for each number of virtual users, as one performance
# profile, and shows NOPM and TPM for each of them.
source [file join [file dirname [file normalize [info script]]] settings.tcl]

set profileid [setting PROFILEID 1000]
if {![string is integer -strict $profileid] || $profileid < 2} {
    error "PROFILEID is \"$profileid\": give a whole number of 2 or more"
}
jobs profileid $profileid

foreach z [setting VUS {1 2 4 8}] {
    puts "TEST STARTED WITH $z VIRTUAL USERS"
    vuset vu $z
    vucreate
    vurun
    vudestroy
}
jobs profileid 0
puts "PERFORMANCE PROFILE"
jobs profile $profileid table
