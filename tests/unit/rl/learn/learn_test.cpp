#include "lockstep/rl/learn.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/gather_list.hpp"

#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

using rl::LearnOptions;
using rl::Mode;
using test::lake;
using test::learn_alone;
using test::learn_on_ranks;

LearnOptions options_of(Mode mode) {
    LearnOptions options;
    options.mode = mode;
    options.steps = mode == Mode::serial || mode == Mode::vector ? 150'007 : 40'007;
    options.sync_frequency = mode == Mode::actor_learner ? 20 : 500;
    options.exploration.level = rl::parse_schedule("0.3");
    options.seed = 7;
    return options;
}

/// What a result may depend on, and on nothing else.
struct Setting {
    const char* name;
    LearnOptions options;
};

bool plans(rl::Algorithm algorithm) {
    return algorithm == rl::Algorithm::dyna_q || algorithm == rl::Algorithm::prioritized_sweeping;
}

std::vector<Setting> settings() {
    std::vector<Setting> all;
    all.push_back({"serial", options_of(Mode::serial)});
    all.push_back({"vector", options_of(Mode::vector)});
    all.push_back({"replay", options_of(Mode::vector)});
    all.back().options.buffer_size = 1000;
    for (const auto rule : rl::combining_rules()) {
        if (rule != rl::Combine::sum) {
            all.push_back({"threads", options_of(Mode::threads)});
            all.back().options.combine = rule;
        }
    }
    all.push_back({"allreduce", options_of(Mode::allreduce)});
    all.push_back({"overlapped", options_of(Mode::allreduce)});
    all.back().options.overlap = true;
    all.back().options.sync_frequency = 40;  // several spans
    all.push_back({"feedback", options_of(Mode::allreduce)});
    all.back().options.compression_ratio = 0.5;
    all.push_back({"forgetful", all.back().options});
    all.back().options.error_feedback = false;
    all.push_back({"actors", options_of(Mode::actor_learner)});
    all.push_back({"actors that wait", options_of(Mode::actor_learner)});
    all.back().options.staleness = 0;
    all.push_back({"server", options_of(Mode::server)});
    all.back().options.staleness = 0;
    all.push_back({"server with feedback", all.back().options});
    all.back().options.compression_ratio = 0.5;
    for (const auto algorithm : rl::algorithms()) {
        all.push_back({to_string(algorithm).data(),
                       options_of(plans(algorithm) ? Mode::serial : Mode::threads)});
        all.back().options.algorithm = algorithm;
        if (plans(algorithm)) {
            all.back().options.steps = 140'007;
            all.back().options.planning_steps = 1;
        }
    }
    all.push_back({"softmax", options_of(Mode::threads)});
    all.back().options.exploration.rule = rl::Exploration::Rule::softmax;
    all.push_back({"ucb", options_of(Mode::threads)});
    all.back().options.exploration.rule = rl::Exploration::Rule::ucb;
    return all;
}

/// The same with values that are stored as floats.
std::vector<Setting> narrow_settings() {
    auto all = settings();
    std::erase_if(all, [](const Setting& setting) { return plans(setting.options.algorithm); });
    for (Setting& setting : all) {
        setting.options.table_precision = rl::Precision::f32;
    }
    return all;
}

std::string name_of(const testing::TestParamInfo<Setting>& setting) {
    std::string name = std::string(setting.param.name) + "_" + std::to_string(setting.index);
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

class Learn : public testing::TestWithParam<Setting> {};

INSTANTIATE_TEST_SUITE_P(AcceptanceRow4, Learn, testing::ValuesIn(settings()), name_of);
INSTANTIATE_TEST_SUITE_P(AcceptanceRow4InFloats,
                         Learn,
                         testing::ValuesIn(narrow_settings()),
                         name_of);

TEST_P(Learn, HasTheSameBitsOnAnyNumberOfThreads) {
    const auto world = lake();
    const auto one = learn_alone(*world, GetParam().options, 1);
    EXPECT_GE(one.transitions, GetParam().options.steps);
    for (const int threads : {2, 3, 4}) {
        EXPECT_EQ(learn_alone(*world, GetParam().options, threads).digest, one.digest) << threads;
    }
}

TEST_P(Learn, HasTheSameBitsOnAnyNumberOfRanks) {
    const auto world = lake();
    const auto one = learn_alone(*world, GetParam().options);
    for (const int ranks : {2, 3, 8}) {
        for (const auto& result : learn_on_ranks(*world, GetParam().options, ranks)) {
            EXPECT_EQ(result.digest, one.digest) << ranks;
            EXPECT_EQ(result.episodes, one.episodes);
        }
    }
}

TEST_P(Learn, GoesOnFromACheckpointAsIfItHadNeverStopped) {
    const auto world = lake();
    const auto whole = learn_alone(*world, GetParam().options);
    test::LearnWatch watch;
    watch.checkpoint_every = 10'000;
    watch.stop_at_checkpoint = 1;
    const auto first = learn_alone(*world, GetParam().options, 2, &watch);
    ASSERT_EQ(first.ending, rl::LearnEnding::stopped);
    ASSERT_NE(watch.checkpoint, nullptr);
    const auto rest = learn_alone(*world, GetParam().options, 3, nullptr, watch.checkpoint.get());
    EXPECT_EQ(rest.digest, whole.digest);
    EXPECT_EQ(rest.transitions, whole.transitions);
    EXPECT_EQ(rest.episodes, whole.episodes);
    for (const auto& result :
         learn_on_ranks(*world, GetParam().options, 3, 1, {}, watch.checkpoint.get())) {
        EXPECT_EQ(result.digest, whole.digest);
    }
}

TEST_P(Learn, LosesNothingWithARankUnlessItSaysSo) {
    const auto world = lake();
    const auto whole = learn_alone(*world, GetParam().options);
    for (const std::int64_t collective : {3, 8, 17}) {
        const auto dies = [&](int rank, std::int64_t call) {
            return rank == 1 && call == collective;
        };
        // What waits to be sent is kept by a server, elsewhere only by the rank that waits.
        if (GetParam().options.compression_ratio > 0 && GetParam().options.mode != Mode::server) {
            EXPECT_THROW(learn_on_ranks(*world, GetParam().options, 3, 1, dies), CommError);
            continue;
        }
        for (const auto& result : learn_on_ranks(*world, GetParam().options, 3, 1, dies)) {
            EXPECT_EQ(result.digest, whole.digest) << "lost in collective " << collective;
        }
    }
}

TEST(AcceptanceRow4, ModesAreOneWhereTheyShouldBe) {
    const auto world = lake();
    auto serial = options_of(Mode::serial);
    auto vector = options_of(Mode::vector);
    vector.batch_size = 1;
    EXPECT_EQ(learn_alone(*world, serial).table.values, learn_alone(*world, vector).table.values);

    const auto threads = options_of(Mode::threads);
    const auto allreduce = options_of(Mode::allreduce);
    EXPECT_EQ(learn_alone(*world, threads).digest, learn_alone(*world, allreduce).digest);
    auto server = options_of(Mode::server);
    server.staleness = 0;
    EXPECT_EQ(learn_alone(*world, server).digest, learn_alone(*world, allreduce).digest);

    auto actors = options_of(Mode::actor_learner);
    actors.steps = options_of(Mode::vector).steps;
    actors.sync_frequency = 1;
    actors.staleness = 0;
    EXPECT_EQ(learn_alone(*world, actors).digest,
              learn_alone(*world, options_of(Mode::vector)).digest);
}

TEST(LearnInFloats, StoresWhatFloatsHold) {
    const auto world = lake();
    for (const Setting& setting : narrow_settings()) {
        const auto table = learn_alone(*world, setting.options).table;
        EXPECT_EQ(table.precision, rl::Precision::f32);
        for (const double value : table.values) {
            EXPECT_EQ(value, double{static_cast<float>(value)}) << setting.name;
        }
    }
}

// Whole steps and whole rewards have whole values, which floats hold: nothing is rounded.
TEST(LearnInFloats, IsTheSameTableWhereNothingIsRounded) {
    const auto world = rl::make_world(rl::make_environment("CliffWalking-v1"));
    for (const auto mode : {Mode::serial, Mode::vector, Mode::threads, Mode::actor_learner}) {
        auto options = options_of(mode);
        options.discount_factor = 1;
        options.learning_rate = rl::parse_step_size("1");
        options.combine = rl::Combine::composition;
        const auto wide = learn_alone(*world, options).table.values;
        options.table_precision = rl::Precision::f32;
        EXPECT_EQ(learn_alone(*world, options).table.values, wide) << to_string(mode);
        EXPECT_NE(wide, std::vector<double>(wide.size()));
    }
}

TEST(LearnInFloats, HalvesWhatValuesTakeOnTheirWay) {
    const auto world = rl::make_world(rl::make_environment("garnet", {{"states", "2000"}}));
    auto options = options_of(Mode::allreduce);
    options.sync_frequency = 2'500;
    const auto bytes_sent = [&](rl::Precision precision) {
        options.table_precision = precision;
        return learn_on_ranks(*world, options, 2).front().last.bytes_sent;
    };
    // An entry has 8 or 4 bytes of change, one or two of its cell, one of visits.
    const auto narrow = static_cast<double>(bytes_sent(rl::Precision::f32));
    const auto wide = static_cast<double>(bytes_sent(rl::Precision::f64));
    EXPECT_LT(narrow, 0.68 * wide);
    EXPECT_GT(narrow, 0.55 * wide);
}

TEST(LearnInFloats, RefusesACheckpointOfDoubles) {
    const auto world = lake();
    auto options = options_of(Mode::threads);
    test::LearnWatch watch;
    watch.checkpoint_every = 10'000;
    learn_alone(*world, options, 1, &watch);
    options.table_precision = rl::Precision::f32;
    EXPECT_THAT([&] { learn_alone(*world, options, 1, nullptr, watch.checkpoint.get()); },
                testing::ThrowsMessage<InputError>(
                    "the checkpoint holds values of 8 bytes, this table has 4: resume with the "
                    "table_precision that it was begun with"));
}

TEST(LearnInFloats, RefusesValuesThatFloatsCannotHold) {
    const auto world = lake();
    auto options = options_of(Mode::serial);
    options.table_precision = rl::Precision::f32;
    options.initial_value = 1e39;
    EXPECT_THAT([&] { learn_alone(*world, options); },
                testing::ThrowsMessage<InputError>(testing::HasSubstr("initial_value is 1e+39")));
    options.initial_value = 0;
    rl::QTable first{16, 4, std::vector<double>(64), std::vector<std::uint32_t>(64)};
    first.values[6] = 1e39;
    options.first_table = std::make_shared<const rl::QTable>(first);
    EXPECT_THAT([&] { learn_alone(*world, options); },
                testing::ThrowsMessage<InputError>(
                    testing::HasSubstr("the value 1e+39 for action 2 in state 1")));
}

TEST(LearnInFloats, RefusesAlgorithmsWithALargerModel) {
    for (const auto algorithm : rl::algorithms()) {
        auto options = options_of(Mode::serial);
        options.algorithm = algorithm;
        options.table_precision = rl::Precision::f32;
        if (plans(algorithm)) {
            EXPECT_THAT([&] { options.validate(); },
                        testing::ThrowsMessage<InputError>(testing::StartsWith(
                            std::string("table_precision is f32 with algorithm ") +
                            std::string(to_string(algorithm)) + ": must be f64")));
        } else {
            EXPECT_NO_THROW(options.validate());
        }
    }
}

/// What a learner's table is after 3,000 transitions in runs of so many.
std::vector<double> learned_in_runs_of(std::int64_t transitions, const LearnOptions& options) {
    const auto world = lake();
    const auto learner = world->learner(options, 0, 1);
    std::vector<double> values(2 * 16 * 4);  // double_q has two tables
    std::vector<std::uint32_t> visits(values.size());
    const rl::CellsOf<double> cells{values.data(), visits.data(), nullptr, 64};
    rl::Tally tally;
    for (int done = 0; done < 3'000; done += static_cast<int>(transitions)) {
        learner->run(transitions, cells, rl::Access::own, tally);
    }
    return values;
}

// Only a long run keeps the best of every row.
TEST(Learner, HasTheSameBitsInOneRunAndStepByStep) {
    for (const auto algorithm : rl::algorithms()) {
        for (const auto rule :
             {rl::Exploration::Rule::epsilon_greedy, rl::Exploration::Rule::softmax}) {
            auto options = options_of(Mode::serial);
            options.algorithm = algorithm;
            options.exploration.rule = rule;
            EXPECT_EQ(learned_in_runs_of(3'000, options), learned_in_runs_of(1, options))
                << to_string(algorithm);
        }
    }
}

TEST(LearnReports, CountWhatTravelsWhileLearningAndNothingBefore) {
    const auto world = lake();
    auto options = options_of(Mode::allreduce);
    options.steps = 1'000;
    const auto bytes_sent = [&](std::size_t bytes_before) {
        std::int64_t bytes = 0;
        comm::run_in_process(2, [&](comm::Communicator& ranks) {
            comm::gather_list(ranks, std::vector<std::byte>(bytes_before));
            runtime::ThreadTeam threads(1);
            runtime::Team team{ranks, threads};
            rl::LearnObserver quiet;
            const auto result = rl::learn(*world, options, team, quiet);
            if (ranks.rank() == 0) {
                bytes = result.last.bytes_sent;
            }
        });
        return bytes;
    };
    EXPECT_GT(bytes_sent(0), 0);
    EXPECT_EQ(bytes_sent(1'000'000), bytes_sent(0));
}

TEST(LearnHogwild, LosesHardlyAnythingOnTwoThreads) {
    const auto world = lake();
    auto options = options_of(Mode::hogwild);
    options.steps = 400'000;
    const auto result = learn_alone(*world, options, 2);
    EXPECT_EQ(result.transitions, options.steps);
    std::uint64_t visits = 0;
    for (const auto count : result.table.visits) {
        visits += count;
    }
    EXPECT_LE(visits, static_cast<std::uint64_t>(options.steps));
    EXPECT_GE(visits, static_cast<std::uint64_t>(options.steps) * 9 / 10);
    for (const auto& on_ranks : learn_on_ranks(*world, options, 2)) {
        EXPECT_EQ(on_ranks.transitions, options.steps);
    }
}

}  // namespace
}  // namespace lockstep
