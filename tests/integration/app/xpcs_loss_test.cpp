#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/app/first_sample.hpp"
#include "integration/app/launched.hpp"
#include "integration/app/program.hpp"
#include "integration/app/ranks_of.hpp"

namespace lockstep::cli {
namespace {

using testing::HasSubstr;

/// Samplings that lose a rank, are interrupted, or killed.
class XpcsLossTest : public FirstSampleTest {
protected:
    [[nodiscard]] Words sampling(const std::string& output, const Words& more = {}) const {
        return joined({{"xpcs",
                        "sample",
                        config(),
                        "-o",
                        path(output),
                        "--errors",
                        "classical",
                        "--sampler",
                        "nuts",
                        "--n-samples",
                        "2500",
                        "-t",
                        "1"},
                       more});
    }
    /// Of a sampling that nobody disturbed.
    [[nodiscard]] bool has_the_bits(const std::string& output) const {
        const auto ended = run(sampling("alone"));
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return run({"compare", path("alone"), path(output), "--deep"}).exit_code == 0;
    }
    const char* under_way = "ESS";
};

TEST_F(XpcsLossTest, SurvivorsOfALostRankSampleTheSameBits) {
    Program launched(joined({{"launch", "-n", "3", "--", program_path()}, sampling("out")}));
    ASSERT_TRUE(launched.wait_for(under_way));
    ::kill(ranks_of(launched.process()).at(1), SIGKILL);
    const auto ended = launched.end();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("lost rank 1"));
    EXPECT_TRUE(has_the_bits("out"));
}

TEST_F(XpcsLossTest, AnInterruptedSamplingGoesOnWithTheSameBits) {
    Program sampling_of(sampling("out"));
    ASSERT_TRUE(sampling_of.wait_for(under_way));
    ::kill(sampling_of.process(), SIGINT);
    const auto ended = sampling_of.end();
    EXPECT_EQ(ended.exit_code, 130) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("--resume goes on"));
    const auto resumed =
        run(joined({{"launch", "-n", "2", "--", program_path()}, sampling("out", {"--resume"})}));
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("goes on after round"));
    EXPECT_TRUE(has_the_bits("out"));
}

TEST_F(XpcsLossTest, AKilledSamplingGoesOnFromItsCheckpoint) {
    Program sampling_of(sampling("out", {"--checkpoint-minutes", "0.001"}));
    const auto latest = path("out/checkpoints/latest");
    for (int k = 0; k < 3000 && !std::filesystem::exists(latest); ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(sampling_of.process(), SIGKILL);
    EXPECT_NE(sampling_of.end().exit_code, 0);
    const auto resumed = run(sampling("out", {"--resume"}));
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("goes on after round"));
    EXPECT_TRUE(has_the_bits("out"));
}

TEST_F(XpcsLossTest, ACheckpointOfOtherOptionsIsRefused) {
    Program sampling_of(sampling("out"));
    ASSERT_TRUE(sampling_of.wait_for(under_way));
    ::kill(sampling_of.process(), SIGINT);
    EXPECT_EQ(sampling_of.end().exit_code, 130);
    const auto refused = run(sampling("out", {"--resume", "--seed", "7"}));
    EXPECT_EQ(refused.exit_code, 65) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("option"));
}

TEST_F(XpcsLossTest, APosteriorThatWouldTakeTooLongIsNotDrawn) {
    const auto ended = run(sampling("out", {"--time-limit", "0.001s"}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("--time-limit"));
    EXPECT_FALSE(std::filesystem::exists(path("out/posterior.json")));
    EXPECT_TRUE(std::filesystem::exists(path("out/fit.json")));
    const auto shards = run(sampling("shards", {"--time-limit", "0.001s", "--shards", "3"}));
    EXPECT_EQ(shards.exit_code, 0) << shards.err;
    EXPECT_THAT(shards.err, HasSubstr("drawn are shards, combined"));
    EXPECT_THAT(shards.out, HasSubstr("draws by shards"));
    EXPECT_EQ(run({"report", path("shards")}).exit_code, 0);
}

}  // namespace
}  // namespace lockstep::cli
