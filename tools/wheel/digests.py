"""digests.py CASE [PROGRAM]: digests of a run of each engine, by the package, or by the program where it is given."""

import json
import pathlib
import subprocess
import sys
import tempfile

case, *program = sys.argv[1:]
brief = [{"type": "iteration_limit", "limit": 3}]


def by_program(folder):
    def run(*words):
        subprocess.run([*program, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def summary(engine, name):
        text = subprocess.run([*program, engine, "summary", folder / name, "--json"], check=True, capture_output=True).stdout
        return json.loads(text)

    run("sddp", "run", case, "-o", folder / "sddp", "--set", "training.stopping_rules=" + json.dumps(brief))
    run("xpcs", "init", folder / "first", "--mode", "static")
    run("xpcs", "fit", folder / "first/config.yaml", "-o", folder / "xpcs", "--errors", "classical")
    run("rl", "train", "FrozenLake", "--steps", 100000, "-o", folder / "rl")
    return summary("sddp", "sddp"), summary("xpcs", "xpcs"), summary("rl", "rl")


def by_package(folder):
    import lockstep

    subprocess.run([sys.executable, "-m", "lockstep", "xpcs", "init", folder / "first", "--mode", "static"],
                   check=True, stdout=subprocess.DEVNULL)
    sddp = lockstep.sddp.run(case, output=folder / "sddp", set={"training.stopping_rules": brief})
    xpcs = lockstep.xpcs.fit(folder / "first/config.yaml", output=folder / "xpcs", errors="classical")
    rl = lockstep.rl.train("FrozenLake", output=folder / "rl", steps=100000)
    return sddp.summary, xpcs.summary, rl.summary


with tempfile.TemporaryDirectory() as name:
    sddp, xpcs, rl = (by_program if program else by_package)(pathlib.Path(name))
    print("sddp", sddp["training"]["digest"], sddp["simulation"]["digest"])
    print("xpcs", xpcs["fit"]["digest"])
    print("rl", rl["digest"])
