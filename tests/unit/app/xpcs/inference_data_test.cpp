// The layout of posterior.nc; tests/xpcs_peers opens it with ArviZ.
#include "app/xpcs/inference_data.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/hdf5.hpp"

#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

constexpr std::int64_t many = 100;

/// Two chains of three draws of two quantities.
xpcs::SampleResult two_chains() {
    xpcs::SampleResult result;
    result.method = xpcs::SampleMethod::chains;
    result.names = {"D0", "contrast_0"};
    result.chains = 2;
    result.draws = 3;
    result.values = {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6};
    result.log_density = {10, 20, 30, 40, 50, 60};
    result.chain_figures.step_sizes = {0.5, 0.25};
    xpcs::cmc::ChainDraws chain;
    chain.energy = {7, 8, 9};
    chain.acceptance = {0.7, 0.8, 0.9};
    chain.leapfrogs = {3, 7, 1};
    chain.tree_depth = {2, 3, 1};
    chain.is_divergent = {0, 1, 0};
    result.chain_figures.statistics = {chain, chain};
    return result;
}

class InferenceDataTest : public testing::Test {
protected:
    std::unique_ptr<io::Hdf5Reader> written(const xpcs::SampleResult& result) {
        write_inference_data(folder_ / "posterior.nc", result);
        return io::open_hdf5(folder_ / "posterior.nc");
    }

private:
    TemporaryFolder folder_;
};

TEST_F(InferenceDataTest, HasAVariableForEachQuantity) {
    const auto file = written(two_chains());

    EXPECT_THAT(file->names(""), ElementsAre("posterior", "sample_stats"));
    EXPECT_THAT(file->names("posterior"), ElementsAre("D0", "chain", "contrast_0", "draw"));
    EXPECT_THAT(file->shape("posterior/D0"), ElementsAre(2, 3));
    EXPECT_THAT(file->numbers("posterior/D0", many), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(file->numbers("posterior/contrast_0", many), ElementsAre(-1, -2, -3, -4, -5, -6));
    EXPECT_EQ(file->attribute("posterior/D0", "units"), io::Hdf5Attribute(Texts{"Å²/s^(1+alpha)"}));
    EXPECT_EQ(file->attribute("posterior", "inference_library"),
              io::Hdf5Attribute(Texts{"lockstep"}));
}

TEST_F(InferenceDataTest, AxesAreChainAndDraw) {
    const auto file = written(two_chains());

    EXPECT_THAT(file->numbers("posterior/chain", many), ElementsAre(0, 1));
    EXPECT_THAT(file->numbers("posterior/draw", many), ElementsAre(0, 1, 2));
    EXPECT_EQ(file->attribute("posterior/draw", "CLASS"),
              io::Hdf5Attribute(Texts{"DIMENSION_SCALE"}));
    EXPECT_THAT(file->attributes("posterior/D0"), ElementsAre("DIMENSION_LIST", "units"));
}

TEST_F(InferenceDataTest, StatisticsAreThoseOfChains) {
    const auto file = written(two_chains());

    EXPECT_THAT(file->numbers("sample_stats/lp", many), ElementsAre(10, 20, 30, 40, 50, 60));
    EXPECT_THAT(file->numbers("sample_stats/energy", many), ElementsAre(7, 8, 9, 7, 8, 9));
    EXPECT_THAT(file->numbers("sample_stats/acceptance_rate", many),
                ElementsAre(0.7, 0.8, 0.9, 0.7, 0.8, 0.9));
    EXPECT_THAT(file->numbers("sample_stats/n_steps", many), ElementsAre(3, 7, 1, 3, 7, 1));
    EXPECT_THAT(file->numbers("sample_stats/tree_depth", many), ElementsAre(2, 3, 1, 2, 3, 1));
    EXPECT_THAT(file->numbers("sample_stats/diverging", many), ElementsAre(0, 1, 0, 0, 1, 0));
    EXPECT_EQ(file->attribute("sample_stats/diverging", "dtype"), io::Hdf5Attribute(Texts{"bool"}));
    EXPECT_THAT(file->numbers("sample_stats/step_size", many),
                ElementsAre(0.5, 0.5, 0.5, 0.25, 0.25, 0.25));
}

TEST_F(InferenceDataTest, WeighedPointsHaveALogDensityAlone) {
    auto result = two_chains();
    result.method = xpcs::SampleMethod::importance;
    result.chain_figures = {};

    const auto file = written(result);

    EXPECT_THAT(file->names("sample_stats"), ElementsAre("chain", "draw", "lp"));
    EXPECT_EQ(file->attribute("sample_stats", "sampling_method"),
              io::Hdf5Attribute(Texts{"importance resampling"}));
}

}  // namespace
}  // namespace lockstep::app
