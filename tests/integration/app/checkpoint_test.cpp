#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "lockstep/io/file.hpp"

#include "integration/app/launched.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class CheckpointTest : public LaunchedTest {
protected:
    /// Nine iterations with a checkpoint after each third.
    void keep_three() const {
        const auto ended = run(job(9, {"--checkpoint-every", "3", "--quiet"}));
        ASSERT_EQ(ended.exit_code, 0) << ended.err;
    }
    [[nodiscard]] fs::path folder_of(int iteration) const {
        return checkpoints() / fmt::format("iteration-{:08}", iteration);
    }
    /// Resumes on three ranks.
    [[nodiscard]] Ended resume(int iterations, Words more = {}) const {
        more.insert(more.begin(), "--resume");
        return run(launch(3, job(iterations, more)));
    }
    static void expect_refusal(const Ended& ended, const std::string& reason) {
        EXPECT_EQ(ended.exit_code, 65);
        EXPECT_THAT(ended.err, HasSubstr(reason));
        EXPECT_EQ(count(ended.err, "checkpoint is "), 1) << ended.err;
        EXPECT_EQ(count(ended.err, "lockstep: "), 1) << ended.err;
    }
    static void flip_a_byte(const fs::path& file) {
        auto content = io::read_file(file);
        content[content.size() / 2] ^= 1;
        io::write_file(file, content);
    }
};

TEST_F(CheckpointTest, MoreIterationsFollow) {
    keep_three();

    const auto ended = resume(20);

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count(ended.err, "goes on after iteration 9 "), 1) << ended.err;
    EXPECT_TRUE(has_bits_of(20));
}

TEST_F(CheckpointTest, ThreadsIntervalsAndBackendsMayChange) {
    keep_three();

    const auto ended =
        run(launch(3, job(15, {"--resume", "--checkpoint-every", "5"}, 2), {"--backend", "tcp"}));

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_TRUE(has_bits_of(15));
}

TEST_F(CheckpointTest, RefusesAnotherCase) {
    keep_three();
    copy.edit("penalties.json", "1000", "1001");

    expect_refusal(resume(20), "another input (the case's files have changed)");
}

TEST_F(CheckpointTest, RefusesOtherOptions) {
    keep_three();

    const std::string reason = "another set of options (solver, --set or speed options differ)";
    expect_refusal(resume(20, {"--set", "training.selection.forward_passes=2"}), reason);
    expect_refusal(resume(20, {"--solver", "highs"}), reason);
    expect_refusal(resume(20, {"--no-lazy-cuts"}), reason);
}

TEST_F(CheckpointTest, PassesOverATornOne) {
    keep_three();
    fs::resize_file(folder_of(9) / "part-00001.bin", 10);

    const auto ended = resume(20);

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count(ended.err, "checkpoint of iteration 9 is damaged and passed over"), 1)
        << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("goes on after iteration 6 "));
    EXPECT_TRUE(has_bits_of(20));
}

TEST_F(CheckpointTest, PassesOverOneWhoseManifestIsMissing) {
    keep_three();
    fs::remove(folder_of(9) / "manifest.json");

    const auto ended = resume(20);

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("goes on after iteration 6 "));
    EXPECT_TRUE(has_bits_of(20));
}

TEST_F(CheckpointTest, SaysThatNoneIsWhole) {
    keep_three();
    for (const auto iteration : {3, 6}) {
        flip_a_byte(folder_of(iteration) / "part-00000.bin");
    }
    io::write_file(folder_of(9) / "manifest.json", "no JSON");

    const auto ended = resume(20);

    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_EQ(count(ended.err, "no checkpoint is whole"), 1) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("remove the directory to start anew"));
}

TEST_F(CheckpointTest, BeginsAnewWhereThereIsNone) {
    io::write_file(checkpoints() / "notes.txt", "mine");
    fs::create_directories(folder_of(9));

    const auto ended = resume(6);

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count(ended.err, "no checkpoint in "), 1) << ended.err;
    EXPECT_TRUE(fs::exists(checkpoints() / "notes.txt"));
    EXPECT_TRUE(has_bits_of(6));
}

TEST_F(CheckpointTest, RemovesWhatKilledWritersLeft) {
    keep_three();
    const auto abandoned = folder_of(9) / ".part-00000.bin.tmp-1-1";
    const auto table = fs::path(copy.output()) / "policy/cuts/.000.bin.tmp-1-2";
    io::write_file(abandoned, "");
    io::write_file(table, "");

    EXPECT_EQ(resume(10).exit_code, 0);

    EXPECT_FALSE(fs::exists(abandoned));
    EXPECT_FALSE(fs::exists(table));
}

/// A file system of a few kilobytes.
class SmallDisk {
public:
    explicit SmallDisk(fs::path folder) : folder_(std::move(folder)), is_mounted_(mount()) {}
    ~SmallDisk() {
        if (is_mounted_) {
            ::umount2(folder_.c_str(), MNT_DETACH);
        }
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    [[nodiscard]] bool is_mounted() const noexcept { return is_mounted_; }

private:
    [[nodiscard]] bool mount() const {
        io::make_folder(folder_);
        return ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=32k") == 0;
    }

    fs::path folder_;
    bool is_mounted_;
};

TEST_F(CheckpointTest, AFullDiskEndsNoRun) {
    const SmallDisk disk(checkpoints());
    if (!disk.is_mounted()) {
        GTEST_SKIP() << "a small file system cannot be mounted here";
    }

    const auto ended = run(launch(2, job(60, {"--checkpoint-every", "5"})));

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("was not written"), HasSubstr("the one before stays")));
    EXPECT_TRUE(has_bits_of(60));
    EXPECT_EQ(resume(70).exit_code, 0) << "from the last one for which there was room";
    EXPECT_TRUE(has_bits_of(70));
}

}  // namespace
}  // namespace lockstep::cli
