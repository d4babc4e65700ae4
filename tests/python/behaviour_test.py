"""Signals, threads, forks and the environment: the package in a process that is not its own."""

import json
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import warnings

import lockstep

# A spawned child imports this file without arguments.
program, source = (sys.argv[1], pathlib.Path(sys.argv[2])) if len(sys.argv) > 2 else ("", pathlib.Path())
del sys.argv[1:]
long_run = "{'training.stopping_rules': [{'type': 'iteration_limit', 'limit': 100000}]}"


def script(text, **environment):
    """A Python process of its own, with a case at hand."""
    head = f"import lockstep, os, signal, sys\ncase = {str(source / 'cases/sddp/1dtoy')!r}\n"
    return subprocess.Popen([sys.executable, "-W", "ignore", "-c", head + textwrap.dedent(text)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **environment})


def solve_in_child(queue):
    try:
        with tempfile.TemporaryDirectory() as folder:
            queue.put(lockstep.rl.solve("FrozenLake", output=folder, threads=2).summary["digest"])
    except Exception as error:
        queue.put(f"{type(error).__name__}: {error}")


def in_child(method):
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=solve_in_child, args=(queue,))
    child.start()
    said = queue.get(timeout=60)
    child.join(60)
    return said


class BehaviourTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        warnings.simplefilter("ignore")

    def interrupted(self, signals, body):
        """What a script prints that gets signals once it has said that it trains."""
        process = script(body.format(out=str(self.folder), long_run=long_run))
        self.assertEqual(process.stdout.readline(), "training\n")
        for each in signals:
            process.send_signal(each)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def test_ctrl_c_ends_a_loop_of_studies_with_everything_written(self):
        body = """
            told = []
            def tell(report):
                if not told:
                    told.append(print("training", flush=True))
            ours = signal.getsignal(signal.SIGINT)
            try:
                for study in range(3):
                    lockstep.sddp.run(case, output="{out}/" + str(study), set={long_run}, on_progress=tell)
                    print("went on")
            except KeyboardInterrupt:
                assert signal.getsignal(signal.SIGINT) is ours
                print("interrupted", sorted(os.listdir("{out}")))
                print("alive", lockstep.rl.solve("FrozenLake", output="{out}/rl").output != "")
        """
        code, out, err = self.interrupted([signal.SIGINT, signal.SIGINT, signal.SIGINT], body)
        self.assertEqual((code, out.split("\n")[:1]), (0, ["interrupted ['0']"]), err)
        self.assertIn("alive True", out)
        self.assertTrue((self.folder / "0/metadata.json").exists())

    def test_term_ends_the_process_after_everything_is_written(self):
        body = """
            told = []
            def tell(report):
                if not told:
                    told.append(print("training", flush=True))
            lockstep.sddp.run(case, output="{out}/0", set={long_run}, on_progress=tell)
            print("went on")
        """
        code, out, err = self.interrupted([signal.SIGTERM], body)
        self.assertEqual((code, out), (-signal.SIGTERM, ""), err)
        self.assertTrue((self.folder / "0/metadata.json").exists())

    def test_ctrl_c_while_a_thread_trains_interrupts_the_main_thread(self):
        body = """
            import threading
            told = []
            def tell(report):
                if not told:
                    told.append(print("training", flush=True))
            def train():
                try:
                    lockstep.sddp.run(case, output="{out}/0", set={long_run}, on_progress=tell)
                except KeyboardInterrupt:
                    print("thread interrupted", flush=True)
            thread = threading.Thread(target=train)
            thread.start()
            try:
                thread.join()
                for _ in range(100000000):
                    pass
                print("went on")
            except KeyboardInterrupt:
                print("main interrupted")
        """
        code, out, err = self.interrupted([signal.SIGINT], body)
        self.assertEqual((code, sorted(out.split("\n"))), (0, ["", "main interrupted", "thread interrupted"]), err)

    def test_an_interrupt_in_jupyter_leaves_the_kernel_alive(self):
        from jupyter_client.manager import start_new_kernel

        manager, client = start_new_kernel(kernel_name="python3")
        self.addCleanup(manager.shutdown_kernel, now=True)
        self.addCleanup(client.stop_channels)
        case = str(source / "cases/sddp/1dtoy")
        started = self.folder / "started"

        def run(code):
            said = []
            reply = client.execute_interactive(
                code, timeout=120, store_history=False, output_hook=lambda message: said.append(message["content"]))
            return reply["content"], said

        timer = threading.Thread(target=lambda: self.interrupt_when(started, manager))
        timer.start()
        reply, said = run(f"import lockstep, pathlib\n"
                          f"def tell(report): pathlib.Path({str(started)!r}).touch()\n"
                          f"lockstep.sddp.run({case!r}, output={str(self.folder / 'o')!r}, set={long_run}, on_progress=tell)")
        timer.join()
        self.assertEqual(reply["ename"], "KeyboardInterrupt")
        self.assertTrue((self.folder / "o/metadata.json").exists())
        reply, said = run(f"print(lockstep.rl.train('FrozenLake', output={str(self.folder / 'rl')!r}, steps=20000).output)")
        self.assertEqual(reply["status"], "ok")
        text = "".join(each.get("text", "") for each in said)
        self.assertIn("training: 20,000 steps", text)  # the log is to be seen

    def interrupt_when(self, file, manager):
        for _ in range(2000):
            if file.exists():
                break
            time.sleep(0.02)
        for _ in range(2):
            manager.interrupt_kernel()
            time.sleep(0.05)

    def test_threads_are_those_of_the_environment(self):
        text = "print(lockstep.rl.solve('FrozenLake', output=sys.argv[-1] if 0 else os.environ['OUT']).output)"
        for value, threads in (("1", 1), ("3", 3)):
            out = self.folder / value
            said, err = script(text, OMP_NUM_THREADS=value, OUT=str(out)).communicate(timeout=60)
            self.assertEqual(said.strip(), str(out), err)
            self.assertEqual(self.threads_of(out), threads)
            run = [program, "rl", "solve", "FrozenLake", "-q", "-o", str(out) + "-program"]
            subprocess.run(run, check=True, env={**os.environ, "OMP_NUM_THREADS": value})
            self.assertEqual(self.threads_of(str(out) + "-program"), threads)
        said, err = script(text, OMP_NUM_THREADS="many", OUT=str(self.folder / "no")).communicate(timeout=60)
        self.assertIn("threads: 'many' must be a whole number", err)

    def test_work_in_memory_takes_the_threads_of_the_environment(self):
        # Beside those that work there may be one that writes or waits.
        text = ("counts = []\n"
                "def count(report): counts.append(len(os.listdir('/proc/self/task')))\n"
                "count(None)\n"
                "lockstep.rl.make('FrozenLake').train(steps=20000, on_progress=count)\n"
                "print(max(counts) - counts[0])")
        one, five = (int(script(text, OMP_NUM_THREADS=value).communicate(timeout=60)[0]) for value in ("1", "5"))
        self.assertLessEqual(one, 1)
        self.assertGreaterEqual(five, 4)
        for call in ("lockstep.rl.make('FrozenLake').train(steps=2000)", "lockstep.rl.make('FrozenLake').solve()",
                     "lockstep.xpcs.simulate({'D0': 1e4, 'alpha': 0, 'D_offset': 0}, "
                     "phi=[0], dt=0.1, q=0.005, frames=20)"):
            _, err = script(call, OMP_NUM_THREADS="many").communicate(timeout=60)
            self.assertIn("threads: 'many' must be a whole number", err, call)

    def threads_of(self, output):
        return json.loads((pathlib.Path(output) / "metadata.json").read_text())["run"]["threads_per_rank"]

    def test_a_fork_of_a_process_that_used_threads_is_refused(self):
        expected = lockstep.rl.solve("FrozenLake", output=self.folder / "own", threads=2).summary["digest"]
        self.assertRegex(in_child("fork"), "BackendError: this process was forked from one that has used")
        self.assertEqual(in_child("spawn"), expected)
        self.assertEqual(in_child("forkserver"), expected)

    def test_four_runs_at_once_have_the_bits_of_one(self):
        digests = {}

        def solve(number):
            run = lockstep.rl.train("FrozenLake", output=self.folder / str(number), steps=20000,
                                    threads=1 + number % 4)
            digests[number] = run.summary["digest"]

        threads = [threading.Thread(target=solve, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alone = lockstep.rl.train("FrozenLake", output=self.folder / "alone", steps=20000)
        self.assertEqual(set(digests.values()), {alone.summary["digest"]})
        self.assertEqual(len(digests), 4)

    def test_other_threads_run_meanwhile(self):
        seen = []
        done = threading.Event()
        counter = threading.Thread(target=lambda: [seen.append(1) or done.wait(0.001) for _ in range(5)])

        def tell(report):
            if not counter.ident:
                counter.start()
            counter.join(10)  # holds no lock that the other needs

        lockstep.rl.train("FrozenLake", output=self.folder / "o", steps=20000, on_progress=tell)
        self.assertEqual(len(seen), 5)

    def test_bars_are_those_of_tqdm_and_quiet_without_a_terminal(self):
        text = "lockstep.rl.train('FrozenLake', output=os.environ['OUT'], steps=20000, on_progress={})"
        said, err = script(text.format(True), OUT=str(self.folder / "a")).communicate(timeout=60)
        self.assertIn("training: 100%", err)
        self.assertIn("training: 20,000 steps", err)
        said, err = script(text.format(None), OUT=str(self.folder / "b")).communicate(timeout=60)
        self.assertEqual(said + err, "")

    def test_the_module_is_the_program(self):
        words = ["rl", "solve", "FrozenLake", "-q", "-o"]
        subprocess.run([sys.executable, "-m", "lockstep", *words, self.folder / "m"], check=True)
        subprocess.run([program, *words, self.folder / "p"], check=True)
        told = subprocess.run([program, "compare", self.folder / "m", self.folder / "p"])
        self.assertEqual(told.returncode, 0)
        wrong = subprocess.run([sys.executable, "-m", "lockstep", "rl", "sove"], capture_output=True, text=True)
        same = subprocess.run([program, "rl", "sove"], capture_output=True, text=True)
        self.assertEqual((wrong.returncode, wrong.stderr), (same.returncode, same.stderr))

    def test_says_nothing_at_exit(self):
        said, err = script("r = lockstep.rl.solve('FrozenLake', output=os.environ['OUT'])\n"
                           "def f(report): raise ValueError('x')\n"
                           "try: lockstep.rl.train('FrozenLake', output=os.environ['OUT'] + 'b', on_progress=f)\n"
                           "except ValueError as e: keep = e\n", OUT=str(self.folder / "o")).communicate(timeout=60)
        self.assertEqual(said + err, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
