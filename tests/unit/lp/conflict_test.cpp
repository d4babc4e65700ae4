#include "lockstep/lp/conflict.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/lp/random_lp.hpp"
#include "conformance/lp/solvers.hpp"

namespace lockstep::lp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ConflictTest : public ::testing::TestWithParam<SolverKind> {
protected:
    [[nodiscard]] Conflict find(const Model& model, int solve_limit = 500) const {
        return find_conflict(model, GetParam(), {}, solve_limit);
    }

    [[nodiscard]] bool is_feasible(Model model) const {
        model.cost.assign(model.cost.size(), 0.0);
        const auto solver = make_solver(GetParam());
        solver->load(model);
        return solver->solve() == Status::optimal;
    }
};

INSTANTIATE_TEST_SUITE_P(Solvers, ConflictTest, ::testing::ValuesIn(built_solvers()), solver_name);

/// x + y >= 10 with x <= 3 and y <= 4; x + z <= 100 and z >= 1 have no part in it.
Model short_of_capacity() {
    ModelBuilder builder;
    builder.add_column(1.0, 0.0, 3.0);
    builder.add_column(1.0, 0.0, 4.0);
    builder.add_column(1.0, 1.0, infinity);
    builder.add_row(-infinity, 100.0);
    builder.add_row(10.0, infinity);
    builder.add_entry(0, 0, 1.0);
    builder.add_entry(0, 2, 1.0);
    builder.add_entry(1, 0, 1.0);
    builder.add_entry(1, 1, 1.0);
    return builder.build();
}

TEST_P(ConflictTest, NamesTheRowAndTheBoundsThatContradictIt) {
    const Conflict conflict = find(short_of_capacity());

    EXPECT_THAT(conflict.rows, ElementsAre(1));
    EXPECT_THAT(conflict.column_lower, IsEmpty());
    EXPECT_THAT(conflict.column_upper, ElementsAre(0, 1));
    EXPECT_TRUE(conflict.is_irreducible);
}

TEST_P(ConflictTest, NamesTwoRowsThatContradictEachOther) {
    Model model = short_of_capacity();
    model.column_upper = {infinity, infinity, infinity};
    model.column_lower = {-infinity, 0.0, -infinity};
    model.row_upper = {-5.0, infinity};
    model.row_lower = {-infinity, 10.0};
    model.row_index = {
        0, 1, 0, 1};  // x in both, y only in the first, z nowhere: x + y <= -5, x >= 10
    model.column_start = {0, 2, 3, 3};
    model.value = {1.0, 1.0, 1.0};
    model.row_index.resize(3);

    const Conflict conflict = find(model);

    EXPECT_THAT(conflict.rows, ElementsAre(0, 1));
    EXPECT_THAT(conflict.column_lower, ElementsAre(1));
    EXPECT_THAT(conflict.column_upper, IsEmpty());
}

TEST_P(ConflictTest, IsEmptyForAFeasibleModel) {
    const Conflict conflict = find(make_known_lp({}, 3).model);

    EXPECT_TRUE(conflict.empty());
    EXPECT_FALSE(conflict.is_irreducible);
}

TEST_P(ConflictTest, NamesCrossedBounds) {
    Model model = short_of_capacity();
    model.column_lower[1] = 5.0;
    EXPECT_THAT(find(model).column_lower, ElementsAre(1));
    EXPECT_THAT(find(model).column_upper, ElementsAre(1));

    model.row_lower[0] = 101.0;
    EXPECT_THAT(find(model).rows, ElementsAre(0));
    EXPECT_THAT(find(model).column_upper, IsEmpty());
}

TEST_P(ConflictTest, StopsAtTheSolveLimit) {
    const Conflict conflict = find(short_of_capacity(), 2);

    EXPECT_FALSE(conflict.empty());
    EXPECT_FALSE(conflict.is_irreducible);
}

/// The model with the conflict's members only, less the one numbered `missing`.
Model only(const Model& model, const Conflict& conflict, std::size_t missing) {
    Model rest = model;
    rest.column_lower.assign(model.cost.size(), -infinity);
    rest.column_upper.assign(model.cost.size(), infinity);
    rest.row_lower.assign(model.row_lower.size(), -infinity);
    rest.row_upper.assign(model.row_upper.size(), infinity);
    std::size_t number = 0;
    for (const int row : conflict.rows) {
        if (number++ != missing) {
            const auto i = static_cast<std::size_t>(row);
            rest.row_lower[i] = model.row_lower[i];
            rest.row_upper[i] = model.row_upper[i];
        }
    }
    for (const int column : conflict.column_lower) {
        if (number++ != missing) {
            const auto j = static_cast<std::size_t>(column);
            rest.column_lower[j] = model.column_lower[j];
        }
    }
    for (const int column : conflict.column_upper) {
        if (number++ != missing) {
            const auto j = static_cast<std::size_t>(column);
            rest.column_upper[j] = model.column_upper[j];
        }
    }
    return rest;
}

TEST_P(ConflictTest, IsInfeasibleAndCanSpareNoMember) {
    int conflicts = 0;
    for (std::uint32_t seed = 0; seed < 25; ++seed) {
        SCOPED_TRACE(seed);
        Model model = make_known_lp({.rows = 8, .columns = 12}, seed).model;
        for (std::size_t j = 0; j < model.cost.size(); ++j) {
            model.column_lower[j] = std::max(model.column_lower[j], -20.0);
            model.column_upper[j] = std::min(model.column_upper[j], 20.0);
        }
        model.row_lower[seed % 8] = 400.0;
        model.row_upper[seed % 8] = infinity;
        if (is_feasible(model)) {
            continue;
        }

        const Conflict conflict = find(model);

        ++conflicts;
        ASSERT_TRUE(conflict.is_irreducible);
        const std::size_t members =
            conflict.rows.size() + conflict.column_lower.size() + conflict.column_upper.size();
        EXPECT_FALSE(is_feasible(only(model, conflict, members)));
        for (std::size_t missing = 0; missing < members; ++missing) {
            EXPECT_TRUE(is_feasible(only(model, conflict, missing))) << missing;
        }
    }
    EXPECT_GT(conflicts, 15);
}

}  // namespace
}  // namespace lockstep::lp::testing
