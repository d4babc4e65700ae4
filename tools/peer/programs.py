"""Runs a case folder with either program: what came of it, in words that both share.

status: ok, invalid (the case is refused), unsupported (a feature is refused by name), infeasible (a stage has no
solution), numerical (the solver gave up), crash, timeout.
"""

import json
import re
import select
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from environment import cobre_python


@dataclass
class Outcome:
    status: str
    message: str = ""
    code: int | None = None


def lockstep_status(code, text):
    """Exit codes are those of docs/formats.md; what 65 is about stands in the message."""
    if code == 0:
        return "ok"
    if code == 65:
        if "[NotSupported]" in text:
            others = re.findall(r"^\s*\[(\w+)\]", text, re.MULTILINE)
            return "unsupported" if set(others) == {"NotSupported"} else "invalid"
        if re.search(r"numerical", text):
            return "numerical"
        return "infeasible" if re.search(r"no solution|infeasible", text) else "invalid"
    return "invalid" if code in (64, 66) else "crash"


def run_lockstep(program, case, output, seconds):
    command = [str(program), "run", str(case), "--output", str(output), "--quiet", "--threads", "1"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return Outcome("timeout", f"after {seconds} s")
    return Outcome(lockstep_status(done.returncode, done.stderr), done.stderr.strip(), done.returncode)


class Cobre:
    """A worker process, started again when it dies or hangs."""

    def __init__(self):
        self.process = None

    def start(self):
        self.log = tempfile.TemporaryFile()
        worker = Path(__file__).with_name("cobre_worker.py")
        self.process = subprocess.Popen([str(cobre_python()), "-B", str(worker)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log, text=True)

    def run(self, case, output, seconds):
        if self.process is None or self.process.poll() is not None:
            self.start()
        self.log.seek(0)
        self.log.truncate()
        self.process.stdin.write(json.dumps({"case": str(case), "output": str(output)}) + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            self.stop()
            return Outcome("timeout", f"after {seconds} s")
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            return Outcome("crash", f"the process ended with {code}: {self.tail()}", code)
        answer = json.loads(line)
        message = answer["message"]
        return Outcome(answer["status"], message + ("\n" + self.tail() if answer["status"] == "crash" else ""))

    def tail(self):
        self.log.seek(0)
        return self.log.read()[-2000:].decode(errors="replace").strip()

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
