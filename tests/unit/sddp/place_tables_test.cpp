#include "lockstep/sddp/place_tables.hpp"

#include <gtest/gtest.h>

#include "sddp/hydro/stage/place_stages.hpp"
#include "support/random_system.hpp"

namespace lockstep::sddp {
namespace {

std::vector<StageProblem> stages_of(const Problem& problem) {
    std::vector<StageProblem> stages;
    for (int t = 0; t < problem.stage_count(); ++t) {
        stages.push_back(build_stage_problem(problem, t, {}));
    }
    return stages;
}

void expect_equal(const std::vector<StageProblem>& a, const std::vector<StageProblem>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t t = 0; t < a.size(); ++t) {
        EXPECT_EQ(a[t].model.cost, b[t].model.cost);
        EXPECT_EQ(a[t].model.column_lower, b[t].model.column_lower);
        EXPECT_EQ(a[t].model.column_upper, b[t].model.column_upper);
        EXPECT_EQ(a[t].model.row_lower, b[t].model.row_lower);
        EXPECT_EQ(a[t].model.row_upper, b[t].model.row_upper);
        EXPECT_EQ(a[t].model.column_start, b[t].model.column_start);
        EXPECT_EQ(a[t].model.row_index, b[t].model.row_index);
        EXPECT_EQ(a[t].model.value, b[t].model.value);
        EXPECT_EQ(a[t].map.load_row, b[t].map.load_row);
        EXPECT_EQ(a[t].decided_coupling.first, b[t].decided_coupling.first);
    }
}

// The stage LPs hold every number of the tables that training reads.
TEST(PlaceTablesTest, ChangesNoNumber) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto problem = test::random_problem(seed);
        const auto expected = stages_of(problem);
        comm::run_in_process(2, [&](comm::Communicator& ranks) {
            auto shared = problem;
            const auto borrowed = place_tables(shared, ranks.split_local());

            EXPECT_EQ(borrowed > 0, ranks.rank() == 1);
            expect_equal(stages_of(shared), expected);
            for (std::size_t t = 0; t < expected.size(); ++t) {
                EXPECT_EQ(shared.process.tree.values[t], problem.process.tree.values[t]);
            }
        });
    }
}

TEST(PlaceTablesTest, ChangesNoStageProblem) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto expected = stages_of(test::random_problem(seed));
        comm::run_in_process(2, [&](comm::Communicator& ranks) {
            auto shared = expected;
            const auto borrowed = place_stages(shared, ranks.split_local());

            EXPECT_EQ(borrowed > 0, ranks.rank() == 1);
            expect_equal(shared, expected);
        });
    }
}

}  // namespace
}  // namespace lockstep::sddp
