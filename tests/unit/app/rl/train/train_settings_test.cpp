#include "app/rl/train/train_settings.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/app/rl/train.hpp"
#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

using testing::HasSubstr;

std::string complaint(const std::vector<formats::Setting>& options) {
    try {
        train_settings(options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(TrainSettingsTest, HasTheEnginesDefaults) {
    const auto settings = train_settings({});

    EXPECT_EQ(settings.learn.mode, rl::Mode::threads);
    EXPECT_EQ(to_string(settings.learn.learning_rate), "n^-0.65");
    EXPECT_EQ(settings.learn.discount_factor, 0.99);
    EXPECT_EQ(settings.log.seconds, 1.0);
    EXPECT_EQ(settings.checkpoint.seconds, 60.0);
}

// rl.md, section 2: the names and numbers of the text that this engine answers.
TEST(TrainSettingsTest, TakesTheSeedsNames) {
    const auto settings = train_settings({{"state_size", "512"},
                                          {"action_size", "9"},
                                          {"learning_rate", "0.1"},
                                          {"discount_factor", "0.99"},
                                          {"batch_size", "32"},
                                          {"sync_frequency", "100"},
                                          {"compression_threshold", "0.01"},
                                          {"async_updates", "true"},
                                          {"buffer_size", "0"},
                                          {"prefetch_factor", "2"},
                                          {"communication_backend", "mpi"},
                                          {"checkpoint_interval", "5000"},
                                          {"log_interval", "1000"}});

    EXPECT_EQ(settings.state_size, 512);
    EXPECT_EQ(to_string(settings.learn.learning_rate), "0.1");
    EXPECT_EQ(settings.learn.sync_frequency, 100);
    EXPECT_EQ(settings.learn.mode, rl::Mode::server);
    EXPECT_EQ(settings.learn.compression_ratio, 0);
    ASSERT_EQ(settings.notes.size(), 1U);
    EXPECT_THAT(settings.notes.front(), testing::HasSubstr("compression_ratio 0.01 is left out"));
    EXPECT_EQ(settings.learn.staleness, 2);
    EXPECT_EQ(settings.backend, "mpi");
    EXPECT_EQ(settings.checkpoint.transitions, 5000);
    EXPECT_EQ(settings.checkpoint.seconds, std::nullopt);
    EXPECT_EQ(settings.log.transitions, 1000);
}

TEST(TrainSettingsTest, CompressesWhereTheModeIsNamed) {
    const auto settings =
        train_settings({{"mode", "allreduce"}, {"compression_threshold", "0.01"}});
    EXPECT_EQ(settings.learn.compression_ratio, 0.01);
    EXPECT_TRUE(settings.notes.empty());
}

TEST(TrainSettingsTest, AsynchronyChoosesTheModeThatHasIt) {
    EXPECT_EQ(train_settings({{"async_updates", "true"}}).learn.mode, rl::Mode::server);
    EXPECT_EQ(train_settings({{"async_updates", "true"}, {"mode", "serial"}}).learn.mode,
              rl::Mode::serial);
    const auto synchronous = train_settings({{"mode", "server"}, {"async_updates", "false"}});
    EXPECT_EQ(synchronous.learn.staleness, 0);
}

TEST(TrainSettingsTest, CountsCheckpointsInTransitionsSecondsOrRounds) {
    EXPECT_TRUE(train_settings({{"checkpoint_interval", "90s"}}).checkpoint.is_over(90, 0));
    EXPECT_FALSE(train_settings({{"checkpoint_interval", "0"}}).checkpoint.is_over(1e9, 1 << 30));
    EXPECT_EQ(train_settings(
                  {{"checkpoint_frequency", "10"}, {"workers", "4"}, {"sync_frequency", "100"}})
                  .checkpoint.transitions,
              4000);
}

TEST(TrainSettingsTest, TheLastOfAnOptionCounts) {
    EXPECT_EQ(train_settings({{"steps", "10"}, {"total-steps", "2e6"}}).learn.steps, 2'000'000);
}

TEST(TrainSettingsTest, ComesBackFromItsOwnText) {
    const auto learn = train_settings({{"mode", "allreduce"},
                                       {"learning_rate", "101/(100+n)"},
                                       {"epsilon", "linear(1, 0.05, 1e6)"},
                                       {"seed", "18446744073709551615"},
                                       {"compression_ratio", "0.5"}})
                           .learn;

    EXPECT_EQ(as_settings(train_settings(as_settings(learn)).learn), as_settings(learn));
}

TEST(TrainSettingsTest, SaysWhatMayStandThere) {
    EXPECT_THAT(complaint({{"learning_rat", "1"}}), HasSubstr("did you mean learning_rate?"));
    EXPECT_THAT(complaint({{"mode", "alreduce"}}), HasSubstr("did you mean allreduce?"));
    EXPECT_THAT(complaint({{"steps", "many"}}), HasSubstr("a whole number"));
    EXPECT_THAT(complaint({{"steps", "0"}}), HasSubstr("at least 1 transition"));
    EXPECT_THAT(complaint({{"error_feedback", "yes"}}), HasSubstr("true or false"));
    EXPECT_THAT(complaint({{"log_interval", "-3"}}), HasSubstr("60s"));
    EXPECT_THAT(complaint({{"initial_value", "nan"}}), HasSubstr("a number"));
    EXPECT_THAT(complaint({{"communication_backend", "nccl"}}),
                testing::AllOf(HasSubstr("memory of CPUs"), HasSubstr("shm")));
    EXPECT_THAT(complaint({{"communication_backend", "gloo"}}), HasSubstr("shm, tcp or mpi"));
    EXPECT_EQ(train_settings({{"heartbeat_timeout", "30"}}).timeout_seconds, 30);
    EXPECT_EQ(train_settings({{"rebalance_interval", "0.5s"}}).learn.lease_seconds, 0.5);
    EXPECT_THAT(complaint({{"rebalance_interval", "1000"}}), HasSubstr("sync_frequency"));
    EXPECT_EQ(train_settings({{"heartbeat_interval", "30s"}}).heartbeat_seconds, 30);
    EXPECT_THAT(complaint({{"check_consistency", "-1"}}), HasSubstr("0 (never)"));
    EXPECT_THAT(complaint({{"overlap", "true"}, {"mode", "server"}}),
                HasSubstr("threads and allreduce"));
}

TEST(TrainSettingsTest, NoTwoOptionsShareAName) {
    std::set<std::string_view> names;
    for (const auto& option : train_options()) {
        EXPECT_TRUE(names.insert(option.name).second) << option.name;
        for (const auto alias : option.aliases) {
            EXPECT_TRUE(names.insert(alias).second) << alias;
        }
    }
}

}  // namespace
}  // namespace lockstep::app
