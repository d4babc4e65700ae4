"""The list of features: each changes a case in one respect, by dice.

A feature is a function (case, dice) with a group, which says when in the making of a case it is applied, and a
weight, which says how often it is chosen. One that finds nothing to change says so by returning False.
"""

GROUPS = ("horizon", "system", "process", "bounds", "settings", "mistake")

REGISTRY = {}


def feature(group, weight=1.0, needs=()):
    """Decorator: registers a function under its name with blanks for underscores. It needs these before it."""
    def register(function):
        name = function.__name__.replace("_", " ")
        REGISTRY[name] = {"group": group, "weight": weight, "needs": needs, "apply": function,
                          "says": function.__doc__}
        return function
    return register


def of_group(group):
    return {name: entry for name, entry in REGISTRY.items() if entry["group"] == group}


def with_needs(names):
    """The names and all that they need, in the order in which they are registered."""
    wanted = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in wanted:
            wanted.add(name)
            left += REGISTRY[name]["needs"]
    return [name for name in REGISTRY if name in wanted]
