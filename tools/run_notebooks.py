"""Runs the notebooks of examples/notebooks and keeps their outputs in them, but for what differs from run to run.

    PYTHONPATH=build/release/python .venv/bin/python tools/run_notebooks.py [NAME…]
"""

import contextlib
import json
import os
import pathlib
import sys
import tempfile

import nbclient
import nbformat

checkout = pathlib.Path(__file__).resolve().parent.parent
notebooks = checkout / "examples/notebooks"


@contextlib.contextmanager
def _kernel():
    """This interpreter as the kernel `python3`, with nothing written but a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        spec = pathlib.Path(folder, "kernels/python3/kernel.json")
        spec.parent.mkdir(parents=True)
        spec.write_text(json.dumps({
            "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "display_name": "Python 3", "language": "python"}))
        homes = ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR", "MPLCONFIGDIR")
        given = dict(os.environ)
        os.environ.update({name: str(pathlib.Path(folder, name.lower())) for name in homes})
        paths = [os.path.abspath(each) for each in given.get("PYTHONPATH", "").split(os.pathsep) if each]
        os.environ.update(JUPYTER_PATH=folder, LOCKSTEP_CHECKOUT=str(checkout), PYTHONPATH=os.pathsep.join(paths))
        try:
            yield folder
        finally:
            os.environ.clear()
            os.environ.update(given)


def run(path):
    """The notebook with the outputs of a run in an empty folder. An error of a cell is raised."""
    book = nbformat.read(path, as_version=4)
    with _kernel() as folder:
        work = pathlib.Path(folder, "work")
        work.mkdir()
        nbclient.NotebookClient(book, timeout=600, kernel_name="python3",
                                resources={"metadata": {"path": str(work)}}).execute()
    return book


def _without_times(book):
    for cell in book.cells:
        cell.metadata.pop("execution", None)
    book.metadata["language_info"] = {"name": "python"}
    return book


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(each.stem for each in notebooks.glob("*.ipynb")):
        path = notebooks / f"{name}.ipynb"
        nbformat.write(_without_times(run(path)), path)
        print(path)
