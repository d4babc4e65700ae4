#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"

#include "integration/app/first_sample.hpp"
#include "integration/app/program.hpp"
#include "integration/app/ranks_of.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

/// A series of scans and the configuration of all.
class XpcsBatchCliTest : public FirstSampleTest {
protected:
    void SetUp() override {
        FirstSampleTest::SetUp();
        for (const auto* number : {"1", "2", "10"}) {
            ASSERT_EQ(run({"xpcs",
                           "simulate",
                           config(),
                           "-o",
                           path("scans/scan_" + std::string(number) + ".h5"),
                           "--frames",
                           "32",
                           "--seed",
                           number})
                          .exit_code,
                      0);
        }
        io::write_file(path("scans/scan_3.h5"), "no HDF5 at all");
    }
    [[nodiscard]] Words batch(const std::string& output, const Words& more = {}) const {
        Words words = {"xpcs",
                       "batch",
                       "--config",
                       config(),
                       path("scans"),
                       "-o",
                       path(output),
                       "--n-samples",
                       "100",
                       "-t",
                       "1"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
};

TEST_F(XpcsBatchCliTest, FitsASeriesAndTellsWhatFailed) {
    const auto ended = run(batch("out"));

    EXPECT_EQ(ended.exit_code, 1) << ended.err;
    for (const auto* text : {"scan_1: D0 ", "scan_3: failed: ", "(4 of 4)"}) {
        EXPECT_THAT(ended.err, HasSubstr(text));
    }
    EXPECT_THAT(ended.err, Not(HasSubstr("iteration")));  // one line a dataset
    EXPECT_LT(ended.out.find("scan_2"), ended.out.find("scan_10"));
    for (const auto* file : {"batch.json", "timeline.json", "report.html", "scan_10/fit.json"}) {
        EXPECT_TRUE(fs::exists(path("out/") + file)) << file;
    }
    EXPECT_EQ(run({"xpcs", "summary", path("out")}).out, ended.out);
    EXPECT_EQ(run({"report", path("out")}).exit_code, 0);
    EXPECT_EQ(run({"report", path("out/scan_2")}).exit_code, 0);

    ASSERT_EQ(run({"xpcs",
                   "run",
                   config(),
                   "--data-file",
                   path("scans/scan_2.h5"),
                   "-o",
                   path("alone"),
                   "--n-samples",
                   "100",
                   "-q"})
                  .exit_code,
              0);
    EXPECT_EQ(run({"compare", path("alone"), path("out/scan_2"), "--deep"}).exit_code, 0);

    fs::remove(path("scans/scan_3.h5"));
    const auto resumed = run(batch("out", {"--resume"}));
    EXPECT_EQ(resumed.exit_code, 0);
    EXPECT_THAT(resumed.err, HasSubstr("3 kept from before"));
}

TEST_F(XpcsBatchCliTest, RanksGiveTheSameBits) {
    auto words = batch("two");
    words.insert(words.begin(), {"launch", "-n", "2", "--", program_path()});
    const auto launched = run(words);
    EXPECT_EQ(launched.exit_code, 1) << launched.err;
    EXPECT_THAT(launched.err, HasSubstr("(4 of 4)"));  // of other ranks too
    EXPECT_EQ(run(batch("one")).exit_code, 1);
    for (const auto* name : {"", "/scan_1", "/scan_2", "/scan_10"}) {
        EXPECT_EQ(run({"compare", path("one") + name, path("two") + name}).exit_code, 0) << name;
    }
}

TEST_F(XpcsBatchCliTest, ALostRankLeavesItsDatasetsToTheOthers) {
    auto words = batch("two", {"--sampler", "nuts", "--n-warmup", "2000"});
    words.insert(words.begin(), {"launch", "-n", "3", "--", program_path()});
    Program launched(words);
    ASSERT_TRUE(launched.wait_for("scan_3: failed"));
    ::kill(ranks_of(launched.process()).at(2), SIGKILL);
    const auto ended = launched.end();
    EXPECT_EQ(ended.exit_code, 1) << ended.err;
    for (const auto* text :
         {"lost rank 2", "scan_1: D0 ", "scan_2: D0 ", "scan_10: D0 ", "(4 of 4)"}) {
        EXPECT_THAT(ended.err, HasSubstr(text));
    }
    for (const auto* scan : {"scan_1", "scan_2", "scan_10"}) {
        EXPECT_TRUE(fs::exists(path("two/") + scan + "/posterior.json")) << scan;
    }
}

TEST_F(XpcsBatchCliTest, CtrlCLeavesWhatAResumeCompletes) {
    const Words slow = {"--sampler", "nuts", "--n-chains", "4", "--n-warmup", "2000"};
    Program program(batch("out", slow));
    ASSERT_TRUE(program.wait_for("datasets"));
    ASSERT_TRUE(program.wait_for("scan_3: failed"));
    ::kill(program.process(), SIGINT);
    const auto ended = program.end();
    EXPECT_EQ(ended.exit_code, 130) << ended.err;
    EXPECT_THAT(io::read_file(path("out/batch.json")), HasSubstr("ended_early"));

    auto words = batch("out", slow);
    words.push_back("--resume");
    EXPECT_EQ(run(words).exit_code, 1);
    EXPECT_EQ(run(batch("whole", slow)).exit_code, 1);
    for (const auto* name : {"/scan_1", "/scan_2", "/scan_10"}) {
        EXPECT_EQ(run({"compare", path("out") + name, path("whole") + name}).exit_code, 0) << name;
    }
}

TEST_F(XpcsBatchCliTest, SaysInOneSentenceWhatIsWrong) {
    const auto expect = [&](const Words& words, int exit_code, const std::string& text) {
        Words all = {"xpcs", "batch", "-o", path("nothing")};
        all.insert(all.end(), words.begin(), words.end());
        const auto ended = run(all);
        EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
        EXPECT_THAT(ended.err, HasSubstr(text));
        EXPECT_FALSE(fs::exists(path("nothing")));
    };
    expect({"--config", config(), path("gone.h5")}, 66, "gone.h5: no such file or folder");
    expect({"--config", config(), path("*.nxs")}, 65, "no file matches the pattern");
    expect({"--config", path("gone.yaml"), path("scans")}, 66, "gone.yaml");
    expect({path("scans")}, 65, "name theirs with --config");
    expect({"--config", config()}, 64, "DATA");
    expect({"--config", config(), path("scans"), "--ahead", "-1"}, 64, "--ahead");
}

}  // namespace
}  // namespace lockstep::cli
