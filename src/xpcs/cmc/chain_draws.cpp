#include "lockstep/xpcs/cmc/chain_draws.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/runtime/fixed_sum.hpp"

namespace lockstep::xpcs::cmc {

int ChainDraws::divergences() const {
    return static_cast<int>(std::count(is_divergent.begin(), is_divergent.end(), 1));
}

std::int64_t ChainDraws::total_leapfrogs() const {
    return std::accumulate(leapfrogs.begin(), leapfrogs.end(), std::int64_t{0});
}

double ChainDraws::mean_acceptance() const {
    return count() == 0 ? 0 : runtime::fixed_sum(acceptance) / count();
}

std::vector<double> coordinate_of(std::span<const ChainDraws> chains, int coordinate) {
    std::vector<double> values;
    for (const ChainDraws& chain : chains) {
        if (chain.count() != chains.front().count()) {
            throw InputError(fmt::format("chains of {} and of {} draws cannot be compared",
                                         chains.front().count(),
                                         chain.count()));
        }
        if (coordinate < 0 || coordinate >= chain.dimension) {
            throw InputError(
                fmt::format("there is no coordinate {} of {}", coordinate, chain.dimension));
        }
        for (int draw = 0; draw < chain.count(); ++draw) {
            values.push_back(chain.matrix()(draw, coordinate));
        }
    }
    return values;
}

}  // namespace lockstep::xpcs::cmc
