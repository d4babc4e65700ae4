"""Every notebook runs in an empty folder without an error, and prints what it prints in the repository."""

import pathlib
import sys
import tempfile
import unittest

import nbclient
import nbformat

source = pathlib.Path(sys.argv[2])
del sys.argv[1:]
sys.path.insert(0, str(source / "tools"))
import run_notebooks  # noqa: E402


def outputs(book):
    return [output for cell in book.cells for output in cell.get("outputs", ())]


def printed(book):
    return "".join(each.text for each in outputs(book) if each.get("name") == "stdout")


class NotebooksTest(unittest.TestCase):
    def test_each_runs_and_prints_what_is_kept(self):
        paths = sorted(run_notebooks.notebooks.glob("*.ipynb"))
        self.assertGreaterEqual(len(paths), 4)
        for path in paths:
            with self.subTest(notebook=path.stem):
                kept = nbformat.read(path, as_version=4)
                self.assertEqual(printed(run_notebooks.run(path)), printed(kept))

    def test_each_keeps_its_pictures_and_ends_in_assertions(self):
        for path in run_notebooks.notebooks.glob("*.ipynb"):
            with self.subTest(notebook=path.stem):
                kept = nbformat.read(path, as_version=4)
                self.assertIn("\nassert ", kept.cells[-1].source)
                self.assertTrue(any("image/png" in each.get("data", {}) for each in outputs(kept)))
                self.assertNotIn("stderr", [each.get("name") for each in outputs(kept)])

    def test_an_error_of_a_cell_is_raised(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wrong.ipynb")
            cell = nbformat.v4.new_code_cell("assert 1 == 2")
            nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
            with self.assertRaises(nbclient.exceptions.CellExecutionError):
                run_notebooks.run(path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
