"""``python -m lockstep`` is the program ``lockstep``."""

import signal
import sys


def main() -> int:
    from lockstep import _calls, _core

    # As a program has it: Python's own handler would wait for us.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.run_program(["lockstep", *sys.argv[1:]], _calls.own_command)


if __name__ == "__main__":
    sys.exit(main())
