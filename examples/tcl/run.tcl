# Runs the workload once, with the transaction counter on, and keeps the job id
# for result.tcl.
source [file join [file dirname [file normalize [info script]]] settings.tcl]

loadscript
puts "TEST STARTED"
jobs profileid 0
vuset vu [setting VUS vcpu]
vuset logtotemp 1
vucreate
tcstart
tcstatus
set jobid [ vurun ]
tcstop
vudestroy
puts "TEST COMPLETE"

set of [ open $jobfile w ]
puts $of $jobid
close $of
