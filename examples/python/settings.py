"""The settings of all steps: the database in $DB, and values of environment variables.

Each step begins with exec(open(...).read()) of this file, so that this file can use the
commands of the console like the step itself.
"""
import os


def setting(name, default):
    """Return the value of an environment variable, or a default."""
    return os.getenv(name) or default


db = setting('DB', 'postgresql')
tmpdir = setting('TMP', '/tmp')

print('SETTING CONFIGURATION')
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), db + '.py')) as settings:
    exec(settings.read())

# A file contains the id of the last run, for the step that shows its result.
jobfile = os.path.join(tmpdir, db + '_tprocc')
