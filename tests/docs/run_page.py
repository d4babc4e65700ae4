#!/usr/bin/env python3
"""Follows a page of the documentation: writes its files, runs its programs, compares what they print.

usage: run_page.py PAGE PROGRAM CASE      CASE: the folder that the page's files lie in

Blocks: ```json NAME is a file of the case; ```python runs inside the case's folder; ```sh runs beside it, a command a
line, with PROGRAM as `lockstep`; ```text says what the last ```sh printed: every line must be among it, blanks aside;
"..." at its end stands for anything.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def plain(line):
    return " ".join(line.split())


class Reader:
    def __init__(self, program, case, folder):
        self.case, self.folder, self.printed = folder / case, folder, []
        shims = folder / ".bin"
        shims.mkdir()
        (shims / "lockstep").symlink_to(pathlib.Path(program).resolve())
        self.environment = os.environ | {"PATH": f"{shims}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}

    def json(self, name, text):
        (self.case / name).parent.mkdir(parents=True, exist_ok=True)
        (self.case / name).write_text(text, encoding="utf-8")

    def python(self, _, text):
        (self.case / "scenarios").mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-c", text], cwd=self.case, check=True)

    def sh(self, _, text):
        ended = subprocess.run(["sh", "-ec", text], cwd=self.folder, env=self.environment, text=True, capture_output=True)
        if ended.returncode != 0:
            sys.exit(f"exit code {ended.returncode} of\n{text}\n{ended.stderr}")
        self.printed = [plain(line) for line in ended.stdout.splitlines()]

    def was_printed(self, line):
        if line.endswith(" ..."):
            return any(printed.startswith(line.removesuffix(" ...")) for printed in self.printed)
        return line in self.printed

    def text(self, _, text):
        missing = [line for line in text.splitlines() if not self.was_printed(plain(line))]
        if missing:
            sys.exit("not printed: " + "\n".join(missing) + "\nbut\n" + "\n".join(self.printed))


def main(page, program, case):
    blocks = FENCE.findall(pathlib.Path(page).read_text(encoding="utf-8"))
    if not blocks:
        sys.exit(f"{page}: no blocks")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-page-"))
    try:
        reader = Reader(program, case, folder)
        for kind, name, text in blocks:
            getattr(reader, kind)(name, text)
    finally:
        shutil.rmtree(folder)
    print(f"{len(blocks)} blocks of {page} work")


if __name__ == "__main__":
    main(*sys.argv[1:])
