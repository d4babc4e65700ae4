#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

/// What a mutant may do: be refused, or leave what was read as it was but for defaults.
class Mutations {
public:
    explicit Mutations(const std::string& name) : copy_(name) {}

    [[nodiscard]] std::vector<std::string> json_files() const {
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(copy_.path())) {
            if (entry.path().extension() == ".json" && entry.path().filename() != "expected.json") {
                files.push_back(std::filesystem::relative(entry.path(), copy_.path()).string());
            }
        }
        return files;
    }

    void replace(const std::string& file, const io::Json& json) const { copy_.write(file, json); }
    /// Of the case as it is.
    [[nodiscard]] std::size_t errors() {
        copy_.read();
        return copy_.problems().error_count();
    }

    /// Calls mutate(value) on every value below the root in turn, each time on a fresh tree.
    /// @return how many were refused
    int run(const std::string& file, const std::function<void(io::Json&)>& mutate) {
        const io::Json original = copy_.json(file);
        const int values = count(original);
        int refused = 0;
        for (int i = 0; i < values; ++i) {
            io::Json mutant = original;
            int left = i;
            mutate(*pick(mutant, left));
            refused += errors(file, mutant) > 0 ? 1 : 0;
        }
        copy_.write(file, original);
        return refused;
    }
    /// The same for every (object, member).
    void run_members(const std::string& file,
                     const std::function<void(io::Json::Object&, std::size_t)>& mutate,
                     const std::function<void(const std::string& key, std::size_t errors)>& judge) {
        const io::Json original = copy_.json(file);
        const int values = count(original);
        for (int i = -1; i < values; ++i) {
            for (std::size_t m = 0;; ++m) {
                io::Json mutant = original;
                int left = i;
                io::Json* at = i < 0 ? &mutant : pick(mutant, left);
                if (at->if_object() == nullptr || m >= at->if_object()->size()) {
                    break;
                }
                const std::string key = (*at->if_object())[m].first;
                mutate(*at->if_object(), m);
                judge(key, errors(file, mutant));
            }
        }
        copy_.write(file, original);
    }

    static int count(const io::Json& value) {
        int values = 0;
        if (const auto* array = value.if_array()) {
            for (const io::Json& element : *array) {
                values += 1 + count(element);
            }
        } else if (const auto* object = value.if_object()) {
            for (const auto& member : *object) {
                values += 1 + count(member.second);
            }
        }
        return values;
    }

private:
    /// The value with this number in document order, the root excluded.
    static io::Json* pick(io::Json& value, int& left) {
        const auto visit = [&](io::Json& child) -> io::Json* {
            return left-- == 0 ? &child : pick(child, left);
        };
        io::Json* found = nullptr;
        if (auto* array = value.if_array()) {
            for (std::size_t i = 0; found == nullptr && i < array->size(); ++i) {
                found = visit((*array)[i]);
            }
        } else if (auto* object = value.if_object()) {
            for (std::size_t i = 0; found == nullptr && i < object->size(); ++i) {
                found = visit((*object)[i].second);
            }
        }
        return found;
    }

    std::size_t errors(const std::string& file, const io::Json& mutant) {
        copy_.write(file, mutant);
        copy_.read();
        return copy_.problems().error_count();
    }

    CaseCopy copy_;
};

class MutationTest : public testing::TestWithParam<const char*> {};

TEST_P(MutationTest, RefusesEveryRenamedKey) {
    Mutations mutations(GetParam());
    for (const std::string& file : mutations.json_files()) {
        mutations.run_members(
            file,
            [](io::Json::Object& object, std::size_t m) { object[m].first += "x"; },
            [&](const std::string& key, std::size_t errors) {
                // The name of a profile of correlations; the only one may have any.
                EXPECT_TRUE(errors > 0 || key == "default") << file << ": " << key;
            });
    }
}

TEST_P(MutationTest, SurvivesEveryDeletedKey) {
    Mutations mutations(GetParam());
    for (const std::string& file : mutations.json_files()) {
        mutations.run_members(
            file,
            [](io::Json::Object& object, std::size_t m) {
                object.erase(object.begin() + static_cast<std::ptrdiff_t>(m));
            },
            [&](const std::string& key, std::size_t errors) {
                if (key == "id" || key == "name" || key.ends_with("_date")) {
                    EXPECT_GT(errors, 0U) << file << ": " << key;
                }
            });
    }
}

TEST_P(MutationTest, RefusesEveryValueOfAForeignType) {
    Mutations mutations(GetParam());
    for (const std::string& file : mutations.json_files()) {
        const io::Json odd = io::parse_json(R"({"what?": [1]})", "test");
        const int refused = mutations.run(file, [&](io::Json& value) { value = odd; });
        const io::Json whole = io::read_json(bundled(GetParam()) / file);
        EXPECT_EQ(refused, Mutations::count(whole)) << file;
    }
}

TEST_P(MutationTest, SurvivesNullsHugeAndNegativeNumbers) {
    Mutations mutations(GetParam());
    for (const std::string& file : mutations.json_files()) {
        for (const char* text : {"null", "-1", "9223372036854775807", "1e308", "[]"}) {
            const io::Json odd = io::parse_json(text, "test");
            mutations.run(file, [&](io::Json& value) { value = odd; });
        }
    }
}

// Every key of the file that cases seldom have.
constexpr const char* full_config = R"({
  "modeling": {"inflow_non_negativity": {"method": "truncation", "bound_slopes": "secant"},
               "cost_scale_factor": 1000, "all_constraint_terms": true, "line_losses": true},
  "training": {
    "enabled": true, "tree_seed": 7, "stopping_mode": "any",
    "selection": {"method": "sampled", "forward_passes": 2},
    "stopping_rules": [
      {"type": "iteration_limit", "limit": 20}, {"type": "time_limit", "seconds": 60},
      {"type": "bound_stalling", "iterations": 5, "tolerance": 1e-4, "absolute_tolerance": 1,
       "min_iterations": 3, "max_gap": 0.5}],
    "cut_selection": {"selection": {"method": "level1", "tie_tolerance": 1e-9, "check_frequency": 3},
                      "row_activity_tolerance": 0, "max_active_per_stage": 100},
    "parallelism": {"backward_scheduler": {"method": "by_node", "block_size": 2}},
    "solver": {"forward": {"primal_feasibility_tolerance": 1e-9}, "retry_max_attempts": 5,
               "retry_time_budget_seconds": 30},
    "scenario_source": {"seed": 1,
                        "inflow": {"scheme": "in_sample"}, "load": {"scheme": "out_of_sample"},
                        "ncs": {"scheme": "in_sample"}, "openings": {"source": "generated"}}},
  "policy": {"path": "./policy", "mode": "fresh", "validate_compatibility": true,
             "checkpointing": {"enabled": true, "initial_iteration": 2, "interval_iterations": 2,
                               "store_basis": true, "compress": false}},
  "simulation": {"enabled": true, "selection": {"method": "sampled", "num_scenarios": 20}},
  "exports": {"stochastic": true, "fpha_deviation_points": true},
  "estimation": {"max_order": 2, "order_selection": "pacf", "min_observations_per_season": 1,
                 "max_coefficient_magnitude": 3},
  "compat": {"rounded_moments": false}})";

TEST(ConfigMutationTest, RefusesRenamedKeysAndForeignTypes) {
    const auto config = io::parse_json(full_config, "test");
    Mutations mutations("all-files");
    mutations.replace("config.json", config);
    ASSERT_EQ(mutations.errors(), 0U);

    mutations.run_members(
        "config.json",
        [](io::Json::Object& object, std::size_t m) { object[m].first += "x"; },
        [&](const std::string& key, std::size_t errors) { EXPECT_GT(errors, 0U) << key; });
    const io::Json odd = io::parse_json(R"({"what?": [1]})", "test");
    const int refused = mutations.run("config.json", [&](io::Json& value) { value = odd; });
    EXPECT_EQ(refused, Mutations::count(config));
}

/// Tables of a case that has all of them.
class TableMutationTest : public testing::Test {
protected:
    [[nodiscard]] std::vector<std::string> tables() const {
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(copy_.path())) {
            if (entry.path().extension() == ".parquet") {
                files.push_back(std::filesystem::relative(entry.path(), copy_.path()).string());
            }
        }
        std::sort(files.begin(), files.end());
        return files;
    }
    /// Calls judge(column, errors that name the file) for each column in turn, changed.
    void run(const std::string& file,
             const std::function<void(io::Table&, std::size_t)>& mutate,
             const std::function<void(const io::Column&, std::size_t)>& judge) {
        const auto original = io::read_parquet(copy_.path() / file);
        for (std::size_t j = 0; j < original.columns.size(); ++j) {
            auto table = original;
            mutate(table, j);
            copy_.write(file, table.columns);
            const auto errors = copy_.errors();
            const auto named = std::ranges::count_if(errors, [&](const std::string& text) {
                return text.find(file) != std::string::npos;
            });
            judge(original.columns[j], static_cast<std::size_t>(named));
        }
        copy_.write(file, original.columns);
    }

    CaseCopy copy_{"all-files"};
};

TEST_F(TableMutationTest, RefusesColumnsOfText) {
    for (const auto& file : tables()) {
        run(
            file,
            [](io::Table& table, std::size_t j) {
                auto& column = table.columns[j];
                column.values = std::vector<std::string>(table.rows(), "odd");
            },
            [&](const io::Column& column, std::size_t errors) {
                EXPECT_GT(errors, 0U) << file << ": " << column.name;
            });
    }
}

TEST_F(TableMutationTest, RefusesNumbersThatAreNone) {
    for (const auto& file : tables()) {
        run(
            file,
            [](io::Table& table, std::size_t j) {
                auto& column = table.columns[j];
                if (auto* values = std::get_if<std::vector<double>>(&column.values)) {
                    values->front() = std::numeric_limits<double>::quiet_NaN();
                    column.present.clear();
                }
            },
            [&](const io::Column& column, std::size_t errors) {
                if (std::holds_alternative<std::vector<double>>(column.values)) {
                    EXPECT_GT(errors, 0U) << file << ": " << column.name;
                }
            });
    }
}

TEST_F(TableMutationTest, RefusesUnknownEntities) {
    for (const auto& file : tables()) {
        run(
            file,
            [](io::Table& table, std::size_t j) {
                auto& column = table.columns[j];
                if (column.name.ends_with("_id") && column.name != "stage_id") {
                    column.values = std::vector<std::int32_t>(table.rows(), 77);
                    column.present.clear();
                }
            },
            [&](const io::Column& column, std::size_t errors) {
                const auto& name = column.name;
                const bool is_number_of_its_own =
                    name == "plane_id" || name == "family_id" || name == "segment_id";
                if (name.ends_with("_id") && name != "stage_id" && !is_number_of_its_own) {
                    EXPECT_GT(errors, 0U) << file << ": " << name;
                }
            });
    }
}

TEST_F(TableMutationTest, RefusesKeysWithoutAColumn) {
    for (const auto& file : tables()) {
        run(
            file,
            [](io::Table& table, std::size_t j) {
                table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(j));
            },
            [&](const io::Column& column, std::size_t errors) {
                if (!column.nullable && column.name.ends_with("_id") && column.name != "block_id" &&
                    !(column.name == "stage_id" && file.starts_with("system/"))) {
                    EXPECT_GT(errors, 0U) << file << ": " << column.name;
                }
            });
    }
}

/// Cases of Cobre 0.5: what is odd passes through the translation to the reader.
class OldCaseMutationTest : public testing::TestWithParam<const char*> {};

TEST_P(OldCaseMutationTest, SurvivesEveryDeletedKey) {
    Mutations mutations(GetParam());
    for (const std::string& file : mutations.json_files()) {
        mutations.run_members(
            file,
            [](io::Json::Object& object, std::size_t m) {
                object.erase(object.begin() + static_cast<std::ptrdiff_t>(m));
            },
            [](const std::string& /*key*/, std::size_t /*errors*/) {});
    }
}

TEST_P(OldCaseMutationTest, SurvivesOddValues) {
    Mutations mutations(GetParam());
    for (const std::string& file : mutations.json_files()) {
        for (const char* text :
             {"null", "-1", "9223372036854775807", "1e308", "[]", R"({"a": [1]})"}) {
            const io::Json odd = io::parse_json(text, "test");
            mutations.run(file, [&](io::Json& value) { value = odd; });
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cobre,
                         OldCaseMutationTest,
                         testing::Values("../../tests/cases/cobre-0.5/d08-evaporation",
                                         "../../tests/cases/cobre-0.5/d16-par1-lag-shift",
                                         "../../tests/cases/cobre-0.5/d24-productivity-override"));

INSTANTIATE_TEST_SUITE_P(Small,
                         MutationTest,
                         testing::Values("all-files",
                                         "d04-transmission",
                                         "d06-fpha-variable-head",
                                         "d13-generic-constraint",
                                         "d15-non-controllable-source",
                                         "filling",
                                         "node-tree-cvar"));

}  // namespace
}  // namespace lockstep::formats::cobre::test
