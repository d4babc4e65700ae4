#include "lockstep/rl/environments/reservoir.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/optimal_values.hpp"

namespace lockstep::rl {
namespace {

using test::member;
using test::number;

double expected_cost(const ReservoirOptions& options, double discount) {
    const Model model = *Reservoir(options).model();
    const test::ValueIteration oracle(model, discount);
    return -oracle.at_start(oracle.optimal());
}

TEST(ReservoirTest, TwelveStagesCostWhatIsPublished) {
    const io::Json golden = test::rl_data("golden.json");
    for (const std::int32_t volume : {0, 10, 20}) {
        EXPECT_NEAR(
            expected_cost({.first_volume = volume}, 1),
            number(member(golden, {"reservoir", "finite_T12", "v0=" + std::to_string(volume)})),
            1e-9);
    }
}

TEST(ReservoirTest, WithoutEndItCostsWhatIsPublished) {
    const io::Json golden = test::rl_data("golden.json");
    for (const std::int32_t volume : {0, 10, 20}) {
        EXPECT_NEAR(
            expected_cost({.stages = 0, .first_volume = volume}, 0.95),
            number(member(golden, {"reservoir", "discounted_0.95", std::to_string(volume)})),
            1e-9);
    }
}

// What the linear program over the whole scenario tree costs: the number that SDDP has to find.
TEST(ReservoirTest, CostsWhatTheLinearProgramCosts) {
    const io::Json golden = test::rl_data("golden.json");
    for (const int stages : {2, 3, 4}) {
        for (const std::int32_t volume : {3, 10}) {
            EXPECT_NEAR(
                expected_cost({.stages = stages, .first_volume = volume, .inflows = {0, 3, 7}}, 1),
                number(member(golden,
                              {"reservoir",
                               "lp_equality",
                               "T",
                               std::to_string(stages),
                               std::to_string(volume)})),
                1e-9);
        }
    }
}

TEST(ReservoirTest, ReleasesNoMoreThanThereIs) {
    const Reservoir rules;
    EXPECT_EQ(rules.mask(rules.state_of(0, 0, 0)), 0b1U);     // no water, no inflow
    EXPECT_EQ(rules.mask(rules.state_of(0, 1, 1)), 0b1111U);  // 1 and 2 units
    EXPECT_EQ(rules.mask(rules.state_of(0, 20, 0)), 0x1FFU);  // 8 at most
}

TEST(ReservoirTest, SpillsWhatDoesNotFit) {
    const Reservoir rules({.stages = 1, .first_volume = 20});
    StepDraws draws = Streams(1, "test").at(0, 0);
    Reservoir::Episode episode{rules.state_of(0, 20, 4)};
    const Step step = rules.step(episode, 0, draws);
    EXPECT_EQ(step.next, rules.state_of(0, 20, 0));
    EXPECT_EQ(step.reward, -(4 * 10 + 4 * 25 + 2 * 100));
    EXPECT_TRUE(step.terminated);
}

TEST(ReservoirTest, NamesTheOptionThatIsWrong) {
    const auto refuses = [](const ReservoirOptions& options, const char* message) {
        EXPECT_THAT([&] { static_cast<void>(Reservoir(options)); },
                    testing::ThrowsMessage<InputError>(testing::HasSubstr(message)));
    };
    refuses({.first_volume = 21}, "first_volume 21: must be 0 to 20");
    refuses({.most_release = 64}, "most_release 64: must be 0 to 63");
    refuses({.inflows = {}}, "inflows: must be at least one");
    refuses({.inflows = {-1}}, "inflow -1: must be 0");
    refuses({.stages = 1'000'000, .most_volume = 1'000'000}, "must be at most 2^31 - 1");
}

}  // namespace
}  // namespace lockstep::rl
