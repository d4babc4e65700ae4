"""Pictures of trainings, simulations and policies, by matplotlib. Each takes axes and returns them."""

from lockstep.tables import _need

__all__ = ["convergence", "prices", "storage", "water_values"]

_bands = ((0.05, 0.95), (0.25, 0.75))


def _axes(ax):
    if ax is not None:
        return ax
    _need("matplotlib")
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def _unit(largest):
    for size, name in ((1e9, "10⁹ $"), (1e6, "10⁶ $"), (1e3, "10³ $")):
        if abs(largest) >= size:
            return size, name
    return 1, "$"


def convergence(training, ax=None):
    """Bounds over iterations; the upper one is a sample's mean and scatters.

    `training` is a Training, or a table of its kind.
    """
    import numpy

    table = getattr(training, "convergence", training)
    ax = _axes(ax)
    iteration, lower, upper = (table.column(name) for name in ("iteration", "lower_bound", "upper_bound"))
    size, unit = _unit(numpy.nanmax(numpy.abs(lower)))
    ax.plot(iteration, upper / size, ".", color="0.6", markersize=4, label="upper bound (sampled)")
    ax.plot(iteration, lower / size, color="C0", label="lower bound")
    ax.set(xlabel="iteration", ylabel=f"cost [{unit}]", title="Convergence")
    ax.legend()
    return ax


def _by_stage(table, entity, number, value):
    """Stages, and of each the values of an entity over scenarios: those of its last block."""
    import numpy

    chosen = numpy.asarray(table.column(entity)) == number
    if not chosen.any():
        known = ", ".join(map(str, numpy.unique(table.column(entity))[:10].tolist()))
        raise KeyError(f"there is no {entity} {number}; there are {known}")
    stage, scenario = table.column("stage_id")[chosen], table.column("scenario_id")[chosen]
    values = numpy.asarray(table.column(value))[chosen]
    stages = numpy.unique(stage)
    columns = []
    for each in stages:
        of_stage = stage == each
        columns.append(dict(zip(scenario[of_stage].tolist(), values[of_stage].tolist())))
    return stages, columns


def _fan(ax, stages, columns):
    import numpy

    def at(share):
        return [numpy.quantile(list(column.values()), share) for column in columns]

    for shade, (low, high) in zip((0.2, 0.4), _bands):
        ax.fill_between(stages, at(low), at(high), color="C0", alpha=shade, linewidth=0,
                        label=f"{low:.0%} to {high:.0%} of scenarios")
    ax.plot(stages, at(0.5), color="C0", label="median")
    ax.set_xlabel("stage")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
    ax.legend()


def storage(simulation, hydro_id, ax=None):
    """Storage of a plant at the end of each stage, as quantiles over scenarios."""
    ax = _axes(ax)
    _fan(ax, *_by_stage(simulation["hydros"], "hydro_id", hydro_id, "storage_final_hm3"))
    ax.set(ylabel="storage [hm³]", title=f"Storage of hydro {hydro_id}")
    return ax


def prices(simulation, bus_id, ax=None):
    """Spot price of a bus (of the last block) in each stage, as quantiles over scenarios."""
    ax = _axes(ax)
    _fan(ax, *_by_stage(simulation["buses"], "bus_id", bus_id, "spot_price"))
    ax.set(ylabel="price [$/MWh]", title=f"Price at bus {bus_id}")
    return ax


def water_values(policy, stage, hydro, low=0.0, high=None, points=101, state=None, ax=None):
    """What one more hm³ of a plant saves after a stage, along its storage; all else as in `state`.

    hydro      place of the plant among the policy's states
    low, high  storages [hm³]; high: twice what the state has
    state      none: as before the first stage
    """
    import numpy

    ax = _axes(ax)
    state = policy.initial_state if state is None else numpy.array(state, dtype=float)
    storages = numpy.linspace(low, 2 * state[hydro] if high is None else high, points)
    values = []
    for each in storages:
        state[hydro] = each
        values.append(policy.water_values(stage, state)[hydro].low)
    name = policy.water_values(stage, state)[hydro].name
    ax.step(storages, values, where="post", color="C0")
    ax.set(xlabel=f"storage of {name} [hm³]", ylabel="water value [$/hm³]", title=f"Water value of {name} after stage {stage}")
    ax.locator_params(axis="x", nbins=6)
    ax.margins(y=0.1)
    ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
    return ax
