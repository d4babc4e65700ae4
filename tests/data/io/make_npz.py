#!/usr/bin/env python3
"""Writes what NumPy's and zipfile's hands make of a few arrays: the .npz files beside this script (NumPy 1.24.2, Python 3.11)."""

import pathlib
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).parent
ARRAYS = {
    "reals": np.array([[1.5, -0.0, 1 / 3], [2, -1e300, 5e-324]]),
    "columns": np.asfortranarray(np.arange(24, dtype=np.float64).reshape(2, 3, 4)),
    "singles": np.array([1, 2.5], dtype=np.float32),
    "counts": np.array([7, 2**32 - 1], dtype=np.uint32),
    "longs": np.array([-(2**63), 2**63 - 1]),
    "shorts": np.array([-5, 6], dtype=np.int32),
    "truths": np.array([True, False, True]),
    "text": np.array('{"q": "Å⁻¹", "k": "😀"}'),
    "texts": np.array(["D0", "", "gamma_dot_t0"]),
    "empty": np.zeros((0, 3)),
}


def main():
    np.savez(HERE / "stored.npz", **ARRAYS)
    np.savez_compressed(HERE / "deflated.npz", **ARRAYS)
    np.savez(HERE / "objects.npz", cache_metadata=np.array({"q": 1}, dtype=object))
    with zipfile.ZipFile(HERE / "stored.npz") as stored, zipfile.ZipFile(HERE / "zip64.npz", "w") as target:
        with target.open("reals.npy", "w", force_zip64=True) as member:
            member.write(stored.read("reals.npy"))
    with zipfile.ZipFile(HERE / "bzip2.npz", "w", zipfile.ZIP_BZIP2) as target:
        target.writestr("a.npy", b"x" * 100)
    with zipfile.ZipFile(HERE / "notes.npz", "w") as target:
        target.writestr("notes.txt", b"no array")


if __name__ == "__main__":
    main()
