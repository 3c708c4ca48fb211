"""Run the workload once for each number of virtual users, as one performance profile."""
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'settings.py')) as shared:
    exec(shared.read())

profileid = int(setting('PROFILEID', '1000'))
if profileid < 2:
    raise SystemExit('PROFILEID is %d: give a whole number of 2 or more' % profileid)
jobs('profileid', profileid)

for z in setting('VUS', '1 2 4 8').split():
    print('TEST STARTED WITH', z, 'VIRTUAL USERS')
    vuset('vu', z)
    vucreate()
    vurun()
    vudestroy()
jobs('profileid', 0)
print('PERFORMANCE PROFILE')
jobs('profile', profileid, 'table')
