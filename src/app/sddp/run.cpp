#include "lockstep/app/sddp/run.hpp"

#include <optional>
#include <utility>

#include "lockstep/base/error.hpp"

#include "app/sddp/case_run.hpp"

namespace lockstep::app {

CaseOutcome run_case(const CaseRequest& request, comm::Communicator& ranks, Observer& observer) {
    CaseRun run(request, ranks, observer);
    auto trains = run.config().training_enabled;
    const auto simulates = run.config().simulation_enabled;
    if (!trains && !simulates) {
        throw InputError(
            "config.json: training.enabled and simulation.enabled are both false, nothing to do");
    }
    std::optional<sddp::Policy> policy;
    if (trains) {
        run.find_checkpoint();
        if (run.read_earlier_training()) {
            trains = false;
            policy = run.take_earlier_policy();
        }
    } else {
        policy = run.read_policy(run.policy_directory());
    }
    run.claim_output(trains, simulates);
    if (trains) {
        policy = run.train();
    }
    if (simulates && !run.has_ended_early()) {
        run.simulate(std::move(*policy));
    }
    return run.outcome();
}

CaseOutcome simulate_case(const SimulateRequest& request,
                          comm::Communicator& ranks,
                          Observer& observer) {
    CaseRun run(request.of, ranks, observer);
    if (request.scenarios) {
        run.config().simulate.scenarios = *request.scenarios;
    }
    auto policy = run.read_policy(request.policy.empty() ? run.policy_directory() : request.policy);
    run.claim_output(false, true);
    run.simulate(std::move(policy));
    return run.outcome();
}

}  // namespace lockstep::app
