#!/usr/bin/env python3
"""Checks which room includes which: the table of docs/design.md, section 2.

usage: check_includes.py [ROOT]      prints each forbidden include and exits with 1 if there is any
"""

import re

import report_faults

ENGINES = {"sddp", "xpcs", "rl"}

# Rooms whose public headers a room may include, beside its own.
MAY_INCLUDE = {
    "base": set(),
    "comm": {"base"},
    "runtime": {"base", "comm", "io"},
    "io": {"base"},
    "lp": {"base"},
    "sddp": {"base", "comm", "runtime", "lp"},
    "xpcs": {"base", "comm", "runtime"},
    "rl": {"base", "comm", "runtime"},
    "formats": {"base", "io"} | ENGINES,
    "app": {"base", "comm", "runtime", "io", "lp", "formats"} | ENGINES,
}
ROOMS = set(MAY_INCLUDE)

# Folders of a room that know nothing of another one: the algorithm of its models.
APART = {("sddp", folder): "sddp/hydro" for folder in ("cuts", "model", "passes", "stage")}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# The C++ library, and of the operating system what has no name there.
STANDARD_HEADER = re.compile(r"^([a-z_0-9]+|(signal|semaphore)\.h)$")
SOURCES = {".hpp", ".cpp"}


def includes(path):
    """Yields (line number, is it in angle brackets, name) of each include of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == "<", match[2]


def fault_of_public_room(room, other):
    """What is wrong when `room` includes "lockstep/<other>/…"; None if nothing is."""
    if other not in ROOMS:
        return f"there is no room {other}"
    if room == other or room not in ROOMS or other in MAY_INCLUDE[room]:
        return None
    allowed = ", ".join(sorted(MAY_INCLUDE[room])) or "no other room"
    return f"{room} may include {allowed}"


def fault(folder, room, in_angles, name):
    """What is wrong with an include in a file of <folder>/…/<room>; None if nothing is."""
    first, *rest = name.split("/")
    if in_angles:
        if folder == "include" and not STANDARD_HEADER.match(name):
            return "public headers include the standard library only"
        return None
    if first == "lockstep" and rest:
        return fault_of_public_room(room, rest[0])
    if folder == "include":
        return 'public headers include "lockstep/…" only'
    if first in ROOMS and rest and first != room:
        return f"private headers of {first} are for {first} only"
    return None


def fault_within(place, name):
    """What is wrong when a file includes a folder of its own room; None if nothing is."""
    other = APART.get(place.parts[1:3])
    if other is not None and name.startswith(other + "/"):
        return f"{'/'.join(place.parts[1:3])} does not know {other}"
    return None


def files_of(root):
    """Yields (folder, room, path) of each source of ours; programs and bindings are in no room."""
    for folder, depth in (("include/lockstep", 2), ("src", 1), ("apps", 0), ("python", 0)):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCES:
                room = path.relative_to(root).parts[depth] if depth else None
                yield folder.split("/")[0], room, path


def faults(root):
    """Yields one line of text for each forbidden include below `root`."""
    for folder, room, path in files_of(root):
        place = path.relative_to(root)
        if room is not None and room not in ROOMS:
            yield f"{place}: {room} is no room"
            continue
        for number, in_angles, name in includes(path):
            own = (root / folder / "lockstep" / name, root / folder / "src" / name)
            if room is None and any(header.exists() for header in own):
                continue  # a program's own header, in a folder that is named as a room
            if reason := fault(folder, room, in_angles, name) or fault_within(place, name):
                yield f"{place}:{number}: includes {name}, but {reason}"


if __name__ == "__main__":
    report_faults.run(faults)
