#include "lockstep/app/report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/app/compare.hpp"
#include "lockstep/app/rl/solve.hpp"
#include "lockstep/io/file.hpp"

#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

using testing::HasSubstr;
using testing::Not;

class RlReportTest : public testing::Test {
protected:
    std::filesystem::path solve(const std::string& name, double gamma = 0.99) {
        SolveRequest request;
        request.run.input = name;
        request.run.output = folder / fmt::format("{}-{}", name, gamma);
        request.run.threads = 1;
        request.gamma = gamma;
        Observer nobody;
        solve_process(request, *comm::make_local(), nobody);
        return request.run.output;
    }
    TemporaryFolder folder;
};

TEST_F(RlReportTest, ShowsASolutionOnItsBoard) {
    const auto text = io::read_file(make_report(solve("FrozenLake")));

    for (const auto* part : {"FrozenLake-v1 · Lockstep",
                             "0.542025932",
                             "Values and policy",
                             "class=\"board\"",
                             "left or right",
                             "This run"}) {
        EXPECT_THAT(text, HasSubstr(part));
    }
    for (const auto* outside : {"src=\"http", "href=\"http", "@import", "url(http"}) {
        EXPECT_THAT(text, Not(HasSubstr(outside)));
    }
}

TEST_F(RlReportTest, ListsStatesThatLieOnNoBoard) {
    const auto text = io::read_file(make_report(solve("inventory")));

    EXPECT_THAT(text, HasSubstr("Best actions"));
    EXPECT_THAT(text, Not(HasSubstr("class=\"board\"")));
}

TEST_F(RlReportTest, ComparisonNamesTheFirstState) {
    const auto left = solve("FrozenLake", 0.99);
    const auto right = solve("FrozenLake", 0.9);

    EXPECT_TRUE(compare(left, left, Depth::files).is_same);
    const auto comparison = compare(left, right);
    EXPECT_FALSE(comparison.is_same);
    ASSERT_EQ(comparison.differences.size(), 1U);
    EXPECT_EQ(comparison.differences[0].where, "state 0");
    EXPECT_EQ(comparison.differences[0].quantity, "value");
}

}  // namespace
}  // namespace lockstep::app
