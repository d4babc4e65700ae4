"""Makes peers.npz: the data sets of golden-peers.json by its recipe (`generator`).

usage: make_peers.py    writes peers.npz beside this file; needs NumPy
"""

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
Q, GAP, NOISE = 0.0054, 2e6, 0.004
NAMES = ["D0", "alpha", "D_offset", "gamma_dot_t0", "beta", "gamma_dot_t_offset", "phi0"]
START = [1.0e4, -0.5, 500, 1.0e-3, 0, 0, 0]


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


def matrices(recipe):
    """Symmetric matrices [angles, frames, frames] with their diagonals, frame 0 included."""
    frames, dt = recipe["M"], recipe["T"] / recipe["M"]
    random = np.random.Generator(np.random.PCG64(recipe["seed"]))
    all_angles = []
    for phi, contrast, offset in zip(recipe["phi"], recipe["contrast"], recipe["offset"]):
        noise = random.standard_normal((frames, frames))
        noise = np.triu(noise) + np.triu(noise, 1).T
        c2 = offset + contrast * g1(recipe["truth"], dt, frames, phi) ** 2 + NOISE * noise
        np.fill_diagonal(c2, offset + 1.6 * contrast + 0.02 * random.standard_normal(frames))
        all_angles.append(c2)
    return np.array(all_angles)


def measurement(recipe):
    """Pairs above the diagonal and the diagonal, without frame 0; frame 0 with frame 1."""
    whole = matrices(recipe)
    c2 = whole[:, 1:, 1:]
    above = np.triu_indices(recipe["M"] - 1, 1)
    return {
        "c2": np.array([matrix[above] for matrix in c2]),
        "diagonal": np.array([np.diag(matrix) for matrix in c2]),
        "first_neighbours": whole[:, 0, 1],
    }


def write_analysis(name, recipe, folder):
    """Writes NAME.npz, a cache as homodyne has it, and NAME.yaml beside it, which names it; the configuration's path."""
    times = recipe["dt"] * np.arange(recipe["M"])
    np.savez(folder / f"{name}.npz", c2_exp=matrices(recipe), t1=times, t2=times, phi_angles_list=np.array(recipe["phi"]),
             wavevector_q_list=np.full(len(recipe["phi"]), Q))
    flows = recipe["mode"] == "lam"
    config = folder / f"{name}.yaml"
    config.write_text(
        f"analysis_mode: {'laminar_flow' if flows else 'static'}\n"
        f"analyzer_parameters: {{dt: {recipe['dt']!r}, start_frame: 1, end_frame: -1, scattering: {{wavevector_q: {Q}}},\n"
        f"  geometry: {{stator_rotor_gap: {GAP}}}}}\n"
        f"initial_parameters: {{parameter_names: [contrast, offset, {', '.join(NAMES[: 7 if flows else 3])}], values: {[0.3, 1.0, *START[: 7 if flows else 3]]}}}\n"
        f"experimental_data: {{data_folder_path: {folder}, data_file_name: {name}.npz}}\n"
    )
    return config


def main():
    recipes = json.loads((HERE / "golden-peers.json").read_text())["generator"]["datasets"]
    arrays = {}
    for name in ["st_7k", "lam_24k"]:
        arrays |= {f"{name}_{part}": values for part, values in measurement(recipes[name]).items()}
    np.savez(HERE / "peers.npz", **arrays)


if __name__ == "__main__":
    main()
