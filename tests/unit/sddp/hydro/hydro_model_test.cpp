#include "sddp/hydro/hydro_model.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/random_system.hpp"
#include "support/tiny_problem.hpp"

namespace lockstep::sddp {
namespace {

using testing::ElementsAre;

/// Two plants with two lags, two stages.
Problem two_plants() {
    auto problem = test::tiny_problem(2, 100);
    test::add_tiny_hydro(problem, 5, 100);
    test::add_tiny_hydro(problem, 6, 100);
    problem.process.inflow.lags = 2;
    problem.process.inflow.initial_lags = {1, 2, 3, 4};
    for (auto& stage : problem.process.inflow.stages) {
        stage.lag = {0.5, 0.25, 2, 3};
    }
    return problem;
}

TEST(HydroModelTest, StartsFromStoragesThenLags) {
    const auto problem = two_plants();
    const HydroModel model(problem, {});
    EXPECT_EQ(model.states(), (StateLayout{2, 2, 2}));
    EXPECT_THAT(model.initial_state(), ElementsAre(5, 6, 1, 2, 3, 4));
}

TEST(HydroModelTest, CarriesTheNewerLagsOn) {
    const auto problem = two_plants();
    std::vector<double> older(2);
    HydroModel(problem, {}).carry(0, std::vector<double>{1, 2, 3, 4}, older);
    EXPECT_THAT(older, ElementsAre(1, 2));
}

// Both ways give the change of a cost that is linear in what is drawn and in the older states.
TEST(HydroModelTest, CarriesSlopesBackByTheTranspose) {
    const auto problem = two_plants();
    const HydroModel model(problem, {});
    const std::vector<double> by_drawn{7, 11};
    const std::vector<double> by_older{13, 17};
    std::vector<double> slopes(4);
    model.carry_back(1, by_drawn, by_older, slopes);
    const std::vector<double> noise(2, 0.0);
    const auto cost = [&](const std::vector<double>& carried) {
        HydroOutcome outcome;
        std::vector<double> older(2);
        model.realise(1, carried, noise, outcome);
        model.carry(1, carried, older);
        return by_drawn[0] * outcome.drawn[0] + by_drawn[1] * outcome.drawn[1] +
               by_older[0] * older[0] + by_older[1] * older[1];
    };
    const auto base = cost({0, 0, 0, 0});
    for (std::size_t i = 0; i < 4; ++i) {
        std::vector<double> unit(4);
        unit[i] = 1;
        EXPECT_DOUBLE_EQ(slopes[i], cost(unit) - base) << i;
    }
}

TEST(HydroModelTest, CutsMayLeaveOutAFamilyOfStates) {
    auto problem = two_plants();
    problem.calendar.stages[1].storage_in_cuts = false;
    const HydroModel model(problem, {});
    EXPECT_TRUE(model.is_in_cuts(0, 1));
    EXPECT_FALSE(model.is_in_cuts(1, 1));
    EXPECT_TRUE(model.is_in_cuts(1, 2));
}

TEST(HydroModelTest, OutcomesAreWeighedByTheStageBefore) {
    auto problem = two_plants();
    problem.calendar.stages[0].risk = {0.5, 0.3};
    problem.calendar.stages[1].risk = {0.5, 0.6};
    const HydroModel model(problem, {});
    EXPECT_EQ(model.risk(0).lambda, 0.3);
    EXPECT_EQ(model.risk(1).lambda, 0.3);
}

}  // namespace
}  // namespace lockstep::sddp
