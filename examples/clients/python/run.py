"""Starts a run on SQLite, follows it, and prints its series, with a client that openapi-generator has
generated:

    SLEDGE_URL=http://127.0.0.1:8080/api/v1 SLEDGE_TOKEN=... python run.py FILE
"""

import json
import os
import sys

import sledge_client
from sledge_client.models import ApiEvent, ApiStart


def follow(api, id):
    """Yields the events of a job as they come, and at the end the job."""
    response = api.watch_job_without_preload_content(id)
    name, rest = "", b""
    for part in response.stream():
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            field, _, value = line.decode().partition(": ")
            if field == "event":
                name = value
            elif field == "data" and name == "over":
                yield json.loads(value)
                return
            elif field == "data":
                yield ApiEvent.from_json(value)
    raise EOFError("the server ended the stream before the job had ended")


def main():
    configuration = sledge_client.Configuration(host=os.environ["SLEDGE_URL"], access_token=os.environ["SLEDGE_TOKEN"])
    with sledge_client.ApiClient(configuration) as client:
        actions, jobs = sledge_client.SettingsAndActionsApi(client), sledge_client.JobsApi(client)
        settings = {"db": "sqlite", "dbname": sys.argv[1], "users": 2, "rampup": 0, "duration": "2s"}
        run = actions.start_job(ApiStart(action="run", settings=settings, labels={"client": "Python"}))
        seconds = 0
        for event in follow(actions, run.id):
            if isinstance(event, ApiEvent):
                seconds += event.second is not None
            else:
                run = event
        points = jobs.show_series(run["id"], points=100).points
        print(f"{run['id']} {run['status']}: {seconds} seconds, {len(points)} points, at most {max(p.client_tpm for p in points):.0f} TPM")


if __name__ == "__main__":
    main()
