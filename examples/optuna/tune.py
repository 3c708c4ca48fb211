"""Searches for the best settings with Optuna (https://optuna.org): pip install optuna

    python3 tune.py PLAN [TRIALS]

PLAN is the plan of an experiment. If the values of a setting are numbers, Optuna chooses any number
from the least to the greatest, and otherwise one of them. SLEDGE is the program; by default sledge.
"""

import json
import os
import subprocess
import sys
import tomllib

import optuna


def choose(trial, name, values):
    """Returns a value of a setting that Optuna chooses."""
    kinds = {type(v) for v in values}
    if kinds == {int}:
        return trial.suggest_int(name, min(values), max(values))
    if kinds <= {int, float}:
        return trial.suggest_float(name, min(values), max(values))
    return trial.suggest_categorical(name, values)


def search(plan, trials):
    """Returns the study after all trials."""
    with open(plan, "rb") as file:
        tables = tomllib.load(file)
    settings = tables.get("vary", {}) | {"server." + name: values for name, values in tables.get("server", {}).items()}
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    command = [os.environ.get("SLEDGE", "sledge"), "experiment", "try", plan]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sledge:
        for _ in range(trials):
            trial = study.ask()
            asked = {name: choose(trial, name, values) for name, values in settings.items()}
            print(json.dumps(asked), file=sledge.stdin, flush=True)
            answer = sledge.stdout.readline()
            if not answer:
                break  # Sledge has said why on standard error
            told = json.loads(answer)
            if "result" in told:
                study.tell(trial, told["result"]["median"])
                print(f"{asked}: {told['result']['median']:,.0f} {told['figure']}", flush=True)
            else:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
                print(f"{asked}: {told['error']}", flush=True)
        sledge.stdin.close()
    return study


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = search(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
    if not any(t.state == optuna.trial.TrialState.COMPLETE for t in study.trials):
        sys.exit("no trial has a result")
    print(f"highest: {study.best_params}: {study.best_value:,.0f}")
