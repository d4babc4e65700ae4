#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/table.hpp"

#include "support/case_problem.hpp"
#include "support/dice.hpp"
#include "support/places.hpp"
#include "support/published_cases.hpp"
#include "support/train_run.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::sddp {
namespace {

/// Every folder in cases/sddp.
std::vector<std::string> all_cases() {
    std::vector<std::string> cases;
    for (const auto& entry :
         std::filesystem::directory_iterator(test::source_dir() / "cases" / "sddp")) {
        if (entry.is_directory()) {
            cases.push_back(entry.path().filename().string());
        }
    }
    std::ranges::sort(cases);
    return cases;
}

/// A few iterations of a case, fewer of the large ones.
TrainOptions short_training(const std::string& name, const TrainOptions& options) {
    const bool is_large = name.starts_with("pmo-");
    auto some = test::with_iterations(options, is_large ? 1 : 3);
    some.forward_passes = std::min(some.forward_passes, is_large ? 2 : 3);
    return some;
}

// The largest system would take a minute of each of the ways to run it, and has what pmo-small has.
std::vector<std::string> all_but_the_largest() {
    auto cases = all_cases();
    std::erase(cases, "pmo-medium");
    return cases;
}

std::vector<std::string> all_small_cases() {
    auto cases = all_but_the_largest();
    std::erase(cases, "pmo-small");
    return cases;
}

class ShuffledCaseTest : public testing::TestWithParam<std::string> {
protected:
    static Digest digest_of(const test::CaseProblem& input) {
        return test::train_alone(input.problem, short_training(GetParam(), input.config.train))
            .digest;
    }
};

class RankMatrixTest : public testing::TestWithParam<std::string> {};

TEST_P(RankMatrixTest, GivesTheSameBits) {
    const auto input = test::case_problem(GetParam());
    const auto options = short_training(GetParam(), input.config.train);
    const auto reference = test::run_bits(input.problem, options, 2, 1, 1);
    EXPECT_EQ(test::run_bits(input.problem, options, 2, 1, 2), reference) << "two threads";
    EXPECT_EQ(test::run_bits(input.problem, options, 2, 2, 1), reference) << "two ranks";
}

template <typename T>
void shuffle(std::vector<T>& list, const std::vector<std::size_t>& order) {
    if (list.empty()) {
        return;  // which are present: all
    }
    std::vector<T> shuffled;
    for (const auto place : order) {
        shuffled.push_back(std::move(list[place]));
    }
    list = std::move(shuffled);
}

std::vector<std::size_t> random_order(std::size_t count, test::Dice& dice) {
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) {
        order[i] = i;
        std::swap(order[i], order[static_cast<std::size_t>(dice.integer(0, static_cast<int>(i)))]);
    }
    return order;
}

void shuffle_rows(const std::filesystem::path& path, test::Dice& dice) {
    auto table = io::read_parquet(path);
    const auto order = random_order(table.rows(), dice);
    for (auto& column : table.columns) {
        std::visit([&](auto& values) { shuffle(values, order); }, column.values);
        shuffle(column.present, order);
    }
    shuffle(table.columns, random_order(table.columns.size(), dice));
    io::write_parquet(path, table);
}

// Entries of such a list are told apart by ids, not by their places.
bool has_ids(const io::Json& list) {
    return std::ranges::all_of(*list.if_array(), [](const io::Json& entry) {
        const auto* object = entry.if_object();
        return object != nullptr && std::ranges::any_of(*object, [](const auto& member) {
                   return member.first == "id" || member.first.ends_with("_id");
               });
    });
}

void shuffle_value(io::Json& value, test::Dice& dice) {
    if (auto* object = value.if_object()) {
        for (auto& [key, member] : *object) {
            // The rows of a correlation matrix are in the order of its entities; blocks have to be
            // in theirs.
            if (key != "entities" && key != "blocks") {
                shuffle_value(member, dice);
            }
        }
        shuffle(*object, random_order(object->size(), dice));
    } else if (auto* list = value.if_array()) {
        for (auto& element : *list) {
            shuffle_value(element, dice);
        }
        if (has_ids(value)) {
            shuffle(*list, random_order(list->size(), dice));
        }
    }
}

TEST_P(ShuffledCaseTest, HasTheDigestOfTheCase) {
    const app::TemporaryFolder folder;
    const auto copy = folder / "case";
    std::filesystem::copy(test::source_dir() / "cases" / "sddp" / GetParam(),
                          copy,
                          std::filesystem::copy_options::recursive);
    test::Dice dice(1);
    int shuffled = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(copy)) {
        if (entry.path().extension() == ".parquet") {
            shuffle_rows(entry.path(), dice);
            ++shuffled;
        } else if (entry.path().extension() == ".json") {
            auto value = io::read_json(entry.path());
            shuffle_value(value, dice);
            io::write_file(entry.path(), io::to_text(value));
            ++shuffled;
        }
    }
    ASSERT_GE(shuffled, 8);

    EXPECT_EQ(digest_of(test::case_problem_at(copy)), digest_of(test::case_problem(GetParam())));
}

// What is left out of LPs does not change what a policy is worth: after as many iterations the
// bounds agree but for the trajectories, which take other ways.
class CutMatrixTest : public testing::TestWithParam<std::string> {};

TEST_P(CutMatrixTest, ReachesTheSameBound) {
    const auto input = test::case_problem(GetParam());
    auto options = test::with_iterations(input.config.train, 24);
    options.speed.lazy_cuts = true;
    options.selection = {};
    const double bound = test::train_alone(input.problem, options).lower_bound;

    auto whole = options;
    whole.speed.lazy_cuts = false;
    auto selected = options;
    selected.selection = {CutSelection::Method::lml1, 0, 4};
    auto few = whole;
    few.selection = {CutSelection::Method::level1, 0, 4};
    few.selection.most_selected = 40;
    for (const auto& job : {whole, selected, few}) {
        const double other = test::train_alone(input.problem, job).lower_bound;
        EXPECT_NEAR(other, bound, 0.01 * std::max(1.0, std::abs(bound)));
    }
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         CutMatrixTest,
                         testing::ValuesIn(all_small_cases()),
                         test::name_of_case);
INSTANTIATE_TEST_SUITE_P(Cases,
                         RankMatrixTest,
                         testing::ValuesIn(all_but_the_largest()),
                         test::name_of_case);
INSTANTIATE_TEST_SUITE_P(Cases,
                         ShuffledCaseTest,
                         testing::ValuesIn(all_cases()),
                         test::name_of_case);

}  // namespace
}  // namespace lockstep::sddp
