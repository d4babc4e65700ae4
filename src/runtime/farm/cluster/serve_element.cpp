#include <atomic>
#include <csignal>

#include "lockstep/runtime/cluster_farm.hpp"

#include "runtime/farm/cluster/files.hpp"

namespace lockstep::runtime {
namespace {

std::atomic<bool> is_asked_to_stop = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // for the handler

void ask_to_stop(int) {
    is_asked_to_stop = true;
}

}  // namespace

int serve_element(const TaskFunctions& functions, const std::filesystem::path& array, int index) {
    std::signal(SIGTERM, ask_to_stop);
    const auto task = read_task(array, index);
    mark_begun(array, index);
    const auto report = run_task(functions, task.assignment, 0, is_asked_to_stop);
    write_result(array.parent_path(), task.key, {report, origin_of(array, index)});
    return 0;
}

}  // namespace lockstep::runtime
