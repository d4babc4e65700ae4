#!/usr/bin/env python3
"""Prints the tests that ctest skipped, by reason.   usage: list_skipped.py RESULTS.xml   (of ctest --output-junit)"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict

GOOGLE_TEST = re.compile(r": Skipped\n(.+?)\n")
OTHERS = re.compile(r"^skipped: (.+)$", re.MULTILINE | re.IGNORECASE)
NAMES_SHOWN = 3


def reason_of(case):
    """What the test printed; else what ctest says of it."""
    text = case.findtext("system-out") or ""
    for pattern in (GOOGLE_TEST, OTHERS):
        found = pattern.search(text)
        if found:
            return found[1].strip()
    return case.find("skipped").get("message") or "no reason given"


def skipped(path):
    """Names by reason."""
    names = defaultdict(list)
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("skipped") is not None:
            names[reason_of(case)].append(case.get("name"))
    return names


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    by_reason = skipped(sys.argv[1])
    count = sum(map(len, by_reason.values()))
    if count == 0:
        print("No test was skipped.")
        return
    print(f"Skipped: {count} test{'s' if count > 1 else ''}")
    for reason, names in sorted(by_reason.items()):
        more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        print(f"  {reason}: {', '.join(names[:NAMES_SHOWN])}{more}")


if __name__ == "__main__":
    main()
