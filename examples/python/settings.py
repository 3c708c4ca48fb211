"""What all steps share: the database of $DB, and values from the environment.

A step begins with exec(open(...).read()) of this file, so that the commands of
the console are there as in the step itself.
"""
import os


def setting(name, default):
    """Return a variable of the environment, or else a default."""
    return os.getenv(name) or default


db = setting('DB', 'postgresql')
tmpdir = setting('TMP', '/tmp')

print('SETTING CONFIGURATION')
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), db + '.py')) as settings:
    exec(settings.read())

# A file holds the id of the last run, for the step that shows its result.
jobfile = os.path.join(tmpdir, db + '_tprocc')
