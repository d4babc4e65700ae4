#!/usr/bin/env python3
"""Starts the pods of the learning jobs as Kubernetes would, on this machine.   usage: rl_jobs_test.py PROGRAM

Command lines and variables are those of the manifests; only paths, addresses and the number of steps are those of here.
"""

import json
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

PROGRAM = Path(sys.argv[1]).resolve()
PATIENCE = 60  # seconds for a run of about one


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class JobsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="lockstep-pods-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.token = self.folder / "token"
        self.token.write_text("a shared secret\n")
        self.token.chmod(0o600)
        self.pods = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for pod in self.pods:
            pod.kill()
            pod.wait()
            pod.stderr.close()

    def start(self, name, steps=None, changes=None, **variables):
        """A pod of a manifest; of its words those change that name things which are not here."""
        documents = manifests.load(name)
        container = documents["Job"]["spec"]["template"]["spec"]["containers"][0]
        changes = (changes or {}) | {"/data/learned": self.folder / "learned", "/data/served": self.folder / "served"}
        words = [changes.get(word, word) for word in container["args"]]
        words[words.index("--threads") + 1] = "1"
        if steps:
            words[words.index("--steps") + 1] = str(steps)
        environment = manifests.variables(container, documents.get("ConfigMap", {}).get("data")) | variables
        environment |= {"LOCKSTEP_TCP_TOKEN_FILE": str(self.token), "LOCKSTEP_TCP_CONNECT_TIMEOUT_MS": "30000"}
        pod = subprocess.Popen(
            [PROGRAM, *words, "--quiet"], env=os.environ | environment, stderr=subprocess.PIPE, text=True
        )
        self.pods.append(pod)
        return pod

    def ranks(self, steps):
        address = f"127.0.0.1:{free_port()}"
        variables = {"LOCKSTEP_TCP_COORDINATOR": address, "LOCKSTEP_TCP_BIND_ADDR": "127.0.0.1"}
        return [
            self.start("rl-allreduce.yaml", steps, **variables, JOB_COMPLETION_INDEX=str(index)) for index in range(4)
        ]

    def digest(self, output):
        return json.loads((self.folder / output / "metadata.json").read_text())["parts"][0]["digest"]

    def assert_ends_well(self, pods):
        for pod in pods:
            self.assertEqual(pod.wait(PATIENCE), 0, pod.stderr.read())

    def test_ranks_give_the_bits_of_one(self):
        steps = 2_000_000
        self.assert_ends_well(self.ranks(steps))
        alone = [PROGRAM, "rl", "train", "tictactoe", "--mode", "allreduce", "--discount-factor", "1", "--epsilon", "0.3"]
        alone += ["--steps", str(steps), "-t", "1", "--quiet", "--output", self.folder / "alone"]
        subprocess.run(alone, check=True, timeout=PATIENCE)
        self.assertEqual(self.digest("learned"), self.digest("alone"))

    def serve(self, port, steps):
        return self.start("rl-server.yaml", steps, {"0.0.0.0:29600": f"0.0.0.0:{port}", "60s": "0.2s"})

    def work(self, port):
        return self.start("rl-workers.yaml", None, {"lockstep-server:29600": f"127.0.0.1:{port}"})

    def test_workers_find_the_server_and_end_with_it(self):
        port = free_port()
        workers = [self.work(port)]  # before the server is there
        server = self.serve(port, 4_000_000)
        workers.append(self.work(port))
        self.assert_ends_well([server, *workers])

    def test_a_killed_server_goes_on_with_the_workers_that_wait(self):
        port, steps = free_port(), 40_000_000
        server = self.serve(port, steps)
        workers = [self.work(port), self.work(port)]
        end = time.monotonic() + PATIENCE
        while not list((self.folder / "served/checkpoints").glob("*/manifest*")):
            self.assertLess(time.monotonic(), end, "no checkpoint was written")
            time.sleep(0.02)
        server.kill()
        self.assertEqual(server.wait(PATIENCE), -signal.SIGKILL)
        self.assert_ends_well([self.serve(port, steps), *workers])
        metrics = (self.folder / "served/training/metrics.jsonl").read_text().splitlines()
        self.assertEqual(json.loads(metrics[-1])["transitions_total"], steps)

    def test_a_worker_that_is_evicted_ends_after_its_lease(self):
        port = free_port()
        server = self.serve(port, 40_000_000)
        workers = [self.work(port), self.work(port)]
        time.sleep(1)
        workers[0].send_signal(signal.SIGTERM)
        self.assertEqual(workers[0].wait(PATIENCE), 143)
        self.assert_ends_well([server, workers[1]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
