"""Tests tools/check_includes.py on small made-up trees."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_includes  # noqa: E402  (the path comes first)


def faults_of(**files):
    """Faults of a tree: file names with __ for a slash, each with one include."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, include in files.items():
            path = root / (name.replace("__", "/") + ".cpp")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"// a comment\n#include {include}\n", encoding="utf-8")
        return list(check_includes.faults(root))


class CheckIncludesTest(unittest.TestCase):
    def test_allows_what_the_table_allows(self):
        self.assertEqual(
            [],
            faults_of(
                src__sddp__train='"lockstep/lp/solver.hpp"',
                src__sddp__pass='"sddp/cut_pool.hpp"',
                src__sddp__own='"lockstep/sddp/train.hpp"',
                src__runtime__team='"lockstep/comm/communicator.hpp"',
                src__formats__cobre__case='"lockstep/sddp/system.hpp"',
                src__io__table="<arrow/api.h>",
                include__lockstep__lp__model="<vector>",
                apps__lockstep__main='"lockstep/app/run.hpp"',
                apps__lockstep__sddp='"commands.hpp"',
            ),
        )

    def test_names_file_line_and_what_is_allowed(self):
        self.assertEqual(
            ["src/lp/solver.cpp:2: includes lockstep/sddp/train.hpp, but lp may include base"],
            faults_of(src__lp__solver='"lockstep/sddp/train.hpp"'),
        )

    def test_keeps_base_free_of_other_rooms(self):
        self.assertEqual(
            ["include/lockstep/base/x.cpp:2: includes lockstep/io/file.hpp, but base may include no other room"],
            faults_of(include__lockstep__base__x='"lockstep/io/file.hpp"'),
        )

    def test_keeps_engines_apart_from_each_other_and_from_files(self):
        self.assertEqual(2, len(faults_of(src__sddp__a='"lockstep/rl/table.hpp"', src__sddp__b='"lockstep/io/file.hpp"')))

    def test_keeps_the_algorithm_apart_from_its_model(self):
        self.assertEqual(
            ["src/sddp/passes/train.cpp:2: includes sddp/hydro/hydro_model.hpp, but sddp/passes does not know sddp/hydro"],
            faults_of(
                src__sddp__passes__train='"sddp/hydro/hydro_model.hpp"',
                src__sddp__hydro__train='"sddp/passes/engine.hpp"',
            ),
        )

    def test_keeps_private_headers_private(self):
        self.assertEqual(
            ["src/app/run.cpp:2: includes sddp/cut_pool.hpp, but private headers of sddp are for sddp only"],
            faults_of(src__app__run='"sddp/cut_pool.hpp"'),
        )
        self.assertEqual(1, len(faults_of(apps__lockstep__main='"app/prepare.hpp"')))

    def test_keeps_third_party_headers_out_of_public_ones(self):
        for header in ("arrow/api.h", "nlohmann/json.hpp", "Highs.h", "omp.h", "Random123/philox.h", "fmt/format.h"):
            self.assertEqual(1, len(faults_of(include__lockstep__io__x=f"<{header}>")), header)
        self.assertEqual(1, len(faults_of(include__lockstep__io__x='"Highs.h"')))

    def test_knows_the_rooms(self):
        self.assertEqual(["src/attic/x.cpp: attic is no room"], faults_of(src__attic__x="<vector>"))
        self.assertEqual(
            ["apps/lockstep/x.cpp:2: includes lockstep/attic/y.hpp, but there is no room attic"],
            faults_of(apps__lockstep__x='"lockstep/attic/y.hpp"'),
        )


if __name__ == "__main__":
    unittest.main()
