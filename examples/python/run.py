"""Run the workload once, with the transaction counter on, and keep the job id for result.py."""
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'settings.py')) as shared:
    exec(shared.read())

loadscript()
print('TEST STARTED')
jobs('profileid', 0)
vuset('vu', setting('VUS', 'vcpu'))
vuset('logtotemp', 1)
vucreate()
tcstart()
tcstatus()
jobid = tclpy.eval('vurun')
tcstop()
vudestroy()
print('TEST COMPLETE')

with open(jobfile, 'w') as kept:
    print(jobid, file=kept)
