#include "lockstep/app/run.hpp"

#include <optional>
#include <utility>

#include "lockstep/base/error.hpp"

#include "app/job.hpp"

namespace lockstep::app {

RunOutcome run_case(const RunRequest& request, comm::Communicator& ranks, RunObserver& observer) {
    Job job(request, ranks, observer);
    const auto trains = job.config().training_enabled;
    const auto simulates = job.config().simulation_enabled;
    if (!trains && !simulates)
        throw InputError(
            "config.json: training.enabled and simulation.enabled are both false, nothing to do");
    std::optional<sddp::Policy> policy;
    if (!trains)
        policy = job.read_policy(job.policy_directory());
    job.clear_output(trains);
    job.tell_start(trains, simulates);
    if (trains)
        policy = job.train();
    if (simulates && !job.ended_early())
        job.simulate(std::move(*policy));
    return job.outcome();
}

RunOutcome simulate_case(const SimulateRequest& request,
                         comm::Communicator& ranks,
                         RunObserver& observer) {
    Job job(request.run, ranks, observer);
    if (request.scenarios)
        job.config().simulate.scenarios = *request.scenarios;
    auto policy = job.read_policy(request.policy.empty() ? job.policy_directory() : request.policy);
    job.clear_output(false);
    job.tell_start(false, true);
    job.simulate(std::move(policy));
    return job.outcome();
}

}  // namespace lockstep::app
