"""Makes peers.npz: the data sets of golden-peers.json by its recipe (`generator`).

usage: make_peers.py    writes peers.npz beside this file; needs NumPy
"""

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
Q, GAP, NOISE = 0.0054, 2e6, 0.004


def running_integral(values):
    return np.concatenate([[0], np.cumsum((values[1:] + values[:-1]) / 2)])


def smooth_difference(nodes):
    return np.sqrt((nodes[:, None] - nodes[None]) ** 2 + 1e-12)


def power_law(times, rate, power, offset):
    return np.maximum(rate * times**power + offset, 1e-10)


def g1(parameters, dt, frames, phi):
    times = np.maximum(np.arange(frames) * dt, dt / 2)
    decay = smooth_difference(running_integral(power_law(times, *parameters[:3])))
    value = np.exp(-Q * Q * dt / 2 * decay)
    if len(parameters) == 7:
        flow = smooth_difference(running_integral(power_law(times, *parameters[3:6])))
        phase = Q * GAP * dt / (2 * np.pi) * np.cos(np.deg2rad(parameters[6] - phi)) * flow
        value = value * np.sinc(phase / np.pi) ** 2
    return np.maximum(value, 1e-10)


def measurement(recipe):
    """Pairs above the diagonal and the diagonal, without frame 0."""
    frames, dt = recipe["M"], recipe["T"] / recipe["M"]
    random = np.random.Generator(np.random.PCG64(recipe["seed"]))
    above = np.triu_indices(frames - 1, 1)
    pairs, diagonals = [], []
    for phi, contrast, offset in zip(recipe["phi"], recipe["contrast"], recipe["offset"]):
        noise = random.standard_normal((frames, frames))
        noise = np.triu(noise) + np.triu(noise, 1).T
        c2 = offset + contrast * g1(recipe["truth"], dt, frames, phi) ** 2 + NOISE * noise
        diagonal = offset + 1.6 * contrast + 0.02 * random.standard_normal(frames)
        pairs.append(c2[1:, 1:][above])
        diagonals.append(diagonal[1:])
    return np.array(pairs), np.array(diagonals)


def main():
    recipes = json.loads((HERE / "golden-peers.json").read_text())["generator"]["datasets"]
    arrays = {}
    for name in ["st_7k", "lam_24k"]:
        arrays[f"{name}_c2"], arrays[f"{name}_diagonal"] = measurement(recipes[name])
    np.savez(HERE / "peers.npz", **arrays)


if __name__ == "__main__":
    main()
