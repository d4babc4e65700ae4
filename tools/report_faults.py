"""What the checks of this folder share."""

import sys
from pathlib import Path


def run(faults):
    """Prints each fault below the folder of the first argument (default: the project); exits with 1 if any."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    found = list(faults(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)
