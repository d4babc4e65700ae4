#!/usr/bin/env python3
"""Checks that every work cited as [Key2000] in sources and documents stands in docs/references.bib.

usage: check_citations.py [ROOT]      prints each missing or repeated key and exits with 1 if there is any
"""

import re

import report_faults

CITATION = re.compile(r"(?<!\w)\[([A-Z][A-Za-z]*[a-z](?:19|20)\d\d[a-z]?)\]")
ENTRY = re.compile(r"^@\w+\{([^,\s]+),", re.MULTILINE)
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


def faults(root):
    """Yields one line of text for each key that is missing or stands twice."""
    keys = ENTRY.findall((root / "docs/references.bib").read_text(encoding="utf-8"))
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        yield f"docs/references.bib: {key} stands {keys.count(key)} times"
    for path in files_of(root):
        for number, key in citations(path):
            if key not in keys:
                yield f"{path.relative_to(root)}:{number}: [{key}] is not in docs/references.bib"


if __name__ == "__main__":
    report_faults.run(faults)
