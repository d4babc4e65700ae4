"""Makes the case of a number: a base system, then features in the order of their groups."""

import bounds
import horizon
import mistakes
import process
import settings
import system
from case import Case
from dice import Dice
from features import GROUPS, REGISTRY, of_group, with_needs

STARTS = {"horizon": horizon.begin, "system": system.begin, "process": process.begin}


def choose(dice):
    """Two to six features in most cases, so that causes can be told apart."""
    counts = {"horizon": dice.pick([0, 0, 1, 1, 2]), "system": dice.pick([0, 1, 1, 2, 3]),
              "process": dice.pick([0, 0, 1, 1, 2, 3]), "bounds": dice.pick([0, 0, 0, 1, 1, 2]),
              "settings": dice.pick([0, 0, 1])}
    chosen = set()
    for group, count in counts.items():
        entries = of_group(group)
        for _ in range(count):
            left = [name for name in entries if name not in chosen]
            chosen.add(dice.random.choices(left, weights=[entries[name]["weight"] for name in left])[0])
    if dice.chance(mistakes.SHARE):
        chosen.add(dice.pick(list(of_group("mistake"))))
    return with_needs(chosen)


def make(seed, number, only=()):
    """The case of a seed and a number: always the same. `only`: these features and no others."""
    dice = Dice(seed, number)
    case = Case()
    settings.begin(case, dice)
    names = with_needs(only or choose(dice))
    for group in GROUPS:
        if group in STARTS:
            STARTS[group](case, dice)
        for name in names:
            entry = REGISTRY[name]
            if entry["group"] == group and entry["apply"](case, dice) is not False:
                case.features.append(name)
    case.tables = {path: rows for path, rows in case.tables.items() if rows}
    return case
