"""What a task costs beside its work: the farm on Ray, and plain Ray. Run: ray_overhead.py [TASKS]"""

import statistics
import sys
import time

from lockstep import ray as lockstep_ray

tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
rounds = 5


def same(value):
    return value


def milliseconds(count, work):
    def once():
        begin = time.perf_counter()
        work()
        return (time.perf_counter() - begin) / count * 1e3

    once()
    return statistics.median(once() for _ in range(rounds))


def main():
    import ray

    few = tasks // 4
    with lockstep_ray.farm(2) as farm:
        ours = milliseconds(tasks, lambda: farm.map(same, range(tasks)))
        ours_alone = milliseconds(few, lambda: [farm.submit(same, k).result() for k in range(few)])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    plain = ray.remote(same)
    theirs = milliseconds(tasks, lambda: ray.get([plain.remote(k) for k in range(tasks)]))
    theirs_alone = milliseconds(few, lambda: [ray.get(plain.remote(k)) for k in range(few)])
    ray.shutdown()
    print(f"ms a task, median of {rounds}      lockstep.ray   plain Ray {ray.__version__}")
    print(f"in bulk ({tasks} tasks)       {ours:12.3f} {theirs:12.3f}")
    print(f"one by one ({few} tasks)     {ours_alone:12.3f} {theirs_alone:12.3f}")


if __name__ == "__main__":
    main()
