"""Where the two programs are. Cobre's wheel goes into an environment of its own, shared with bench/scaling/vs_cobre."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COBRE = "cobre-python==0.18.0"
CACHE = Path(os.environ.get("LOCKSTEP_CACHE", Path.home() / ".cache" / "lockstep"))


def newer_python():
    """A Python that Cobre's wheel accepts, 3.12 or newer."""
    found = [shutil.which(name) for name in ("python3.14", "python3.13", "python3.12", "python3")]
    found += sorted(map(str, (Path.home() / ".pyenv/versions").glob("3.1[2-9]*/bin/python3")))
    for python in filter(None, found):
        check = subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 12))"], check=False)
        if check.returncode == 0:
            return python
    sys.exit("peer: no Python 3.12 or newer found, which Cobre's wheel needs")


def cobre_python():
    """Python of the environment that holds Cobre and pyarrow, made when missing."""
    place = CACHE / "bench" / COBRE.replace("==", "-")
    python = place / "bin" / "python"
    if not (place / "ready").exists():
        subprocess.run([newer_python(), "-m", "venv", str(place)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", COBRE, "pyarrow"],
                       check=True)
        (place / "ready").touch()
    return python


def enter():
    """Goes on in Cobre's environment, which has what the tool needs."""
    python = cobre_python()
    if Path(sys.prefix).resolve() != python.parents[1].resolve():
        os.execv(python, [str(python), "-B", *sys.argv])


def lockstep():
    return ROOT / "build" / "release" / "lockstep"
