#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/sddp/process.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/hydro_model.hpp"
#include "support/tiny_problem.hpp"

namespace lockstep::sddp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A plant with an inflow of 100 ± 20 m³/s, and two regimes in the second stage.
Problem regimes() {
    auto problem = test::tiny_problem(2, 1000);
    test::add_tiny_hydro(problem, 10, 100);
    auto& process = problem.process;
    process.resolved.statistics.emplace();
    for (int t = 0; t < 2; ++t) {
        process.inflow.stages[at(t)].base = {100};
        process.inflow.stages[at(t)].scale = {20};
        process.resolved.statistics->push_back({0, t, 100, 20});
        process.tree.count[at(t)] = 2;
        process.tree.values[at(t)] = {1, -1};
    }
    problem.graph.nodes = {{10, 0, -1, {}}, {11, 1, -1, "wet"}, {12, 1, -1, "dry"}};
    problem.graph.arcs = {{0, 1, 0.3}, {0, 2, 0.7}};
    return problem;
}

std::vector<std::string> give(Problem& problem) {
    Problems found;
    give_nodes_inflows(problem.graph, problem.calendar, problem.system, problem.process, found);
    std::vector<std::string> errors;
    for (const auto& fault : found.all()) {
        errors.push_back(fault.file + " (" + fault.entity + "): " + fault.message);
    }
    return errors;
}

double inflow(const HydroModel& model, int node, int outcome) {
    const auto out = model.make_outcome();
    model.realise(node, {}, model.noise(node, outcome), *out);
    return out->drawn[0];
}

TEST(NodeInflowsTest, ANodeHasItsOwnMeanAndDeviation) {
    auto problem = regimes();
    problem.process.resolved.node_inflows = {{0, 1, 150, 50}, {0, 2, 60, 0}};
    EXPECT_THAT(give(problem), testing::IsEmpty());
    const HydroModel model(problem, {});
    EXPECT_DOUBLE_EQ(inflow(model, 0, 0), 120);  // that of the stage
    EXPECT_DOUBLE_EQ(inflow(model, 1, 0), 200);
    EXPECT_DOUBLE_EQ(inflow(model, 1, 1), 100);
    EXPECT_DOUBLE_EQ(inflow(model, 2, 0), 60);
    EXPECT_DOUBLE_EQ(inflow(model, 2, 1), 60);
}

TEST(NodeInflowsTest, WhatHasNoNoiseToReplaceIsRefused) {
    auto problem = regimes();
    problem.process.resolved.node_inflows = {{0, 1, 150, 50}};
    problem.process.inflow.stages[1].scale = {0};
    EXPECT_THAT(give(problem),
                ElementsAre(HasSubstr("(node 11, hydro 0): the plant has no deviation above 0")));
    problem = regimes();
    problem.process.resolved.node_inflows = {{0, 1, 150, 50}};
    problem.graph.nodes[1].scenario = 3;
    EXPECT_THAT(give(problem), ElementsAre(HasSubstr("the node has a scenario_id")));
}

}  // namespace
}  // namespace lockstep::sddp
