#!/usr/bin/env python3
"""Writes expected.json: what ArviZ says of series that tests/unit/xpcs/cmc make by the same recipe.

Numbers: s <- 48271 s mod (2^31 - 1) from s = seed; u = s / (2^31 - 1); a "normal" is the sum of twelve u minus 6.
Series of chain c (seed + c): x_t = phi x_(t-1) + e_t from x_0 = e_0, then transformed. All of it is exact or correctly rounded, so that
C++ and Python make the same bits. Needs: pip install arviz==0.23.4
"""

import json
import pathlib

import arviz
import numpy
import scipy
from arviz.stats import ess, mcse, psislw, rhat
from arviz.stats.diagnostics import bfmi


def normals(seed):
    state = seed
    while True:
        total = 0.0
        for _ in range(12):
            state = 48271 * state % 2147483647
            total += state / 2147483647
        yield total - 6


def series(seed, phi, count):
    noise = normals(seed)
    values = [next(noise)]
    while len(values) < count:
        values.append(phi * values[-1] + next(noise))
    return numpy.array(values)


def transformed(kind, chain, values):
    if kind == "plain":
        return values
    if kind == "shifted":
        return values + 0.5 * chain
    if kind == "scaled":
        return values * (1 + chain)
    if kind == "rounded":
        return numpy.floor(values * 4) / 4
    if kind == "cubed":
        return values * values * values
    raise ValueError(kind)


CHAINS = [  # name, transform, seed, phi, chains, draws
    ("independent", "plain", 11, 0.0, 4, 500),
    ("sticky", "plain", 12, 0.9, 4, 1000),
    ("antithetic", "plain", 13, -0.4, 3, 200),
    ("odd", "plain", 14, 0.5, 4, 501),
    ("apart", "shifted", 15, 0.3, 4, 300),
    ("unequal", "scaled", 16, 0.3, 4, 300),
    ("ties", "rounded", 17, 0.5, 4, 400),
    ("heavy", "cubed", 18, 0.6, 2, 600),
    ("one", "plain", 19, 0.7, 1, 250),
]
WEIGHTS = [  # name, seed, count, log weight = factor * normal^2
    ("light", 21, 1000, -0.3),
    ("medium", 22, 2000, 0.15),
    ("heavy", 23, 2000, 0.35),
    ("few", 24, 40, 0.2),
]


def of_chains(name, kind, seed, phi, chains, draws):
    x = numpy.array([transformed(kind, c, series(seed + c, phi, draws)) for c in range(chains)])
    found = {
        "rhat": None if chains == 1 else rhat(x),
        "rhat_bulk": None if chains == 1 else rhat(x, method="z_scale"),
        "rhat_tail": None if chains == 1 else rhat(x, method="folded"),
        "ess_bulk": ess(x, method="bulk"),
        "ess_tail": ess(x, method="tail"),
        "ess_mean": ess(x, method="mean"),
        "ess_sd": ess(x, method="sd"),
        "ess_q10": ess(x, method="quantile", prob=0.1),
        "mcse_mean": mcse(x, method="mean"),
        "mcse_sd": mcse(x, method="sd"),
        "mcse_q90": mcse(x, method="quantile", prob=0.9),
        "bfmi": [float(value) for value in bfmi(x)],
    }
    recipe = {"name": name, "transform": kind, "seed": seed, "phi": phi, "chains": chains, "draws": draws}
    recipe["first"] = [float(x[0][0]), float(x[0][1])]
    recipe["last"] = float(x[-1][-1])
    return recipe | {key: value if value is None or isinstance(value, list) else float(value) for key, value in found.items()}


def of_weights(name, seed, count, factor):
    noise = normals(seed)
    values = [next(noise) for _ in range(count)]
    raw = numpy.array([factor * (value * value) for value in values])
    smoothed, k = psislw(raw)
    largest = numpy.argsort(raw)[::-1][:5]
    return {
        "name": name, "seed": seed, "count": count, "factor": factor, "k": float(k),
        "ess": float(1 / numpy.sum(numpy.exp(smoothed) ** 2)),
        "largest": [{"at": int(i), "log_weight": float(smoothed[i])} for i in largest],
    }  # fmt: skip


def main():
    expected = {
        "source": f"ArviZ {arviz.__version__}, NumPy {numpy.__version__}, SciPy {scipy.__version__}, by make.py",
        "chains": [of_chains(*case) for case in CHAINS],
        "weights": [of_weights(*case) for case in WEIGHTS],
    }
    path = pathlib.Path(__file__).with_name("expected.json")
    path.write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
