#!/usr/bin/env python3
"""Starts the ranks of indexed-job.yaml as Kubernetes would, on this machine.   usage: indexed_job_test.py PROGRAM CASE

The command line and the variables are those of the manifest; only paths and the name of pod 0 are those of here.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import manifests
except ImportError as error:
    print(f"skipped: {error} (python3-yaml, python3-jsonschema: group test of tools/apt-packages.txt)")
    sys.exit(77)

PROGRAM, CASE = (Path(argument).resolve() for argument in sys.argv[1:3])
PATIENCE = 60  # seconds for a run of about one
DOCUMENTS = manifests.load("indexed-job.yaml")
CONTAINER = DOCUMENTS["Job"]["spec"]["template"]["spec"]["containers"][0]
LIMIT = 'training.stopping_rules=[{"type":"iteration_limit","limit":%d}]'


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Pods:
    """All pods of the job; ended when the block ends."""

    def __init__(self, folder, limit):
        self.folder = folder
        (folder / "token").write_text("a shared secret\n")
        variables = manifests.variables(CONTAINER, DOCUMENTS["ConfigMap"]["data"]) | {
            "LOCKSTEP_TCP_COORDINATOR": f"127.0.0.1:{free_port()}",
            "LOCKSTEP_TCP_BIND_ADDR": "127.0.0.1",  # for status.podIP
            "LOCKSTEP_TCP_TOKEN_FILE": str(folder / "token"),
            "LOCKSTEP_TCP_CONNECT_TIMEOUT_MS": "30000",
        }
        paths = {"/data/case": str(CASE), "/data/output": str(folder / "output")}
        words = [paths.get(word, word) for word in CONTAINER["args"]]
        # Sixteen threads would be many for here; they enter no result.
        words[words.index("--threads") + 1] = "1"
        self.ranks = [
            subprocess.Popen(
                [PROGRAM, *words, "--quiet", "--set", LIMIT % limit],
                env=os.environ | variables | {"JOB_COMPLETION_INDEX": str(index)},
                stderr=subprocess.PIPE,
                text=True,
            )
            for index in range(DOCUMENTS["Job"]["spec"]["completions"])
        ]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for rank in self.ranks:
            rank.kill()
            rank.communicate()

    def exit_codes(self):
        for rank in self.ranks:
            rank.wait(PATIENCE)
        return [rank.returncode for rank in self.ranks]

    def wait_for_checkpoint(self):
        end = time.monotonic() + PATIENCE
        while not list((self.folder / "output/checkpoints").glob("*/manifest*")):
            if time.monotonic() > end:
                raise AssertionError("no checkpoint was written")
            time.sleep(0.02)


class IndexedJobTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="lockstep-pods-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def assert_same_bits_as_alone(self, limit):
        alone = self.folder / "alone"
        run = [PROGRAM, "run", CASE, "--quiet", "--backend", "local", "-t", "1", "-o", alone, "--set", LIMIT % limit]
        subprocess.run(run, check=True, timeout=PATIENCE)
        compare = [PROGRAM, "compare", self.folder / "output", alone]
        subprocess.run(compare, check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL)

    def test_ranks_meet_and_give_the_bits_of_one(self):
        with Pods(self.folder, 30) as pods:
            self.assertEqual(pods.exit_codes(), [0, 0, 0, 0])
        self.assert_same_bits_as_alone(30)

    def test_a_killed_rank_fails_all_pods_and_their_successors_finish(self):
        with Pods(self.folder, 400) as pods:
            pods.wait_for_checkpoint()
            pods.ranks[2].kill()
            codes = pods.exit_codes()
            self.assertEqual(codes[2], -signal.SIGKILL)
            self.assertNotIn(0, codes)
        with Pods(self.folder, 400) as pods:
            self.assertEqual(pods.exit_codes(), [0, 0, 0, 0])
        self.assert_same_bits_as_alone(400)

    def test_an_evicted_pod_ends_all_with_a_checkpoint(self):
        with Pods(self.folder, 400) as pods:
            pods.wait_for_checkpoint()
            pods.ranks[3].terminate()
            self.assertEqual(pods.exit_codes(), [143, 143, 143, 143])
        with Pods(self.folder, 400) as pods:
            self.assertEqual(pods.exit_codes(), [0, 0, 0, 0])
        self.assert_same_bits_as_alone(400)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
