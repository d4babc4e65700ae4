"""From a dataset or a configuration to results."""

import json
import os

from lockstep import _core
from lockstep._calls import given_of, pass_on
from lockstep._progress import listeners
from lockstep.xpcs import _configuration
from lockstep.xpcs._dataset import Dataset
from lockstep.xpcs._shards import farm_of


def _source(source, config, mode, bounds, priors):
    """(dataset or None, configuration's text, its name)"""
    if isinstance(source, dict):
        if config is not None:
            raise TypeError("config goes with a Dataset; the first argument is a configuration")
        source, config = Dataset.load(source), source
    if isinstance(source, Dataset):
        return (source, *_configuration.of_matrices(source, config, mode, bounds, priors))
    if config is not None or bounds or priors:
        raise TypeError("config, bounds and priors go with a Dataset; a configuration file has "
                        "bounds and priors as parameter_space.bounds")
    return None, None, os.fspath(source)


def analyse(work, source, config, mode, initial, bounds, priors, on_progress, options):
    """What came of it, as the arguments of Fit and Posterior.

    Ctrl-C ends the work with everything written, and is raised then.
    """
    dataset, text, name = _source(source, config, mode, bounds, priors)
    options = {**_configuration.mode_option(mode), **_configuration.start_options(initial), **options}
    if dataset is not None and options.get("data_file") is not None:
        raise TypeError("data_file goes with a configuration file; a Dataset has its data")
    with farm_of(options) as farm, listeners(on_progress) as (progress, tell):
        given = given_of(f"xpcs.{work}", options)
        if dataset is None:
            ended = _core.xpcs.analyse_file(work, name, given, progress, tell, farm)
        else:
            ended = _core.xpcs.analyse_matrices(work, dataset._matrices, text, name, given, progress, tell, farm)
    summary, output, signal, draws = ended
    pass_on(signal)
    where = (name, os.fspath(options.get("data_file") or ""))
    return json.loads(summary), output, dataset if dataset is not None else where, draws
