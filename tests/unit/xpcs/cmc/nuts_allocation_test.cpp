#include <vector>

#include <gtest/gtest.h>

#include "lockstep/xpcs/cmc/nuts.hpp"

#include "support/counted_allocations.hpp"
#include "support/xpcs/chains.hpp"

namespace lockstep::xpcs::cmc {
namespace {

TEST(NutsAllocationTest, IterationsAllocateNothing) {
    test::FunctionDensity density(4, [](std::span<const double> x, std::span<double> gradient) {
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            gradient[i] = -x[i] * x[i] * x[i];
            value += 0.25 * x[i] * gradient[i];
        }
        return value;
    });
    NutsOptions options;
    options.warmup = 150;
    options.draws = 500;
    NutsChain chain(density, std::vector<double>(4, 0.5), options, {1, 0, 0});
    chain.advance(100);  // the only window ends here

    EXPECT_EQ(test::allocations_of([&] { chain.advance(550, [] { return false; }); }), 0);
    EXPECT_TRUE(chain.done());
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
