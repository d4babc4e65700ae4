#include "rl/server/server_figures.hpp"

#include <algorithm>
#include <utility>

#include "rl/exchange/staleness.hpp"

namespace lockstep::rl {

ServerFigures figures_of(const ParameterServer& server) {
    ServerFigures figures;
    figures.transitions = server.ledger().transitions();
    figures.reissued = server.ledger().reissued();
    figures.workers = server.workers();
    figures.suspected = server.suspected();
    figures.learn_seconds = server.learn_seconds();
    figures.counts = server.counts();
    std::ranges::copy(server.ledger().ages(), figures.ages.begin());
    return figures;
}

void report_on(const ServerFigures& now, const ServerFigures& before, LearnReport& report) {
    std::vector<std::int64_t> ages(now.ages.begin(), now.ages.end());
    for (std::size_t age = 0; age < ages.size(); ++age) {
        ages[age] -= before.ages[age];
    }
    report.workers_alive = static_cast<int>(now.workers);
    report.workers_suspected = static_cast<int>(now.suspected);
    report.leases_reissued = now.reissued;
    report.staleness = staleness_of(std::move(ages));
}

}  // namespace lockstep::rl
