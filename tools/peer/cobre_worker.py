"""Runs Cobre case after case: a line {"case", "output"} in, a line {"status", "message"} out.

One process for many cases, since starting Python and loading the library take longer than a case.
"""

import json
import os
import sys


def status_of(error):
    name = type(error).__name__
    text = str(error)
    if name in ("SolverError", "SimulationError"):
        return "infeasible" if "infeasible" in text.lower() else "numerical"
    return {"ValidationError": "invalid", "CaseIoError": "invalid"}.get(name, "crash")


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the library prints goes to the log
    import cobre.run

    for line in sys.stdin:
        task = json.loads(line)
        try:
            cobre.run.run(task["case"], output_dir=task["output"], threads=1)
            answer = {"status": "ok", "message": ""}
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a panic of the library is no Exception
            answer = {"status": status_of(error), "message": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
