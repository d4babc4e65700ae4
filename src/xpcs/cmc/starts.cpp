#include "lockstep/xpcs/cmc/starts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/runtime/random.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr std::uint32_t most_trials = 100;

bool is_positive_at(LogDensity& density, std::span<const double> x, std::span<double> gradient) {
    return std::isfinite(density.evaluate(x, gradient)) &&
           std::all_of(
               gradient.begin(), gradient.end(), [](double slope) { return std::isfinite(slope); });
}

}  // namespace

std::vector<std::vector<double>> dispersed_starts(const MakeDensity& make,
                                                  const LinearCoordinates& around,
                                                  int chains,
                                                  double spread,
                                                  std::uint64_t seed,
                                                  std::uint32_t task) {
    if (chains < 1 || !(spread >= 0)) {
        throw InputError(fmt::format(
            "starts of {} chains with spread {}: must be 1 or more and 0 or more", chains, spread));
    }
    const auto density = make();
    const runtime::Random random(seed, "xpcs.cmc.start");
    std::vector<double> z(at(around.dimension()));
    std::vector<double> gradient(z.size());
    std::vector<std::vector<double>> starts(at(chains), std::vector<double>(z.size()));
    for (int c = 0; c < chains; ++c) {
        const std::uint64_t item = std::uint64_t{task} << 32 | static_cast<std::uint64_t>(c);
        std::uint32_t trial = 0;
        do {
            if (trial == most_trials) {
                throw ModelError(fmt::format(
                    "chain {} of task {}: the density is zero or not defined at {} places within "
                    "about {} standard deviations of the centre",
                    c,
                    task,
                    most_trials,
                    spread));
            }
            random.fill_normal(item, trial++, z);
            std::for_each(z.begin(), z.end(), [=](double& value) { value *= spread; });
            around.to_x(z, starts[at(c)]);
        } while (!is_positive_at(*density, starts[at(c)], gradient));
    }
    return starts;
}

}  // namespace lockstep::xpcs::cmc
