#include "lockstep/app/rl/work.hpp"

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/runtime/signals.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "app/rl/server_task.hpp"
#include "app/rl/subject.hpp"

namespace lockstep::app {

WorkOutcome work_process(const WorkRequest& request,
                         const std::function<void(const std::string&)>& told) {
    rl::RemoteWorker worker(request.server);
    const auto task = unpack_task(worker.task());
    const auto subject = subject_of(task.environment);
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
