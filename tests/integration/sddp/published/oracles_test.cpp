#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/json.hpp"

#include "sddp/passes/runs/training_rounds.hpp"
#include "sddp/published/published_problem.hpp"
#include "support/linear/linear_model.hpp"
#include "support/places.hpp"

namespace lockstep::test {

// Found by gtest in the problem's namespace.
void PrintTo(const PublishedProblem& problem, std::ostream* out) {
    *out << problem.id;
}

namespace {

struct Oracle {
    double value = 0;
    double tolerance = 0;  ///< infinite: all that is published is that the bound is no lower
};

std::map<std::string, Oracle> read_oracles() {
    const auto file = io::read_json(source_dir() / "tests" / "data" / "sddp" / "oracles.json");
    std::map<std::string, Oracle> oracles;
    for (const auto& entry : *file.find("oracles")->if_array()) {
        oracles[*entry.find("id")->if_string()] = {
            *entry.find("expected")->if_number(),
            entry.find("abs_tol")->if_number().value_or(std::numeric_limits<double>::infinity())};
    }
    // The optimum of the integer problem is published as the value; that of the relaxation, which
    // is solved here, in the note.
    oracles["sslp_5_25_50"].value = -160.06335970;
    oracles["sslp_5_25_100"].value = -169.66651786;
    oracles["sslp_15_45_5"].value = -280.49027091;
    return oracles;
}

/// Ends training where the bound has come near a value.
struct UntilNear final : sddp::Observer {
    UntilNear(double the_value, double the_distance) : value(the_value), distance(the_distance) {}
    void on_iteration(const sddp::IterationReport& report) override {
        is_near = std::abs(report.lower_bound - value) <= distance &&
                  (!report.is_upper_bound_exact || report.upper_bound - value <= distance);
    }
    bool stop_requested() override { return is_near; }
    double value;
    double distance;
    bool is_near = false;
};

sddp::TrainResult train(const LinearProblem& problem,
                        const PublishedProblem& published,
                        bool enumerated,
                        sddp::Observer& observer) {
    LinearModel model(problem);
    sddp::TrainOptions options;
    options.forward_passes = published.passes;
    options.enumerated = enumerated;
    options.stopping = {{sddp::StoppingRule::Kind::iteration_limit, published.iterations, 0, 0}};
    const auto communicator = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*communicator, threads};
    return sddp::TrainingRounds(model, options, team, observer, nullptr).run();
}

class PublishedOracleTest : public testing::TestWithParam<PublishedProblem> {
protected:
    static void SetUpTestSuite() { known = read_oracles(); }
    // Of the problem as a minimum.
    [[nodiscard]] Oracle oracle() const {
        auto found = known.at(GetParam().id);
        found.value *= GetParam().is_maximum ? -1 : 1;
        return found;
    }

private:
    static inline std::map<std::string, Oracle> known;
};

TEST_P(PublishedOracleTest, LowerBoundComesToTheOptimumFromBelow) {
    const auto [value, tolerance] = oracle();
    UntilNear observer(value, std::isfinite(tolerance) ? tolerance / 10 : -1);
    const auto result = train(split_outcomes(GetParam().problem()), GetParam(), false, observer);
    ASSERT_FALSE(result.failure) << testing::PrintToString(result.failure->conflicting_rows);
    RecordProperty("lower_bound", std::to_string(result.lower_bound));
    RecordProperty("iterations", static_cast<int>(result.iterations.size()));
    EXPECT_NEAR(result.lower_bound, value, tolerance);
    EXPECT_TRUE(std::isfinite(tolerance) || result.lower_bound >= value) << result.lower_bound;
    double before = -std::numeric_limits<double>::infinity();
    for (const auto& iteration : result.iterations) {
        EXPECT_LE(iteration.lower_bound, value + tolerance) << "iteration " << iteration.iteration;
        EXPECT_GE(iteration.lower_bound, before - 1e-9 * std::abs(value) - 1e-9);
        before = iteration.lower_bound;
    }
}

class PublishedTreeTest : public PublishedOracleTest {};

TEST_P(PublishedTreeTest, BoundsOfTheEnumeratedTreeMeetAtTheOptimum) {
    const auto [value, tolerance] = oracle();
    UntilNear observer(value, tolerance / 10);
    const auto result = train(unrolled(GetParam().problem()), GetParam(), true, observer);
    ASSERT_FALSE(result.failure) << testing::PrintToString(result.failure->conflicting_rows);
    EXPECT_NEAR(result.lower_bound, value, tolerance);
    EXPECT_NEAR(result.upper_bound, value, tolerance);
    for (const auto& iteration : result.iterations) {
        EXPECT_LE(iteration.lower_bound, value + tolerance);
        EXPECT_GE(iteration.upper_bound, value - tolerance);
    }
}

std::vector<PublishedProblem> all_problems() {
    std::vector<PublishedProblem> all;
    for (const auto& some : {hydro_problems(),
                             planning_problems(),
                             finance_problems(),
                             smps_problems(),
                             brazilian_problems(),
                             network_problems()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

std::vector<PublishedProblem> with_small_trees() {
    auto all = all_problems();
    std::erase_if(all, [](const PublishedProblem& problem) { return !problem.has_small_tree; });
    return all;
}

std::string name_of(const testing::TestParamInfo<PublishedProblem>& info) {
    auto name = info.param.id;
    std::ranges::replace(name, '.', '_');
    return name;
}

/// Rows of a table in a page, by their first cell.
std::map<std::string, std::vector<std::string>> read_rows(const std::filesystem::path& page) {
    std::map<std::string, std::vector<std::string>> rows;
    std::ifstream in(page);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("| ") || line.starts_with("| ---")) {
            continue;
        }
        std::vector<std::string> cells;
        for (std::size_t i = 2; i < line.size();) {
            const auto end = std::min(line.find(" |", i), line.size());
            cells.push_back(line.substr(i, end - i));
            i = end + 3;
        }
        EXPECT_TRUE(rows.emplace(cells.at(0), cells).second) << cells.at(0) << " stands twice";
    }
    rows.erase("Id");
    return rows;
}

// Cells: id, published, found, state, how.
TEST(OraclesPageTest, HasEachOracleOnceWithTheStateThatTestsGiveIt) {
    auto rows = read_rows(source_dir() / "docs" / "sddp" / "oracles.md");
    std::set<std::string> run_here;
    for (const auto& problem : all_problems()) {
        run_here.insert(problem.id);
    }
    const auto file = io::read_json(source_dir() / "tests" / "data" / "sddp" / "oracles.json");
    for (const auto& entry : *file.find("oracles")->if_array()) {
        const auto& id = *entry.find("id")->if_string();
        const auto row = rows.extract(id);
        ASSERT_FALSE(row.empty()) << id;
        const auto& cells = row.mapped();
        ASSERT_EQ(cells.size(), 5U) << id;
        EXPECT_EQ(std::stod(cells[1]), entry.find("expected")->if_number()) << id;
        const auto& state = cells[3];
        EXPECT_TRUE(state == "equal" || state == "within spread" || state == "waits" ||
                    state == "not applicable")
            << id << ": " << state;
        const bool is_reached = state == "equal" || state == "within spread";
        if (is_reached) {
            EXPECT_TRUE(run_here.contains(id) || cells[4].find("CaseTest") != std::string::npos)
                << id;
        }
        if (run_here.contains(id) && !id.starts_with("sslp_")) {
            EXPECT_TRUE(is_reached) << id << ": " << state;
        }
    }
    EXPECT_THAT(rows, testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Problems, PublishedOracleTest, testing::ValuesIn(all_problems()), name_of);
INSTANTIATE_TEST_SUITE_P(Problems,
                         PublishedTreeTest,
                         testing::ValuesIn(with_small_trees()),
                         name_of);

}  // namespace
}  // namespace lockstep::test
