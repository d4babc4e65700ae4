#!/usr/bin/env python3
"""Checks that every key of homodyne's configuration that the table calls acting acts: something beside the reader takes its value.

usage: check_keys.py [ROOT]      prints each key whose value nobody takes and exits with 1 if there is any
"""

import re

import report_faults

KEYS = "src/formats/homodyne/configuration/keys.hpp"
READERS = {KEYS, "include/lockstep/formats/homodyne/configuration.hpp"}
ACTS = re.compile(r'keys\.acts(?:_or|_or_auto)?\(\s*"([^"]+)",\s*(?:"[^"]*",\s*)?([\w.]+)')


def sources(root):
    """The text of all sources but the readers."""
    for folder in ("src", "apps"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            if path.relative_to(root).as_posix() not in READERS:
                yield path.read_text(encoding="utf-8")


def faults(root):
    """Yields one line of text for each key whose value is read into a member that no other source names."""
    taken = set()
    for text in sources(root):
        taken.update(re.findall(r"(?:\.|->|::)(\w+)", text))
    for path, member in ACTS.findall((root / KEYS).read_text(encoding="utf-8")):
        if member.rsplit(".", 1)[-1] not in taken:
            yield f"{KEYS}: {path} acts by the table, and nothing takes {member}"


if __name__ == "__main__":
    report_faults.run(faults)
