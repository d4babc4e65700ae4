#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "integration/app/launched.hpp"
#include "integration/app/program.hpp"
#include "support/places.hpp"
#include "support/published_cases.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::cli {
namespace {

/// Runs of the program on every case whose optimum is known; they are small.
class CaseMatrixTest : public testing::TestWithParam<std::string> {
protected:
    [[nodiscard]] std::string output(const std::string& name) const {
        return (folder_ / name).string();
    }
    /// A few iterations, and the simulation that the case asks for.
    [[nodiscard]] Words job(const std::string& name, int threads) const {
        return {"run",
                (test::source_dir() / "cases" / "sddp" / GetParam()).string(),
                "--output",
                output(name),
                "--threads",
                std::to_string(threads),
                "--quiet",
                "--set",
                R"(training.stopping_rules=[{"type":"iteration_limit","limit":3}])"};
    }

private:
    app::TemporaryFolder folder_;
};

TEST_P(CaseMatrixTest, GivesTheSameFilesOnTwoRanksOfTwoThreads) {
    const auto alone = run(job("alone", 1));
    ASSERT_EQ(alone.exit_code, 0) << alone.err;

    const auto together = run(
        joined({{"launch", "-n", "2", "--backend", "shm", "--", program_path()}, job("two", 2)}));

    ASSERT_EQ(together.exit_code, 0) << together.err;
    const auto compared = run({"compare", "--deep", output("alone"), output("two")});
    EXPECT_EQ(compared.exit_code, 0) << compared.out;
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         CaseMatrixTest,
                         testing::ValuesIn(test::published_cases()),
                         test::name_of_case);

}  // namespace
}  // namespace lockstep::cli
