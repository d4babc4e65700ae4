"""config.json: passes, stopping, sampling of the forward pass and of the simulation."""

from features import feature


def begin(case, dice):
    case.documents["config.json"] = {
        "training": {"selection": {"method": "sampled", "forward_passes": dice.integer(1, 3)},
                     "stopping_rules": [{"type": "iteration_limit", "limit": 40}]},
        "simulation": {"enabled": True, "selection": {"method": "sampled", "num_scenarios": 4}},
        "exports": {"stochastic": True}}


@feature("settings", 0.7)
def tree_seed(case, dice):
    """Another seed of the opening tree."""
    case.config["training"]["tree_seed"] = dice.pick([0, 1, 7, 2**31, -5, dice.integer(0, 10**9)])


@feature("settings")
def out_of_sample(case, dice):
    """Fresh noise in the forward pass or in the simulation, for some classes."""
    schemes = {kind: {"scheme": dice.pick(["in_sample", "out_of_sample"])} for kind in ("inflow", "load", "ncs")}
    source = {"seed": dice.integer(0, 10**6), **schemes}
    if dice.chance(0.5):
        case.config["simulation"]["scenario_source"] = source
    else:
        case.config["training"].setdefault("scenario_source", {}).update(source)


@feature("settings", 0.4)
def cost_scale(case, dice):
    """The divisor of Cobre's objective, which must not matter."""
    case.config.setdefault("modeling", {})["cost_scale_factor"] = dice.pick([1.0, 1000.0, 1e5, 1e8])


@feature("settings", 0.3)
def by_node(case, dice):
    """Work dealt by opening, which must not matter."""
    case.config["training"]["parallelism"] = {"backward_scheduler": {"method": "by_node"}}


@feature("settings", 0.3)
def more_rules(case, dice):
    """Stopping rules beside the limit that cannot fire."""
    case.config["training"]["stopping_rules"] += [{"type": "time_limit", "seconds": 3600.0}]
    case.config["training"]["stopping_mode"] = dice.pick(["any", "all"])
