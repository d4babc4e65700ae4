#include "sddp/hydro/hydro_model.hpp"

#include <cmath>
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
    EXPECT_FALSE(model.is_in_cuts(0, 1));
    EXPECT_TRUE(model.is_in_cuts(0, 2));
}

/// A root, then two nodes with the probabilities 1/4 and 3/4, the second of which is pinned.
Problem fork() {
    auto problem = two_plants();
    problem.graph.nodes = {{10, 0, -1, {}}, {11, 1, -1, {}}, {12, 1, 0, {}}};
    problem.graph.arcs = {{0, 1, 0.25}, {0, 2, 0.75}};
    problem.process.pinned_noise = {{}, {}, {7, 8}};
    return problem;
}

TEST(HydroModelTest, NodesHaveTheOpeningsOfTheirStageUnlessTheyArePinned) {
    auto problem = fork();
    problem.process.tree.count[1] = 2;
    problem.process.tree.values[1] = {1, 2, 3, 4};
    const HydroModel model(problem, {});
    EXPECT_EQ(model.outcomes(1), 2);
    EXPECT_THAT(model.noise(1, 1), ElementsAre(3, 4));
    EXPECT_EQ(model.outcomes(2), 1);
    EXPECT_THAT(model.noise(2, 0), ElementsAre(7, 8));
    std::vector<double> drawn(2);
    model.draw(Purpose::training, 1, 0, 1, 2, drawn);
    EXPECT_THAT(drawn, ElementsAre(7, 8));
    EXPECT_EQ(&model.lp(1), &model.lp(2));
}

// Its inflows are given, and later ones remember them; so nothing goes back to lags by them.
TEST(HydroModelTest, InflowsOfAPinnedNodeDoNotDependOnLags) {
    auto problem = fork();
    problem.process.pinned_inflow = {{}, {}, {1, {30, 40}}};
    const HydroModel model(problem, {});
    HydroOutcome outcome;
    model.realise(2, std::vector<double>{1, 2, 3, 4}, model.noise(2, 0), outcome);
    EXPECT_THAT(outcome.drawn, ElementsAre(30, 40));
    std::vector<double> slopes(4);
    model.carry_back(2, std::vector<double>{7, 11}, std::vector<double>{13, 17}, slopes);
    EXPECT_THAT(slopes, ElementsAre(13, 17, 0, 0));
    model.carry_back(1, std::vector<double>{7, 11}, std::vector<double>{13, 17}, slopes);
    EXPECT_THAT(slopes, ElementsAre(13 + 0.5 * 7, 17 + 0.25 * 11, 2 * 7, 3 * 11));
}

TEST(HydroModelTest, TrajectoriesTakeArcsByTheirProbability) {
    const auto problem = fork();
    const HydroModel model(problem, {});
    int second = 0;
    constexpr int draws = 4000;
    for (int scenario = 0; scenario < draws; ++scenario) {
        second += model.next_node(1, scenario, 0) == 2 ? 1 : 0;
    }
    EXPECT_NEAR(second, 0.75 * draws, 4 * std::sqrt(0.75 * 0.25 * draws));
    EXPECT_EQ(model.next_node(3, 4, 0), model.next_node(3, 4, 0));
}

TEST(HydroModelTest, OutcomesAreWeighedByTheStageBefore) {
    auto problem = two_plants();
    problem.calendar.stages[0].risk = {0.5, 0.3};
    const HydroModel model(problem, {});
    EXPECT_EQ(model.risk_at_root().lambda, 0.3);
    EXPECT_EQ(model.risk_after(0).lambda, 0.3);
}

}  // namespace
}  // namespace lockstep::sddp
