#include "runtime/farm/workers.hpp"

#include <exception>
#include <new>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::runtime {
namespace {

TaskContext::Clock::time_point end_of(const Assignment& assignment) {
    const bool is_limited = assignment.time_limit.count() > 0;
    return is_limited ? TaskContext::Clock::now() + assignment.time_limit
                      : TaskContext::Clock::time_point::max();
}

Bytes output_of(const TaskFunctions& functions,
                const Assignment& assignment,
                const TaskContext& context) {
    const auto function = functions.find(assignment.function);
    if (function == functions.end()) {
        throw InputError(
            fmt::format("task {}: no function \"{}\"", assignment.number, assignment.function));
    }
    return function->second(assignment.input, context);
}

}  // namespace

Report run_task(const TaskFunctions& functions,
                const Assignment& assignment,
                int worker,
                const std::atomic<bool>& stop) noexcept {
    Report report{worker, assignment.ticket, Report::Kind::failed, {}, {}};
    try {
        const TaskContext context(assignment.number, worker, end_of(assignment), stop);
        report.output = output_of(functions, assignment, context);
        report.kind = Report::Kind::done;
    } catch (const TaskStopped& stopped) {
        report.kind = Report::Kind::stopped;
        report.error = stopped.what();
    } catch (const std::bad_alloc&) {
        report.error = "out of memory";
    } catch (const std::exception& error) {
        report.error = error.what();
    } catch (...) {
        report.error = "threw what is no std::exception";
    }
    return report;
}

void check_workers(const FarmOptions& options) {
    if (options.workers < 1) {
        throw InputError(fmt::format("workers is {}, must be 1 or more", options.workers));
    }
}

}  // namespace lockstep::runtime
