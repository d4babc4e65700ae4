#include "lockstep/app/rl/work.hpp"

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/runtime/signals.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "app/rl/subject.hpp"
#include "app/rl/train/server_task.hpp"

namespace lockstep::app {

namespace {

// Files of one name may differ between hosts.
Subject subject_of_server(const ServerTask& task) {
    auto subject = subject_of(task.environment);
    if (subject.content != task.content) {
        throw InputError(
            fmt::format("{}: the server has read another content of it: copy its file here",
                        subject.record.rules));
    }
    return subject;
}

}  // namespace

WorkOutcome work_process(const WorkRequest& request,
                         const std::function<void(const std::string&)>& told) {
    rl::RemoteWorker worker(request.server);
    const auto task = unpack_task(worker.task());
    const auto subject = subject_of_server(task);
    const auto world = rl::make_world(environment_of(subject));
    runtime::ThreadTeam threads(request.threads > 0 ? request.threads : runtime::usable_cpus());
    told(fmt::format("{} for the server at {}:{}, {}",
                     subject.record.name,
                     request.server.host,
                     request.server.port,
                     plural(threads.size(), "thread")));
    const runtime::SignalGuard signals;
    WorkOutcome outcome;
    outcome.environment = subject.record.name;
    outcome.work = worker.work(
        *world, task.learn, threads, [] { return runtime::SignalGuard::received() != 0; });
    outcome.signal = runtime::SignalGuard::received();
    return outcome;
}

}  // namespace lockstep::app
