// Acceptance of reinforcement learning, rows 8 and 10, by the program (docs/rl/acceptance.md).

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/file.hpp"

#include "integration/app/program.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

class RlAcceptanceTest : public testing::Test {
protected:
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] Ended train(const std::string& output,
                              const std::string& steps,
                              const Words& more = {}) const {
        Words words = {
            "rl", "train", "FrozenLake", "--steps", steps, "--checkpoint-frequency", "1"};
        words.insert(words.end(), {"-o", path(output), "-t", "1"});
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    [[nodiscard]] std::vector<std::string> checkpoints(const std::string& output) const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(path(output + "/checkpoints"))) {
            if (!entry.is_symlink()) {
                names.push_back(entry.path().filename());
            }
        }
        std::sort(names.begin(), names.end());
        return names;
    }
    [[nodiscard]] std::string table(const std::string& output) const {
        return io::read_file(path(output + "/training/q_table.npy"));
    }

private:
    app::TemporaryFolder folder_;
};

using AcceptanceRow8 = RlAcceptanceTest;

TEST_F(AcceptanceRow8, ThreeCheckpointsAreKept) {
    ASSERT_EQ(train("out", "1600000").exit_code, 0);
    EXPECT_THAT(checkpoints("out"),
                ElementsAre("iteration-00000008", "iteration-00000009", "iteration-00000010"));
}

// A power cut leaves parts of what was being written: whichever of its files is cut wherever, the
// run goes on from the one before, says so, and ends with the bits of one that was never cut.
TEST_F(AcceptanceRow8, AnySnapshotThatWasCutIsPassedOver) {
    ASSERT_EQ(train("whole", "1600000").exit_code, 0);
    ASSERT_EQ(train("part", "800000").exit_code, 0);
    const auto newest = checkpoints("part").back();
    const auto folder = fs::path(path("part")) / "checkpoints" / newest;
    int cuts = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        for (const double share : {0.0, 0.5, 0.999}) {
            const auto name = "cut" + std::to_string(++cuts);
            fs::copy(path("part"),
                     path(name),
                     fs::copy_options::recursive | fs::copy_options::copy_symlinks);
            const auto file =
                fs::path(path(name)) / "checkpoints" / newest / entry.path().filename();
            fs::resize_file(
                file,
                static_cast<std::uintmax_t>(share * static_cast<double>(fs::file_size(file))));
            const auto resumed = train(name, "1600000", {"--resume"});
            EXPECT_EQ(resumed.exit_code, 0) << file << resumed.err;
            EXPECT_THAT(resumed.err, HasSubstr(newest)) << file;
            EXPECT_EQ(table(name), table("whole")) << file;
        }
    }
    EXPECT_GE(cuts, 9);
}

using AcceptanceRow10 = RlAcceptanceTest;

TEST_F(AcceptanceRow10, AWrongStateSizeIsTold) {
    const auto ended = train("out", "1000", {"--state-size", "17"});
    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_THAT(ended.err,
                AllOf(HasSubstr("state_size is 17"), HasSubstr("give 16 or leave the option out")));
    EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(AcceptanceRow10, AMissingMaskIsTold) {
    const auto model = path("model.json");
    io::write_file(model,
                   R"({"format": "lockstep-mdp", "version": 1, "states": 2, "actions": 1,
                       "rows": [{"s": 0, "a": 0, "p": 1, "next": 1, "reward": 0}]})");
    const auto ended = run({"rl", "train", model, "-o", path("out")});
    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("model.json:2"), HasSubstr("state 1")));
    EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace lockstep::cli
