"""Kills the head of its own cluster under a task, and tells what its caller is told."""

import os
import sys

import farm_functions as of

from lockstep.farm import Farm

if __name__ == "__main__":
    farm = Farm("ray", 1, folder=sys.argv[1] + "/d")
    future = farm.submit(of.nap, 600)
    farm.submit(of.number, 1).wait(3)
    import ray

    head = ray._private.worker._global_node.all_processes["gcs_server"][0].process.pid
    os.kill(head, 9)
    try:
        future.result(60)
    except ConnectionError as error:
        print(f"{type(error).__name__}: {error}")
    farm.shutdown(wait=False)
    print("alive")
