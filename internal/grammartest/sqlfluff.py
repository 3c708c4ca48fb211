"""Reads SQL with sqlfluff's grammar of a dialect.

    python3 sqlfluff.py FOLDER DIALECT <texts >problems

FOLDER/cpython-311 holds sqlfluff for a Python of that version. Texts are a list of strings, and
problems a list of objects with a text's number, the line in it and what was said, all as JSON. It
ends with 3 where there is no sqlfluff for this Python.
"""

import json
import multiprocessing
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], sys.implementation.cache_tag))
try:
    from sqlfluff.core import FluffConfig, Linter
except ImportError as e:
    print(f"sqlfluff is not installed for this Python ({e}): run scripts/test-servers", file=sys.stderr)
    sys.exit(3)

overrides = {"dialect": sys.argv[2], "templater": "raw", "large_file_skip_byte_limit": 0}
linter = Linter(config=FluffConfig(overrides=overrides, ignore_local_config=True))


def read(numbered):
    number, text = numbered
    return [{"number": number, "line": v.line_no, "said": v.desc()} for v in linter.parse_string(text + "\n").violations]


if __name__ == "__main__":
    texts = list(enumerate(json.load(sys.stdin)))
    # Long texts first, so that no process is left with one at the end.
    texts.sort(key=lambda numbered: -len(numbered[1]))
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        problems = [p for found in pool.imap_unordered(read, texts) for p in found]
    problems.sort(key=lambda p: (p["number"], p["line"]))
    json.dump(problems, sys.stdout)
