// Posteriors whose means and standard deviations others computed.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/runtime/random.hpp"
#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/xpcs/cmc/chain_team.hpp"
#include "lockstep/xpcs/cmc/diagnostics.hpp"
#include "lockstep/xpcs/cmc/nuts.hpp"

#include "support/xpcs/chains.hpp"
#include "support/xpcs/posterior.hpp"

namespace lockstep::xpcs::cmc {
namespace {

class PosteriordbTest : public testing::TestWithParam<std::string> {};

TEST_P(PosteriordbTest, GradientsAreThoseOfCentralDifferences) {
    const auto posterior = test::make_posterior(GetParam());
    for (const auto& x : test::spread_starts(posterior->centre(), 3, 0.3, 5)) {
        std::vector<double> gradient(x.size());
        posterior->evaluate(x, gradient);
        for (std::size_t i = 0; i < x.size(); ++i) {
            constexpr double h = 1e-5;
            auto moved = x;
            moved[i] = x[i] + h;
            const double above = posterior->evaluate(moved);
            moved[i] = x[i] - h;
            const double below = posterior->evaluate(moved);
            const double rounding = 1e-15 * (std::abs(above) + std::abs(below)) / h;
            const double slope = (above - below) / (2 * h);
            EXPECT_NEAR(gradient[i], slope, 2e-6 * (std::abs(slope) + 1) + rounding) << i;
        }
    }
}

// Four standard errors of what is found, widened by those of the reference.
void compare(MatrixView<const double> found,
             const test::ReferencePosterior& reference,
             std::size_t i) {
    const Summary summary = summarise(found);
    const auto both = [&](double ess) {
        return 4 * std::sqrt(1 + ess / reference.effective_draws);
    };
    EXPECT_LT(summary.rhat.value(), 1.02);
    if (reference.has_sd[i]) {
        EXPECT_NEAR(summary.mean, reference.mean[i], summary.mcse_mean * both(ess_mean(found)));
        EXPECT_NEAR(summary.sd, reference.sd[i], summary.mcse_sd * both(ess_sd(found)));
    }
    if (reference.quantiles.empty()) {
        return;
    }
    std::vector<double> sorted(found.data(), found.data() + found.rows() * found.cols());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t q = 0; q < reference.quantiles[i].size(); ++q) {
        const double p = test::reference_probabilities[q];
        EXPECT_NEAR(quantile_of_sorted(sorted, p),
                    reference.quantiles[i][q],
                    mcse_quantile(found, p) * both(ess_quantile(found, p)))
            << p;
    }
}

TEST_P(PosteriordbTest, MeansSdsAndQuantilesAreThoseOfTheReferenceDraws) {
    const auto reference = test::reference_of(GetParam());
    const auto posterior = test::make_posterior(GetParam());
    NutsOptions options;
    options.target_acceptance = reference.target_acceptance;
    runtime::ThreadTeam threads(1);
    ChainTeam chains([] { return test::make_posterior(GetParam()); },
                     test::spread_starts(posterior->centre(), 4, reference.start_spread, 7),
                     options,
                     2026);

    chains.run(threads);

    const auto draws = chains.draws();
    for (std::size_t i = 0; i < reference.mean.size(); ++i) {
        SCOPED_TRACE(reference.parameters[i]);
        std::vector<double> parameters;
        const auto values = test::values_of(draws, [&](auto x) {
            posterior->report(x, parameters);
            return parameters[i];
        });
        compare({values.data(), 4, draws.front().count()}, reference, i);
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         PosteriordbTest,
                         testing::ValuesIn(test::posterior_names()),
                         [](const auto& instance) {
                             std::string name = instance.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace lockstep::xpcs::cmc
