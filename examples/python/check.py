"""Check that the schema is complete and its data are consistent."""
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'settings.py')) as shared:
    exec(shared.read())

print('CHECK SCHEMA STARTED')
checkschema()
print('CHECK SCHEMA COMPLETED')
