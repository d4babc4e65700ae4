#include "lockstep/formats/mdp/model_file.hpp"

#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"
#include "lockstep/rl/environments/registry.hpp"

#include "support/places.hpp"
#include "support/rl/same_model.hpp"
#include "support/value_iteration.hpp"
#include "unit/io/temporary_folder.hpp"

namespace lockstep::formats::mdp {
namespace {

using io::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> told(const Problems& problems) {
    std::vector<std::string> texts;
    for (const Problem& problem : problems.all()) {
        texts.push_back(to_string(problem));
    }
    return texts;
}

class ModelFileTest : public testing::Test {
protected:
    [[nodiscard]] std::filesystem::path path(const std::string& name) const {
        return folder_ / name;
    }

    // What is wrong with a text under this name; [file] stands for its path.
    std::vector<std::string> faults(const std::string& name, const std::string& text) {
        io::write_file(path(name), text);
        return faults(name);
    }
    std::vector<std::string> faults(const std::string& name) {
        Problems problems;
        const auto file = read_model(path(name), problems);
        EXPECT_EQ(file.has_value(), !problems.has_errors());
        auto texts = told(problems);
        for (std::string& text : texts) {
            const std::string whole = path(name).string();
            for (auto at = text.find(whole); at != text.npos; at = text.find(whole)) {
                text.replace(at, whole.size(), "[file]");
            }
        }
        return texts;
    }
    ModelFile good(const std::string& name) {
        Problems problems;
        auto file = read_model(path(name), problems);
        EXPECT_THAT(told(problems), IsEmpty());
        return std::move(file).value();
    }
    ModelFile good(const std::string& name, const std::string& text) {
        io::write_file(path(name), text);
        return good(name);
    }

private:
    TemporaryFolder folder_;
};

std::string with_rows(const std::string& rows, const std::string& rest = "") {
    return fmt::format(
        "{{\"format\": \"lockstep-mdp\", \"version\": 1{},\n\"rows\": [\n{}\n]}}\n", rest, rows);
}

// The values are fractions, worked out by hand: repair a worn machine.
TEST_F(ModelFileTest, TheExampleHasTheValuesOfPaper) {
    Problems problems;
    const auto file = read_model(test::source_dir() / "examples/rl/machine_repair.json", problems);
    ASSERT_THAT(told(problems), IsEmpty());
    EXPECT_EQ(file->gamma, 0.9);
    EXPECT_THAT(file->state_names, ElementsAre("good", "worn", "broken"));
    EXPECT_THAT(file->action_names, ElementsAre("run", "repair", "replace"));
    EXPECT_FALSE(file->model.is_legal(0, 1));

    const auto value = test::ValueIteration(file->model, *file->gamma).optimal();

    EXPECT_NEAR(value[0], 37'300.0 / 49, 1e-9);
    EXPECT_NEAR(value[1], 32'100.0 / 49, 1e-9);
    EXPECT_NEAR(value[2], 26'220.0 / 49, 1e-9);
}

TEST_F(ModelFileTest, RowsComeInAnyOrderAndAddUp) {
    const auto file = good("m.json", with_rows(R"([1, 0, 1, 0, 0, true],
[0, 1, "1/3", 1, 2],
{"p": 1, "next": 1, "reward": 0, "s": 0, "a": 0},
[0, 1, "1/3", 1, 2],
[0, 1, "1/3", 0, 5, true])"));

    ASSERT_EQ(file.model.outcomes(0, 1).size(), 3U);
    EXPECT_EQ(file.model.outcomes(0, 1)[1].probability, 1.0 / 3);
    EXPECT_EQ(file.model.outcomes(0, 1)[2].reward, 5);
    EXPECT_TRUE(file.model.outcomes(0, 1)[2].terminated);
    EXPECT_FALSE(file.model.is_legal(1, 1));
    EXPECT_FALSE(file.gamma.has_value());
}

TEST_F(ModelFileTest, NamesNeedNoList) {
    const auto file = good(
        "m.json",
        with_rows(R"(["home", "walk", 0.5, "town", 1], ["home", "walk", 0.5, "home", 0],
["town", "walk", 1, "home", 1])",
                  R"(, "start": [["town", "1/4"], {"s": "home", "p": 0.75}], "time_limit": 9)"));

    EXPECT_THAT(file.state_names, ElementsAre("home", "town"));
    ASSERT_EQ(file.model.starts().size(), 2U);
    EXPECT_EQ(file.model.starts()[1].state, 1);
    EXPECT_EQ(file.model.starts()[1].probability, 0.25);
    EXPECT_EQ(file.time_limit, 9);
}

TEST_F(ModelFileTest, NumbersAreUnderstoodBesideNames) {
    const auto file = good("m.json",
                           with_rows(R"([0, "go", 1, "b", 0], ["b", 0, 1, 1, 0])",
                                     R"(, "states": ["a", "b"], "actions": ["go"])"));

    EXPECT_EQ(file.model.outcomes(0, 0)[0].next, 1);
    EXPECT_EQ(file.model.outcomes(1, 0)[0].next, 1);
}

TEST_F(ModelFileTest, AContinuingTaskAndARowOfProbability0AreValid) {
    const auto file =
        good("m.json", with_rows("[0, 0, 1, 0, 1], [0, 0, 0, 1, 1]", ", \"states\": 2"));

    EXPECT_EQ(file.model.outcomes(0, 0).size(), 1U);
}

// One file with a fault of each kind: all are told at once, with state, action and line.
TEST_F(ModelFileTest, TellsEveryFaultAtOnce) {
    const auto all = faults("m.json", R"({"format": "lockstep-mdp", "version": 1,
"gamma": 1.5,
"time_limit": 0,
"discount": 0.9,
"states": ["a", "b", "c", "d"], "actions": ["go", "stay"],
"start": [["a", 0.5], ["d", 0.25]],
"rows": [
["a", "go", 0.4, "b", 0],
["a", "go", 0.5, "b", 0],
["a", "stay", -0.1, "b", 0],
["b", "go", 1, "c", 0],
["b", "stay", 1.25, "b", 0],
["b", "sty", 1, "b", 0],
["c", "go", 1, "d", "nan"],
["c", "stay", 1, "z", 0],
["c", 7, 1, "a", 0],
["a", "go", 1],
["a", "go", 1, "a", 0, false, 3],
{"s": "a", "a": "go", "p": null, "next": true, "rewrd": 1, "reward": 1, "terminated": 0},
17
]})");

    EXPECT_THAT(
        all,
        ElementsAre(
            R"([SchemaViolation] [file]:4: unknown key "discount")",
            "[SchemaViolation] [file]:2 (gamma): 1.5 must be 0 to 1",
            "[SchemaViolation] [file]:3 (time_limit): must be an integer of at least 1",
            "[InvalidValue] [file]:10 (state a, action stay): probability -0.1 must be 0 to 1",
            "[InvalidValue] [file]:12 (state b, action stay): probability 1.25 must be 0 to 1",
            R"([InvalidReference] [file]:13 (state b, action sty): no action "sty"; did you mean "stay"?)",
            R"([SchemaViolation] [file]:14 (state c, action go): "reward" must be a number or a text as "1/3", found "nan")",
            R"([InvalidReference] [file]:15 (state c, action stay): no state "z")",
            "[InvalidReference] [file]:16 (state c, action 7): action 7 must be 0 to 1",
            R"([SchemaViolation] [file]:17 (rows[9]): "next" is missing)",
            R"([SchemaViolation] [file]:17 (rows[9]): "reward" is missing)",
            "[SchemaViolation] [file]:18 (rows[10]): must be [s, a, p, next, reward, terminated] "
            "or "
            "an object with these keys",
            R"([SchemaViolation] [file]:19 (rows[11]): unknown key "rewrd"; did you mean "reward"?)",
            R"([SchemaViolation] [file]:19 (state a, action go): "p" must be a number or a text as "1/3", found null)",
            R"([SchemaViolation] [file]:19 (state a, action go): "next" must be a number or a name, found boolean)",
            R"([SchemaViolation] [file]:19 (state a, action go): "terminated" must be true or false, found integer)",
            "[SchemaViolation] [file]:20 (rows[12]): must be [s, a, p, next, reward, terminated] "
            "or "
            "an object with these keys",
            "[BusinessRuleViolation] [file]:14 (state c, action go): goes on to state d, which has "
            "no rows: mark the transition terminated, or give the state an action",
            "[BusinessRuleViolation] [file]:6 (start in state d): the state has no rows: nothing "
            "can be done there",
            "[InvalidValue] [file]:6 (start): the probabilities add up to 0.75, must be 1"));
}

TEST_F(ModelFileTest, TellsASumWithStateActionAndSum) {
    EXPECT_THAT(faults("m.json", with_rows("[3, 1, 0.5, 3, 0],\n[3, 1, 0.4999, 3, 0]")),
                ElementsAre("[InvalidValue] [file]:3 (state 3, action 1): the probabilities add up "
                            "to 0.9999, must be 1"));
    EXPECT_THAT(faults("m.json", with_rows("[0, 0, 0.9999999995, 0, 0]")), IsEmpty());
    EXPECT_THAT(faults("m.json", with_rows("[0, 0, 0, 0, 0]")),
                ElementsAre(HasSubstr("add up to 0, must be 1")));
}

TEST_F(ModelFileTest, RefusesAnotherVersionAndWhatIsNoModel) {
    EXPECT_THAT(faults("m.json", R"({"format": "lockstep-mdp", "version": 2, "rows": []})"),
                ElementsAre("[SchemaViolation] [file]:1 (version): must be 1, which is what this "
                            "program reads"));
    EXPECT_THAT(faults("m.json", "[]"),
                testing::Contains("[SchemaViolation] [file]:1: must be an object, found array"));
    EXPECT_THAT(
        faults("m.json", "{\"rows\": [[0, 0, NaN"),
        ElementsAre(HasSubstr("[file]:1: found 'NaN', expected a value (numbers are finite")));
    EXPECT_THAT(faults("m.json", with_rows("")),
                ElementsAre("[InvalidValue] [file]: holds no rows"));
    EXPECT_THAT(faults("m.csv", ""), ElementsAre(HasSubstr("ends in .json, .parquet or .drn")));
    EXPECT_THAT(faults("absent.json"), ElementsAre(HasSubstr("No such file")));
}

TEST_F(ModelFileTest, RefusesMixedNumbersAndNames) {
    EXPECT_THAT(faults("m.json", with_rows("[0, 0, 1, \"0\", 0]")),
                ElementsAre(HasSubstr("is a name among numbers")));
    EXPECT_THAT(faults("m.json", with_rows("[\"a\", 0, 1, 1, 0]")),
                ElementsAre(HasSubstr("is a number among names")));
    EXPECT_THAT(faults("m.json", with_rows("[0, 0, 1, 0, 0]", ", \"states\": [\"a\", \"a\"]")),
                ElementsAre(HasSubstr("\"a\" stands there twice")));
}

// A slip in one number must not ask for a table of gigabytes.
TEST_F(ModelFileTest, RefusesNumbersThatAreFarApart) {
    EXPECT_THAT(faults("m.json", with_rows("[2000000000, 0, 1, 2000000000, 0]")),
                ElementsAre(HasSubstr("number them from 0 without gaps")));
    EXPECT_THAT(faults("m.json", with_rows("[-1, 0, 1, 0, 0]")),
                ElementsAre(HasSubstr("state -1 must be 0 to")));
}

TEST_F(ModelFileTest, TellsHowManyFaultsItLeftOut) {
    std::string rows = "[0, 0, 2, 0, 0]";
    for (int i = 0; i < 10'004; ++i) {
        rows += ",\n[0, 0, 2, 0, 0]";
    }

    const auto all = faults("m.json", with_rows(rows));

    ASSERT_EQ(all.size(), 10'001U);
    EXPECT_EQ(all.back(), "[InvalidValue] [file]: 5 more faults are not told");
}

io::Table table(std::vector<std::int64_t> s,
                std::vector<std::string> a,
                std::vector<double> p,
                std::vector<std::int64_t> next,
                std::vector<std::int32_t> reward) {
    return {{{"s", std::move(s), false, {}},
             {"a", std::move(a), false, {}},
             {"p", std::move(p), false, {}},
             {"next", std::move(next), false, {}},
             {"reward", std::move(reward), false, {}}}};
}

TEST_F(ModelFileTest, ReadsTablesOfOtherProgramsInTheirTypes) {
    io::write_parquet(path("m.parquet"),
                      table({1, 0, 0}, {"x", "y", "y"}, {1, 0.25, 0.75}, {1, 1, 0}, {3, 4, 5}),
                      {{"pandas", "{}"}});

    const auto file = good("m.parquet");

    EXPECT_THAT(file.action_names, ElementsAre("x", "y"));
    EXPECT_EQ(file.model.outcomes(0, 1)[0].next, 1);
    EXPECT_EQ(file.model.outcomes(0, 1)[1].reward, 5);
    EXPECT_FALSE(file.model.outcomes(1, 0)[0].terminated);
}

TEST_F(ModelFileTest, TellsFaultsOfATableByRow) {
    io::Table rows = table({0, 0, 5}, {"x", "x", "x"}, {0.5, 0.25, 2}, {0, 1, 0}, {0, 0, 0});
    rows.columns[4] = {"reward",
                       std::vector<double>{0, std::numeric_limits<double>::quiet_NaN(), 0},
                       true,
                       {1, 1, 0}};
    io::write_parquet(path("m.parquet"), rows, {{"lockstep.mdp", R"({"format": "lockstep-mdp",
        "version": 1, "states": 2, "gamma": 7})"}});

    EXPECT_THAT(
        faults("m.parquet"),
        ElementsAre(
            "[SchemaViolation] [file] (gamma): 7 must be 0 to 1",
            "[InvalidValue] [file], row 2 (state 0, action x): reward nan must be a finite number",
            R"([SchemaViolation] [file], row 3 (state 5, action x): "reward" must be a number or a text as "1/3")",
            "[InvalidReference] [file], row 3 (state 5, action x): state 5 must be 0 to 1",
            "[InvalidValue] [file], row 3 (state 5, action x): probability 2 must be 0 to 1",
            "[InvalidValue] [file], row 1 (state 0, action x): the probabilities add up to 0.75, "
            "must be 1",
            "[BusinessRuleViolation] [file], row 2 (state 0, action x): goes on to state 1, which "
            "has "
            "no rows: mark the transition terminated, or give the state an action"));
}

TEST_F(ModelFileTest, TellsColumnsThatAreMissingOrUnknown) {
    io::Table rows = table({0}, {"x"}, {1}, {0}, {0});
    rows.columns[3].name = "nxt";
    rows.columns.push_back({"__index_level_0__", std::vector<std::int64_t>{0}, false, {}});
    io::write_parquet(path("m.parquet"), rows);

    EXPECT_THAT(
        faults("m.parquet"),
        ElementsAre(R"([SchemaViolation] [file] (column nxt): is not known; did you mean "next"?)",
                    "[SchemaViolation] [file] (column next): is missing"));
}

// A chain with a state reward, a reward of an action and an end that is a loop: worth 1 + 5, and
// from state 1 half of it at once.
constexpr const char* small_drn = R"(// Exported by storm
@type: MDP
@value_type: rational
@parameters

@placeholders
$half : 1/2
@reward_models
other reward
@nr_states
3
@nr_choices
4
@model
state 0 [9, 1] init
	action fast [9, 5]
		2 : 1
	action slow [0, 0]
		1 : 1
state 1 done
	action fast
		1 : $half
		2 : 1/2
state 2 [0, 0] terminated
	action stay [0, 0]
		2 : 1
)";

TEST_F(ModelFileTest, ReadsStormsFormat) {
    const auto file = good("m.drn", small_drn);

    EXPECT_THAT(file.action_names, ElementsAre("fast", "slow"));
    ASSERT_EQ(file.model.states(), 3);
    EXPECT_EQ(file.model.outcomes(0, 0)[0].reward, 6);
    EXPECT_TRUE(file.model.outcomes(0, 0)[0].terminated);
    EXPECT_EQ(file.model.outcomes(0, 1)[0].reward, 1);
    EXPECT_FALSE(file.model.outcomes(0, 1)[0].terminated);
    EXPECT_EQ(file.model.outcomes(1, 0)[0].probability, 0.5);
    EXPECT_FALSE(file.model.is_legal(2, 0));
    ASSERT_EQ(file.model.starts().size(), 1U);
    EXPECT_EQ(file.model.starts()[0].state, 0);
}

TEST_F(ModelFileTest, TellsFaultsOfStormsFormatByLine) {
    EXPECT_THAT(
        faults("m.drn", R"(@type: MDP
@reward_models
reward
@nr_states
3
@model
state 0 [x] init
	action 0 [1
		1 : 0.5
		0 : 0.25
state 2
	action 0
		1 ; 1
		7 : 1
)"),
        ElementsAre(
            R"([SchemaViolation] [file]:7: reward "x" must be a finite number)",
            R"([SchemaViolation] [file]:8: "]" is missing)",
            "[SchemaViolation] [file]:11: state 2: states are 0 up, in order; this one must be 1",
            R"([SchemaViolation] [file]:13: must be "next state : probability")",
            "[SchemaViolation] [file]:14: has 2 states, but @nr_states is 3",
            "[InvalidReference] [file]:14 (state 1, action 0): state 7 must be 0 to 1",
            "[InvalidValue] [file]:9 (state 0, action 0): the probabilities add up to 0.75, "
            "must be 1"));
    EXPECT_THAT(faults("m.drn", "@type: MA\n@nr_states\n1\n@model\nstate 0\n"),
                ElementsAre("[NotSupported] [file]:1: a model of type MA: must be MDP or DTMC"));
    EXPECT_THAT(
        faults(
            "m.drn",
            "@type: MDP\n@reward_models\na b\n@nr_states\n1\n@model\nstate 0\n\taction 0\n0 : 1"),
        ElementsAre(HasSubstr("reward models a, b: keep one")));
    EXPECT_THAT(faults("m.drn", ""), ElementsAre(HasSubstr("ends before @model")));
}

TEST_F(ModelFileTest, RefusesToWriteANameWithBlanksForStorm) {
    auto file = good("m.json", with_rows(R"([0, "go home", 1, 0, 0])"));
    EXPECT_THAT([&] { write_model(path("m.drn"), file); },
                testing::ThrowsMessage<InputError>(HasSubstr("\"go home\"")));
    EXPECT_FALSE(std::filesystem::exists(path("m.drn")));
}

class EachEnvironmentTest : public ModelFileTest, public testing::WithParamInterface<std::string> {
protected:
    // Fickle passengers and hidden counters have no model: those of the defaults but the bandit
    // have.
    [[nodiscard]] static ModelFile exported() {
        const rl::EnvironmentOptions options = GetParam() == "bandit"
                                                   ? rl::EnvironmentOptions{{"shows_step", "true"}}
                                                   : rl::EnvironmentOptions{};
        return rl::with_environment(rl::make_environment(GetParam(), options),
                                    [](const auto& rules) {
                                        return ModelFile{.model = rules.model().value(),
                                                         .gamma = 0.95,
                                                         .time_limit = rules.max_steps() + 1};
                                    });
    }
};

TEST_P(EachEnvironmentTest, ComesBackBitForBit) {
    const ModelFile written = exported();
    for (const char* name : {"m.json", "m.parquet"}) {
        write_model(path(name), written);
        const ModelFile read = good(name);
        test::expect_same_model(written.model, read.model);
        EXPECT_EQ(read.gamma, written.gamma);
        EXPECT_EQ(read.time_limit, written.time_limit);
        EXPECT_THAT(read.state_names, IsEmpty());
    }
}

TEST_P(EachEnvironmentTest, KeepsItsValuesInStormsFormat) {
    const ModelFile written = exported();
    write_model(path("m.drn"), written);
    const ModelFile read = good("m.drn");
    ASSERT_GE(read.model.states(), written.model.states());

    const auto values = test::ValueIteration(written.model, 0.95).optimal();
    const auto again = test::ValueIteration(read.model, 0.95).optimal();

    for (int s = 0; s < written.model.states(); ++s) {
        ASSERT_NEAR(again[at(s)], values[at(s)], 1e-10 * (1 + std::abs(values[at(s)])))
            << "state " << s;
    }
    write_model(path("again.drn"), read);
    const bool is_same = io::read_file(path("again.drn")) == io::read_file(path("m.drn"));
    EXPECT_TRUE(is_same);
}

std::vector<std::string> all_environments() {
    std::vector<std::string> names;
    for (const rl::EnvironmentEntry& entry : rl::environments()) {
        if (entry.name != "TicTacToe-selfplay") {  // two players: no decision process
            names.emplace_back(entry.name);
        }
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(All,
                         EachEnvironmentTest,
                         testing::ValuesIn(all_environments()),
                         [](const auto& tested) {
                             std::string name = tested.param;
                             std::erase(name, '-');
                             return name;
                         });

class DamageTest : public ModelFileTest {
protected:
    // No text is read as a model that it is not, and none ends the program.
    void expect_told(const std::string& name, const std::string& bytes) {
        io::write_file(path(name), bytes);
        Problems problems;
        const auto file = read_model(path(name), problems);
        ASSERT_EQ(file.has_value(), !problems.has_errors());
    }

    void damage(const std::string& name) {
        const std::string whole = io::read_file(path(name));
        const std::size_t stride = whole.size() / 150 + 1;
        for (std::size_t length = 0; length < whole.size(); length += stride) {
            expect_told(name, whole.substr(0, length));
        }
        constexpr std::string_view others("\0\xff\"[}-9: \n", 10);
        for (std::size_t place = 0; place < whole.size(); place += stride) {
            std::string changed = whole;
            changed[place] = others[place % others.size()];
            expect_told(name, changed);
        }
    }

    void write_example(const std::string& name) {
        Problems problems;
        const auto file =
            read_model(test::source_dir() / "examples/rl/machine_repair.json", problems);
        write_model(path(name), *file);
    }
};

TEST_F(DamageTest, DamagedJsonIsTold) {
    write_example("m.json");
    damage("m.json");
}

TEST_F(DamageTest, DamagedParquetIsTold) {
    write_example("m.parquet");
    damage("m.parquet");
}

TEST_F(DamageTest, DamagedDrnIsTold) {
    io::write_file(path("m.drn"), small_drn);
    damage("m.drn");
}

}  // namespace
}  // namespace lockstep::formats::mdp
