// Samplers evaluate the posterior in their innermost loop.
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "support/counted_allocations.hpp"
#include "support/xpcs/alone.hpp"
#include "support/xpcs/large_posterior.hpp"
#include "support/xpcs/measurements.hpp"
#include "xpcs/model/posterior_density.hpp"

namespace lockstep::xpcs {
namespace {

TEST(PosteriorAllocationTest, EvaluationsAllocateNothing) {
    const auto data = test::peer_measurement("st_7k");
    FitOptions options;
    options.sigma = 0.004;
    options.start = {1e4, -0.5, 500};
    test::Alone alone;
    const auto found = fit(data, options, alone.team);
    PosteriorOptions posterior;
    posterior.physical.resize(found.physical.size());
    posterior.sigma = {Prior::Kind::half_normal, 0, 25, 0, std::numeric_limits<double>::infinity()};
    const Scaling scaling(options.scale, data.phi);
    PosteriorDensity density(data, options, scaling, found, posterior);
    std::vector<double> x(at(density.dimension()), 0.0);
    std::vector<double> gradient(x.size());
    density.coordinates().to_values(found.physical, x);
    density.evaluate(x, gradient);  // makes room

    EXPECT_EQ(test::allocations_of([&] {
                  density.evaluate(x, gradient);
                  density.evaluate(x);
              }),
              0);
}

TEST(PosteriorAllocationTest, EvaluationsByThreadsAllocateNothing) {
    test::Alone several(2);
    const test::LargePosterior of(several.team);
    const Scaling scaling(of.fitting.scale, of.data.phi);
    PosteriorDensity density(of.data, of.fitting, scaling, of.fitted, of.sampling.posterior);
    std::vector<double> x(at(density.dimension()));
    std::vector<double> gradient(x.size());
    density.coordinates().to_values(of.fitted.physical, x);
    density.spread_over(&several.threads);
    density.evaluate(x, gradient);  // makes room
    EXPECT_EQ(test::allocations_of([&] {
                  for (int k = 0; k < 50; ++k) {
                      density.evaluate(x, gradient);
                  }
              }),
              0);
}

}  // namespace
}  // namespace lockstep::xpcs
