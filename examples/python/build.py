"""Build the schema."""
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'settings.py')) as shared:
    exec(shared.read())

print('SCHEMA BUILD STARTED')
buildschema()
print('SCHEMA BUILD COMPLETED')
