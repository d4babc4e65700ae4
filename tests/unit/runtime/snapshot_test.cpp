#include "lockstep/runtime/snapshot.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "runtime/snapshot_manifest.hpp"

namespace lockstep::runtime {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<std::byte> content(std::int64_t iteration, int part) {
    const auto text =
        std::to_string(iteration) + " " + std::string(100, static_cast<char>('a' + part));
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

class SnapshotTest : public testing::Test {
protected:
    SnapshotTest() {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::temp_directory_path() /
                  ("lockstep-snapshot-" + std::string(info->name()) + std::to_string(getpid()));
        fs::remove_all(folder_);
    }
    ~SnapshotTest() override { fs::remove_all(folder_); }

    [[nodiscard]] SnapshotStore store(SnapshotKey key = {"sddp", {1, 2}, {3, 4}}) const {
        return {folder_, std::move(key)};
    }
    bool save(std::int64_t iteration, int ranks = 1) {
        bool saved = false;
        comm::run_in_process(ranks, [&](comm::Communicator& communicator) {
            std::string problem;
            const bool mine = store().save(
                communicator,
                iteration,
                5,
                [&](int part) { return content(iteration, part); },
                problem);
            if (communicator.rank() == 0) {
                saved = mine;
                problem_ = problem;
            }
        });
        return saved;
    }
    [[nodiscard]] fs::path part(std::int64_t iteration, int index) const {
        return folder_ / folder_name(iteration) / ("part-0000" + std::to_string(index) + ".bin");
    }
    [[nodiscard]] std::int64_t loaded() {
        passed_over_.clear();
        const auto snapshot = store().load(*alone_, passed_over_);
        return snapshot ? snapshot->iteration() : -1;
    }
    std::string refusal(const SnapshotKey& key) {
        try {
            std::vector<std::string> passed_over;
            static_cast<void>(store(key).load(*alone_, passed_over));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

    fs::path folder_;
    std::unique_ptr<comm::Communicator> alone_ = comm::make_local();
    std::vector<std::string> passed_over_;
    std::string problem_;
};

TEST_F(SnapshotTest, GivesBackWhatAnyNumberOfRanksSaved) {
    for (const int ranks : {1, 2, 3, 7}) {
        ASSERT_TRUE(save(ranks, ranks));
        std::vector<std::string> passed_over;
        const auto snapshot = store().load(*alone_, passed_over);
        ASSERT_TRUE(snapshot);
        EXPECT_EQ(snapshot->iteration(), ranks);
        ASSERT_EQ(snapshot->parts(), 5);
        for (int index = 0; index < 5; ++index) {
            EXPECT_EQ(snapshot->part(index), content(ranks, index));
        }
        EXPECT_TRUE(passed_over.empty());
    }
}

TEST_F(SnapshotTest, KeepsTheNewestThreeAndNoTemporaryFile) {
    for (const int iteration : {1, 2, 3, 4, 5}) {
        ASSERT_TRUE(save(iteration));
    }
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
        names.push_back(entry.path().filename());
    }
    EXPECT_THAT(
        names,
        testing::UnorderedElementsAre(folder_name(3), folder_name(4), folder_name(5), "latest"));
    EXPECT_EQ(fs::read_symlink(folder_ / "latest"), folder_name(5));
}

TEST_F(SnapshotTest, FindsNothingWhereNothingIs) {
    EXPECT_EQ(loaded(), -1);
    fs::create_directories(folder_ / "iteration-x");
    EXPECT_EQ(loaded(), -1);
}

TEST_F(SnapshotTest, PassesOverATornPart) {
    save(1);
    save(2);
    fs::resize_file(part(2, 3), 10);
    EXPECT_EQ(loaded(), 1);
    ASSERT_EQ(passed_over_.size(), 1u);
    EXPECT_THAT(passed_over_[0], HasSubstr("iteration 2 is damaged"));
}

TEST_F(SnapshotTest, PassesOverAFlippedByte) {
    save(1);
    save(2);
    std::fstream file(part(2, 0), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(7);
    file.put('!');
    file.close();
    EXPECT_EQ(loaded(), 1);
}

TEST_F(SnapshotTest, PassesOverAMissingPart) {
    save(1);
    save(2);
    fs::remove(part(2, 4));
    EXPECT_EQ(loaded(), 1);
}

// The collectives of a save: all parts are written; their digests; the manifest is written.
TEST_F(SnapshotTest, PassesOverAPipeInThePlaceOfAPart) {
    ASSERT_TRUE(save(1));
    ASSERT_TRUE(save(2));
    fs::remove(part(2, 3));
    ASSERT_EQ(::mkfifo(part(2, 3).c_str(), 0600), 0);

    EXPECT_EQ(loaded(), 1);
    ASSERT_EQ(passed_over_.size(), 1u);
    EXPECT_THAT(passed_over_.front(), HasSubstr("it is a pipe, must be a regular file"));
}

TEST_F(SnapshotTest, PassesOverAPartOfAnotherSizeWithoutReadingIt) {
    ASSERT_TRUE(save(1));
    ASSERT_TRUE(save(2));
    fs::resize_file(part(2, 3), std::uintmax_t{1} << 40);

    EXPECT_EQ(loaded(), 1);
    EXPECT_THAT(passed_over_.front(), HasSubstr("are allowed"));
}

TEST_F(SnapshotTest, PassesOverAManifestOfAnotherFolder) {
    ASSERT_TRUE(save(1));
    ASSERT_TRUE(save(2));
    fs::rename(folder_ / folder_name(2), folder_ / folder_name(3));

    EXPECT_EQ(loaded(), 1);
    EXPECT_THAT(passed_over_.front(), HasSubstr("\"iteration\" is 2, its folder says 3"));
}

TEST_F(SnapshotTest, ADirectoryThatCannotBeReadIsNotAnEmptyOne) {
    io::write_file(folder_, "");

    EXPECT_THROW(static_cast<void>(loaded()), IoError);
}

TEST_F(SnapshotTest, IsWholeOrNotThereWhereverARankDiesInIt) {
    for (int victim = 0; victim < 3; ++victim) {
        for (std::int64_t last = 0; last < 3; ++last) {
            fs::remove_all(folder_);
            ASSERT_TRUE(save(1, 3));
            EXPECT_THROW(
                comm::run_in_process(
                    3,
                    [&](comm::Communicator& communicator) {
                        std::string problem;
                        store().save(
                            communicator, 2, 5, [](int part) { return content(2, part); }, problem);
                    },
                    [&](int rank, std::int64_t call) { return rank == victim && call == last; }),
                comm::PeerFailed);

            EXPECT_TRUE(fs::exists(part(2, 0)));
            EXPECT_EQ(loaded(), last < 2 ? 1 : 2) << "rank " << victim << " in " << last;
            EXPECT_TRUE(passed_over_.empty());
        }
    }
}

TEST_F(SnapshotTest, RanksFindTogetherThatAPartIsDamaged) {
    save(1);
    save(2);
    for (int damaged = 0; damaged < 5; ++damaged) {
        const auto whole = io::read_file(part(2, damaged));
        fs::resize_file(part(2, damaged), 10);
        comm::run_in_process(3, [&](comm::Communicator& ranks) {
            std::vector<std::string> passed_over;
            const auto snapshot = store().load(ranks, passed_over);
            ASSERT_TRUE(snapshot);
            EXPECT_EQ(snapshot->iteration(), 1);
            ASSERT_EQ(passed_over.size(), 1u);
            EXPECT_THAT(passed_over[0], HasSubstr("part-0000" + std::to_string(damaged)));
        });
        io::write_file(part(2, damaged), whole);
    }
}

TEST_F(SnapshotTest, RefusesRanksThatSeeDifferentDirectories) {
    save(1);
    const auto elsewhere = folder_ / "elsewhere";
    comm::run_in_process(2, [&](comm::Communicator& ranks) {
        const SnapshotStore own(ranks.rank() == 0 ? folder_ : elsewhere, {"sddp", {1, 2}, {3, 4}});
        std::vector<std::string> passed_over;
        EXPECT_THROW(static_cast<void>(own.load(ranks, passed_over)), InputError);
    });
}

TEST_F(SnapshotTest, DoesNotSeeASnapshotWithoutManifest) {
    save(1);
    save(2);
    fs::remove(folder_ / folder_name(2) / manifest_name);
    EXPECT_EQ(loaded(), 1);
    EXPECT_TRUE(passed_over_.empty());
}

TEST_F(SnapshotTest, SaysWhenNoneIsWhole) {
    save(1);
    fs::resize_file(part(1, 0), 1);
    EXPECT_THAT(refusal({"sddp", {1, 2}, {3, 4}}), HasSubstr("no checkpoint is whole"));
}

TEST_F(SnapshotTest, RefusesWhatBelongsToSomethingElse) {
    save(1);
    EXPECT_EQ(refusal({"sddp", {1, 2}, {3, 4}}), "");
    EXPECT_THAT(refusal({"rl", {1, 2}, {3, 4}}), HasSubstr("is of engine sddp"));
    EXPECT_THAT(refusal({"sddp", {1, 3}, {3, 4}}), HasSubstr("another input"));
    EXPECT_THAT(refusal({"sddp", {1, 2}, {3, 5}}), HasSubstr("another set of options"));
}

TEST_F(SnapshotTest, RefusesAnotherFormatVersionAndAnotherProgram) {
    save(1);
    const auto file = folder_ / folder_name(1) / manifest_name;
    const auto text = io::read_file(file);
    const auto change = [&](const std::string& from, const std::string& to) {
        auto changed = text;
        changed.replace(changed.find(from), from.size(), to);
        io::write_file(file, sealed(io::parse_json(changed, "manifest")));
    };
    change("\"format_version\": 5", "\"format_version\": 9");
    EXPECT_THAT(refusal({"sddp", {1, 2}, {3, 4}}), HasSubstr("format version 9"));
    change("\"build\": \"lockstep", "\"build\": \"otherstep");
    EXPECT_THAT(refusal({"sddp", {1, 2}, {3, 4}}), HasSubstr("another program (otherstep"));
}

// As versions 1 and 2 wrote it.
TEST_F(SnapshotTest, RefusesAnEarlierVersionThatHadNoSeal) {
    save(1);
    const auto file = folder_ / folder_name(1) / manifest_name;
    io::write_file(file, R"({"format_version": 2, "build": "lockstep 0.1.0"})");
    EXPECT_THAT(refusal({"sddp", {1, 2}, {3, 4}}), HasSubstr("format version 2"));
}

// A difference would be told to somebody who has changed nothing, and end the run.
TEST_F(SnapshotTest, TakesNoFlippedBitOfAManifestForADifference) {
    save(1);
    save(2);
    const auto file = folder_ / folder_name(2) / manifest_name;
    const auto text = io::read_file(file);
    for (std::size_t byte = 0; byte < text.size(); ++byte) {
        auto changed = text;
        changed[byte] = static_cast<char>(changed[byte] ^ (1 << byte % 8));
        std::ofstream(file, std::ios::binary) << changed;
        const auto iteration = loaded();
        // White space says nothing.
        ASSERT_TRUE(iteration == 1 || (iteration == 2 && std::isspace(text[byte]) != 0))
            << "byte " << byte << ": " << iteration;
    }
}

TEST_F(SnapshotTest, LeavesWhatOthersPutIntoItsFolders) {
    save(1);
    io::write_file(folder_ / folder_name(1) / "notes.txt", "of a user");
    fs::create_directories(folder_ / folder_name(1) / "part-of-a-user.bin");
    for (int iteration = 2; iteration <= 5; ++iteration) {
        save(iteration);
    }
    EXPECT_EQ(io::read_file(folder_ / folder_name(1) / "notes.txt"), "of a user");
    EXPECT_TRUE(fs::exists(folder_ / folder_name(1) / "part-of-a-user.bin"));
    EXPECT_FALSE(fs::exists(part(1, 0)));
    EXPECT_FALSE(fs::exists(folder_ / folder_name(2)));
}

TEST_F(SnapshotTest, TellsWhyItCouldNotSaveAndLeavesTheOneBefore) {
    ASSERT_TRUE(save(1, 2));
    std::ofstream(folder_ / folder_name(2)) << "a file where the folder must go";
    EXPECT_FALSE(save(2, 2));
    EXPECT_THAT(problem_, HasSubstr(folder_name(2)));
    fs::remove(folder_ / folder_name(2));
    EXPECT_EQ(loaded(), 1);
}

TEST_F(SnapshotTest, LeavesNoPartsOfOneThatItCouldNotSave) {
    fs::create_directories(part(2, 4));  // a folder where the last rank's file must go
    EXPECT_FALSE(save(2, 2));
    EXPECT_FALSE(fs::exists(folder_ / folder_name(2)));
}

TEST(SnapshotManifestTest, RefusesWhatIsNoManifest) {
    for (const std::string text : {"",
                                   "{}",
                                   "[1]",
                                   "{\"format_version\": \"1\"}",
                                   "{\"format_version\": 4, \"build\": 3}"}) {
        EXPECT_THROW(parse_manifest(text, "m.json"), InputError) << text;
    }
}

TEST(SnapshotManifestTest, RefusesMoreRanksThanThereCanBe) {
    Manifest manifest;
    manifest.ranks = 7;
    auto text = to_text(manifest);
    EXPECT_EQ(parse_manifest(text, "m.json").ranks, 7);
    text.replace(text.find("\"ranks\": 7"), 10, "\"ranks\": 4294967303");
    try {
        parse_manifest(text, "m.json");
        ADD_FAILURE() << "a manifest of 4294967303 ranks";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "m.json: \"ranks\" must be a number of processes");
    }
}

TEST(SnapshotManifestTest, NamesOnlyItsOwnFolders) {
    EXPECT_EQ(iteration_of_folder(folder_name(12)), 12);
    for (const auto* name : {"iteration-", "iteration-12", "latest", "iteration-0000000x"}) {
        EXPECT_FALSE(iteration_of_folder(name)) << name;
    }
}

}  // namespace
}  // namespace lockstep::runtime
