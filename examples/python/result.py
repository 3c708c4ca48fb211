"""Show the result of the last run: response times, the count over time, the headline."""
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'settings.py')) as shared:
    exec(shared.read())

with open(jobfile) as kept:
    jobid = kept.readline().strip().split('=')[1]

print('TRANSACTION RESPONSE TIMES')
jobs(jobid, 'timing')
print('TRANSACTION COUNT')
jobs(jobid, 'tcount')
print('RESULT')
jobs(jobid, 'result')
