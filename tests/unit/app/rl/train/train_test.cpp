#include "lockstep/app/rl/train.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/app/compare.hpp"
#include "lockstep/app/rl/evaluate.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/formats/records/output_metadata.hpp"
#include "lockstep/formats/rl/table_file.hpp"
#include "lockstep/io/file.hpp"

#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Notes what it is told and may ask for a stop.
class Recorder : public Observer {
public:
    void on_start(const RunFacts& begun) override { facts = begun; }
    void on_progress(const Progress& progress) override { told.push_back(progress); }
    void on_notice(Notice, const std::string& text) override { notices.push_back(text); }
    bool stop_requested() override { return stop_after > 0 && std::ssize(told) >= stop_after; }

    RunFacts facts;
    std::vector<Progress> told;
    std::vector<std::string> notices;
    std::ptrdiff_t stop_after = 0;
};

class TrainTest : public testing::Test {
protected:
    TrainRequest request_of(const std::string& name, const std::string& output) {
        TrainRequest request;
        request.run.input = name;
        request.run.output = folder / output;
        request.run.threads = 1;
        request.options = {{"steps", "400000"}, {"sync_frequency", "1000"}};
        return request;
    }
    TrainOutcome trained(const TrainRequest& request) {
        return train_process(request, *comm::make_local(), recorder);
    }
    std::string complaint(const TrainRequest& request) {
        try {
            trained(with_configuration(request));
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    }
    fs::path file(const std::string& name, const std::string& text) {
        io::write_file(folder / name, text);
        return folder / name;
    }

    TemporaryFolder folder;
    Recorder recorder;
};

TEST_F(TrainTest, WritesTableMetricsAndMetadata) {
    const auto record = trained(request_of("FrozenLake", "out")).record;

    EXPECT_EQ(record.transitions, 400'000);
    EXPECT_EQ(record.ending, "done");
    ASSERT_TRUE(record.value && record.optimum);
    EXPECT_LE(record.value->lower, record.optimum->upper);
    EXPECT_NEAR(record.optimum->value, 0.542025932, 1e-8);  // golden.json
    const auto table = formats::rl::read_table(folder / "out/training").table;
    EXPECT_EQ(table.states, 16);
    EXPECT_EQ(to_string(digest_of(table)), record.digest);
    const auto lines = formats::rl::read_metrics(folder / "out");
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(*lines.back().find("transitions_total")->if_integer(), 400'000);
    EXPECT_EQ(formats::read_output_metadata(folder / "out")->part("training")->digest,
              record.digest);
    EXPECT_EQ(io::to_text(to_json(formats::rl::read_training_record(folder / "out"))),
              io::to_text(to_json(record)));
}

TEST_F(TrainTest, TellsHowFarItIs) {
    auto request = request_of("FrozenLake", "out");
    request.options.emplace_back("log_interval", "16000");

    trained(request);

    ASSERT_GT(recorder.told.size(), 3U);
    EXPECT_EQ(recorder.told.back().done, 400'000);
    EXPECT_EQ(recorder.told.back().total, 400'000);
    std::vector<std::string> labels;
    for (const auto& figure : recorder.told.back().figures) {
        if (!figure.label.empty()) {
            labels.push_back(figure.label);
        }
    }
    EXPECT_THAT(labels, testing::ElementsAre("return", "TD error", "steps/s", "value gap"));
    EXPECT_THAT(recorder.facts.headline, HasSubstr("16 states"));
}

TEST_F(TrainTest, HasTheSameBitsOnThreadsAndRanks) {
    trained(request_of("FrozenLake", "one"));
    auto request = request_of("FrozenLake", "threads");
    request.run.threads = 3;
    trained(request);
    request = request_of("FrozenLake", "ranks");
    request.options.emplace_back("mode", "allreduce");
    comm::run_in_process(2, [&](comm::Communicator& ranks) {
        Observer nobody;
        train_process(request, ranks, nobody);
    });

    EXPECT_TRUE(compare(folder / "one", folder / "threads", Depth::files).is_same);
    EXPECT_TRUE(compare(folder / "one", folder / "ranks", Depth::files).is_same);
}

TEST_F(TrainTest, GoesOnFromACheckpointWithTheSameBits) {
    trained(request_of("FrozenLake", "whole"));
    auto request = request_of("FrozenLake", "parts");
    request.options.emplace_back("checkpoint_frequency", "1");
    request.options.emplace_back("log_interval", "16000");
    recorder.stop_after = 5;
    const auto stopped = trained(request).record;
    recorder.stop_after = 0;
    const auto before = formats::rl::read_metrics(folder / "parts").size();

    request.run.resume = true;
    const auto resumed = trained(request).record;

    EXPECT_EQ(stopped.ending, "stopped");
    EXPECT_LT(stopped.transitions, 400'000);
    EXPECT_EQ(resumed.transitions, 400'000);
    EXPECT_TRUE(compare(folder / "whole", folder / "parts", Depth::files).is_same);
    const auto lines = formats::rl::read_metrics(folder / "parts");
    EXPECT_GT(lines.size(), before);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        EXPECT_GE(*lines[i].find("round")->if_integer(), *lines[i - 1].find("round")->if_integer());
    }
}

TEST_F(TrainTest, RefusesACheckpointOfOtherOptions) {
    auto request = request_of("FrozenLake", "out");
    request.options.emplace_back("checkpoint_frequency", "1");
    trained(request);

    request.run.resume = true;
    request.options.emplace_back("discount_factor", "0.9");

    EXPECT_THAT(complaint(request), HasSubstr("option"));
}

TEST_F(TrainTest, ComparisonNamesTheFirstStateAndAction) {
    trained(request_of("FrozenLake", "one"));
    auto request = request_of("FrozenLake", "two");
    request.options.emplace_back("seed", "1");
    trained(request);

    const auto comparison = compare(folder / "one", folder / "two");

    ASSERT_EQ(comparison.differences.size(), 1U);
    EXPECT_THAT(comparison.differences[0].where, testing::StartsWith("state 0, action 0"));
}

TEST_F(TrainTest, ReadsAConfigurationFile) {
    TrainRequest request;
    request.run.input = file("training.yaml",
                             "environment: FrozenLake\n"
                             "parameters: {is_slippery: false}\n"
                             "steps: 1000\n"
                             "learning_rate: 0.1\n"
                             "async_updates: false\n"
                             "communication_backend: shm\n"
                             "threads: 2\n");
    request.options = {{"steps", "2000"}};

    const auto merged = with_configuration(request);

    EXPECT_EQ(merged.run.input, "FrozenLake");
    EXPECT_EQ(merged.run.settings[0], formats::Setting("is_slippery", "false"));
    EXPECT_EQ(merged.run.threads, 2);
    EXPECT_EQ(merged.run.backend, "shm");
    EXPECT_EQ(merged.options.front(), formats::Setting("steps", "1000"));
    EXPECT_EQ(merged.options.back(), formats::Setting("steps", "2000"));
}

TEST_F(TrainTest, NamesFileAndLineOfWhatIsWrong) {
    TrainRequest request;
    request.run.input =
        file("a.json", "{\"environment\": \"FrozenLake\",\n\"learning_rat\": 0.1}\n");
    EXPECT_THAT(complaint(request),
                testing::AllOf(HasSubstr("a.json:2"), HasSubstr("did you mean learning_rate?")));
    request.run.input = file("b.yaml", "steps: 10\n");
    EXPECT_THAT(complaint(request), HasSubstr("environment is missing"));
    request.run.input = file("c.yaml", "environment: FrozenLake\nsteps: [1, 2]\n");
    EXPECT_THAT(complaint(request), testing::AllOf(HasSubstr("c.yaml:2"), HasSubstr("array")));
    request.run.input = file("d.yaml", "environment: FrozenLake\nthreads: 0\n");
    EXPECT_THAT(complaint(request), HasSubstr("1 to 4096 threads"));
}

TEST_F(TrainTest, RefusesSizesOfAnotherEnvironment) {
    auto request = request_of("tictactoe", "out");
    request.options.emplace_back("state_size", "512");

    EXPECT_THAT(complaint(request),
                testing::AllOf(HasSubstr("512"), HasSubstr("give 19683 or leave the option out")));
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(TrainTest, EvaluatesExactlyAndByPlay) {
    const auto record = trained(request_of("FrozenLake", "out")).record;

    EvaluateRequest request;
    request.run = folder / "out";
    request.threads = 1;
    request.episodes = 2000;
    const auto evaluation = evaluate_run(request);

    ASSERT_TRUE(evaluation.value && evaluation.sampled);
    EXPECT_EQ(evaluation.value->value, record.value->value);
    EXPECT_EQ(evaluation.sampled->episodes, 2000);
    EXPECT_GE(evaluation.sampled->min, 0);
    EXPECT_LE(evaluation.sampled->max, 1);
    request.threads = 3;
    EXPECT_EQ(evaluate_run(request).sampled->mean, evaluation.sampled->mean);
}

TEST_F(TrainTest, PlaysWhereAPartOfTheStateIsHidden) {
    auto request = request_of("Taxi", "out");
    request.run.settings = {{"fickle_passenger", "true"}};
    EXPECT_FALSE(trained(request).record.optimum);

    EvaluateRequest evaluate;
    evaluate.run = folder / "out";
    evaluate.threads = 1;
    const auto evaluation = evaluate_run(evaluate);

    EXPECT_FALSE(evaluation.value);
    ASSERT_TRUE(evaluation.sampled);
    EXPECT_EQ(evaluation.sampled->episodes, 10'000);
}

TEST_F(TrainTest, RefusesATableOfAnotherEnvironment) {
    trained(request_of("FrozenLake", "lake"));
    trained(request_of("Taxi", "taxi"));
    fs::copy_file(folder / "lake/training/q_table.parquet",
                  folder / "taxi/training/q_table.parquet",
                  fs::copy_options::overwrite_existing);

    EvaluateRequest request;
    request.run = folder / "taxi";
    try {
        evaluate_run(request);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("learned in FrozenLake-v1"));
        EXPECT_THAT(error.what(), HasSubstr("not in Taxi-v4"));
    }
}

TEST_F(TrainTest, JudgesGamesByTheBestOpponent) {
    auto request = request_of("TicTacToe-selfplay", "self");
    request.options = {{"steps", "2000000"}, {"epsilon", "0.3"}};
    const auto self = trained(request).record;
    request = request_of("tictactoe", "random");
    const auto random = trained(request).record;

    EXPECT_FALSE(self.value);
    ASSERT_TRUE(self.exploitability && random.exploitability);
    EXPECT_GE(*self.exploitability, 0);
    EXPECT_LE(*random.exploitability, 1);
    EvaluateRequest evaluate;
    evaluate.run = folder / "self";
    evaluate.against = (folder / "random").string();
    const auto matches = evaluate_run(evaluate).matches;
    ASSERT_EQ(matches.size(), 1U);
    const auto& first = matches[0].first;
    EXPECT_NEAR(first.win + first.draw + first.loss, 1, 1e-12);
    EXPECT_EQ(
        *formats::rl::read_metrics(folder / "self").back().find("exploitability")->if_number(),
        *self.exploitability);
}

TEST_F(TrainTest, PlaysTheOpponentThatIsNamed) {
    trained(request_of("tictactoe", "out"));
    EvaluateRequest evaluate;
    evaluate.run = folder / "out";

    evaluate.against = "random";
    const auto against_random = evaluate_run(evaluate).matches.at(0);
    evaluate.against = "optimal";
    const auto worst = evaluate_run(evaluate);

    EXPECT_GT(against_random.first.value(), 0);
    const auto& lost = worst.matches.at(0);
    EXPECT_NEAR(-0.5 * (lost.first.value() + lost.second.value()), *worst.exploitability, 1e-12);
    evaluate.against.clear();
    const auto both = evaluate_run(evaluate).matches;
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].first.value(), against_random.first.value());
    EXPECT_EQ(both[1].second.value(), lost.second.value());
    evaluate.against = (folder / "nowhere").string();
    EXPECT_THROW(evaluate_run(evaluate), IoError);
}

// Who has learned against one opponent knows a best response to it.
TEST_F(TrainTest, LearnsAgainstAnotherTraining) {
    trained(request_of("TicTacToe-selfplay", "other"));
    auto request = request_of("tictactoe", "own");
    request.run.settings = {{"opponent", (folder / "other").string()}};
    request.options.emplace_back("discount_factor", "1");
    request.options.emplace_back("epsilon", "0.3");
    const auto record = trained(request).record;

    ASSERT_TRUE(record.value && record.optimum);
    EXPECT_THAT(record.environment.rules, HasSubstr("other"));
    const auto other = rl::policy_of(
        rl::greedy_moves(formats::rl::read_table(folder / "other/training").table.values));
    EXPECT_NEAR(record.optimum->value,
                (rl::best_response(other, 1).value + rl::best_response(other, 2).value) / 2,
                1e-9);
    EXPECT_NEAR(record.value->value, record.optimum->value, 1e-9);
    EvaluateRequest evaluate;
    evaluate.run = folder / "own";
    evaluate.against = (folder / "other").string();
    const auto match = evaluate_run(evaluate).matches.at(0);
    EXPECT_NEAR((match.first.value() + match.second.value()) / 2, record.value->value, 1e-9);
}

TEST_F(TrainTest, DoesNotGoOnAgainstAnOpponentThatHasLearnedMore) {
    trained(request_of("TicTacToe-selfplay", "other"));
    auto request = request_of("tictactoe", "own");
    request.run.settings = {{"opponent", (folder / "other").string()}};
    request.options.emplace_back("checkpoint_frequency", "1");
    trained(request);
    auto more = request_of("TicTacToe-selfplay", "other");
    more.options.emplace_back("seed", "1");
    trained(more);
    request.run.resume = true;

    EXPECT_THAT(complaint(request), HasSubstr("checkpoint"));
}

TEST_F(TrainTest, TakesTheLastOfAParameterThatIsGivenTwice) {
    auto request = request_of(
        file("t.yaml", "environment: FrozenLake\nparameters:\n  is_slippery: true\n").string(),
        "out");
    request.run.settings = {{"is_slippery", "true"}, {"is_slippery", "false"}};
    const auto record = trained(with_configuration(request)).record;

    EXPECT_THAT(record.environment.rules, HasSubstr("dry"));
    EXPECT_EQ(record.environment.options.size(), 1U);
}

TEST_F(TrainTest, BeginsWithWhatAnotherTrainingHasLearned) {
    const auto first = trained(request_of("FrozenLake", "first")).record;
    for (const auto* mode : {"serial", "threads", "server", "actor-learner", "hogwild"}) {
        auto request = request_of("FrozenLake", std::string("more-") + mode);
        request.options = {{"load_model", (folder / "first").string()},
                           {"steps", "1000"},
                           {"mode", mode},
                           {"sync_frequency", "10"}};
        const auto record = trained(request).record;
        EXPECT_NEAR(record.value->value, first.value->value, 0.05) << mode;
        EXPECT_GE(record.touched, first.touched) << mode;
        EXPECT_EQ(record.options.back().first, "load_model");
    }
}

TEST_F(TrainTest, RefusesToBeginWithATableOfAnotherEnvironment) {
    trained(request_of("FrozenLake", "lake"));
    auto request = request_of("Taxi", "taxi");
    request.options.emplace_back("load_model", (folder / "lake").string());
    EXPECT_THAT(complaint(request), HasSubstr("not in Taxi"));
    request.options = {{"save_model", "x"}};
    EXPECT_THAT(complaint(request), HasSubstr("--output"));
}

TEST_F(TrainTest, RefusesAnOpponentThatHasLearnedNoGame) {
    trained(request_of("FrozenLake", "lake"));
    auto request = request_of("tictactoe", "own");
    request.run.settings = {{"opponent", (folder / "lake").string()}};
    EXPECT_THAT(complaint(request), HasSubstr("must be one of TicTacToe"));
    request.run.settings = {{"opponent", (folder / "nobody").string()}};
    EXPECT_THROW(trained(request), IoError);
}

}  // namespace
}  // namespace lockstep::app
