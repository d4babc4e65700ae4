#include "rl/server/server_figures.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lockstep::rl {

ServerFigures figures_of(const ParameterServer& server) {
    ServerFigures figures;
    figures.transitions = server.ledger().transitions();
    figures.reissued = server.ledger().reissued();
    figures.workers = server.workers();
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
    report.leases_reissued = now.reissued;
    report.staleness = staleness_of(std::move(ages));
}

Staleness staleness_of(std::vector<std::int64_t> ages) {
    while (!ages.empty() && ages.back() == 0) {
        ages.pop_back();
    }
    Staleness staleness;
    const auto leases = std::accumulate(ages.begin(), ages.end(), std::int64_t{0});
    std::int64_t seen = 0;
    for (std::size_t i = 0; i < ages.size(); ++i) {
        const auto age = static_cast<double>(i);
        staleness.mean += age * static_cast<double>(ages[i]) / static_cast<double>(leases);
        staleness.max = age;
        if (20 * seen < 19 * leases) {
            staleness.p95 = age;
        }
        seen += ages[i];
    }
    staleness.histogram = std::move(ages);
    return staleness;
}

}  // namespace lockstep::rl
