"""Tasks of the tests of farms."""

import os
import pathlib
import time


def number(x):
    return x


def fail_if_odd(x):
    if x % 2:
        raise ValueError(f"odd {x}")
    return "even"


class Strange(Exception):
    """Cannot be made again from its text."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def fail_strangely():
    raise Strange("this", "that")


def unfit():
    return (each for each in ())


def note(mark, x):
    with open(mark, "a") as file:
        file.write(f"{x}\n")
    return x


def nap(seconds):
    time.sleep(seconds)
    return seconds


def die(*_):
    os.kill(os.getpid(), 9)


def die_once(mark):
    if not pathlib.Path(mark).exists():
        pathlib.Path(mark).touch()
        die()
    return "alive"


def die_once_at_three(task):
    mark, x = task
    return (die_once(mark), x)[1] if x == 3 else x


def who(_=None):
    return os.getpid(), os.environ.get("LOCKSTEP_COMM_BACKEND")


def digest(seed):
    import hashlib
    import random

    numbers = random.Random(seed)
    return hashlib.sha256(repr([numbers.random() for _ in range(1000)]).encode()).hexdigest()
