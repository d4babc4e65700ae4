// What a pool of worker processes costs until all of them have done a task.
//
//   farm_start WORKERS ROUNDS [COMMAND…]
//
// COMMAND is the program of the workers, this one by default; with `lockstep xpcs shard-worker JOB`
// workers answer that they know no such task, which takes as long.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/runtime/task_farm.hpp"

namespace {

using namespace lockstep::runtime;

constexpr const char* as_worker = "--worker";

TaskFunctions functions() {
    TaskFunctions functions;
    functions["nothing"] = [](auto, const auto&) { return std::vector<std::byte>(); };
    return functions;
}

double seconds_to_start(int workers, const std::vector<std::string>& command) {
    FarmOptions options;
    options.workers = workers;
    TaskBatch batch;
    batch.function = "nothing";
    batch.count = workers;
    batch.input = [](std::int64_t) { return std::vector<std::byte>(); };
    const lockstep::Stopwatch watch;
    const auto farm = make_process_farm(functions(), command, options);
    static_cast<void>(farm->map(batch));
    return watch.seconds();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == as_worker) {
        return serve_tasks(functions());
    }
    if (argc < 3) {
        std::fprintf(stderr, "usage: farm_start WORKERS ROUNDS [COMMAND...]\n");
        return 64;
    }
    const int workers = std::atoi(argv[1]);
    std::vector<std::string> command(argv + 3, argv + argc);
    if (command.empty()) {
        command = {std::filesystem::read_symlink("/proc/self/exe"), as_worker};
    }
    for (int round = 0; round < std::atoi(argv[2]); ++round) {
        const double seconds = seconds_to_start(workers, command);
        std::printf("%d workers: %.2f ms, %.2f ms a worker\n",
                    workers,
                    1e3 * seconds,
                    1e3 * seconds / workers);
    }
    return 0;
}
