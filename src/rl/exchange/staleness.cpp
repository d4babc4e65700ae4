#include "rl/exchange/staleness.hpp"

#include <numeric>
#include <utility>

namespace lockstep::rl {

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
