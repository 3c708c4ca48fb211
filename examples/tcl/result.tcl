# Shows the result of the last run: response times, the transaction count over
# time, and the headline.
source [file join [file dirname [file normalize [info script]]] settings.tcl]

set in [ open $jobfile r ]
gets $in line
close $in
set jobid [ lindex [ split $line = ] 1 ]

puts "TRANSACTION RESPONSE TIMES"
jobs $jobid timing
puts "TRANSACTION COUNT"
jobs $jobid tcount
puts "RESULT"
jobs $jobid result
