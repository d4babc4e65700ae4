#!/usr/bin/env python3
"""Checks that every work cited as [Key2000] in sources and documents stands in docs/references.bib.

Also that sources of an engine and the equations of its theory (docs/ENGINE-theory.md or docs/ENGINE/theory.md) name each other:
"equation (4)", "equations (10) to (12)" must exist there, and every equation must be named by a source.

usage: check_citations.py [ROOT]      prints each missing or repeated key and exits with 1 if there is any
"""

import re

import report_faults

CITATION = re.compile(r"(?<!\w)\[([A-Z][A-Za-z]*[a-z](?:19|20)\d\d[a-z]?)\]")
ENTRY = re.compile(r"^@\w+\{([^,\s]+),", re.MULTILINE)
NUMBERED = re.compile(r"\((\d+)\)$", re.MULTILINE)
NAMED = re.compile(r"[Ee]quations? \((\d+)\)(?:(, \(\d+\))*(?: (and|to) \((\d+)\)))?")
ENGINES = ("sddp", "rl", "xpcs")
FOLDERS = (("include", "*.hpp"), ("src", "*.?pp"), ("apps", "*.?pp"), ("tests", "*.?pp"), ("docs", "*.md"))


def files_of(root):
    """Sources and documents of ours."""
    for folder, pattern in FOLDERS:
        yield from sorted((root / folder).rglob(pattern))


def citations(path):
    """Yields (line number, key) of each citation in a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        for key in CITATION.findall(line):
            yield number, key


def equations_named(text):
    """Numbers of the equations that a source names."""
    for found in NAMED.finditer(re.sub(r"\s*\n\s*///?\s*", " ", text)):  # comments as one line
        first, last = int(found[1]), int(found[4] or found[1])
        yield from range(first, last + 1) if found[3] == "to" else map(int, re.findall(r"\d+", found[0]))


def equation_faults(root, engine):
    """Yields one line of text for each equation that a source of an engine names in vain, or that none names."""
    pages = [page for page in (f"docs/{engine}-theory.md", f"docs/{engine}/theory.md") if (root / page).exists()]
    if not pages:
        return
    page = pages[0]
    theory = root / page
    equations = {int(number) for number in NUMBERED.findall(theory.read_text(encoding="utf-8"))}
    named = set()
    folders = (root / "include" / "lockstep" / engine, root / "src" / engine)
    for path in sorted(path for folder in folders for path in folder.rglob("*.?pp")):
        for number in equations_named(path.read_text(encoding="utf-8")):
            named.add(number)
            if number not in equations:
                yield f"{path.relative_to(root)}: equation ({number}) is not in {page}"
    for number in sorted(equations - named):
        yield f"{page}: no source names equation ({number})"


def faults(root):
    """Yields one line of text for each key that is missing or stands twice, then those of equations."""
    keys = ENTRY.findall((root / "docs/references.bib").read_text(encoding="utf-8"))
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        yield f"docs/references.bib: {key} stands {keys.count(key)} times"
    for path in files_of(root):
        for number, key in citations(path):
            if key not in keys:
                yield f"{path.relative_to(root)}:{number}: [{key}] is not in docs/references.bib"
    for engine in ENGINES:
        yield from equation_faults(root, engine)


if __name__ == "__main__":
    report_faults.run(faults)
