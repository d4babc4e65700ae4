#include "lockstep/io/scratch_file.hpp"

#include <cstddef>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

using testing::HasSubstr;

TEST(ScratchFileTest, TwoThatHaveItOpenShareBytes) {
    const TemporaryFolder folder;
    const auto mine = ScratchFile::create(folder / "new", 10'000);
    const auto theirs = ScratchFile::open(mine->path());
    ASSERT_EQ(mine->bytes().size(), 10'000);
    ASSERT_EQ(theirs->bytes().size(), 10'000);
    EXPECT_EQ(theirs->bytes()[9'999], std::byte{0});
    mine->bytes()[9'999] = std::byte{7};
    EXPECT_EQ(theirs->bytes()[9'999], std::byte{7});
}

TEST(ScratchFileTest, BytesStayWithoutTheName) {
    const TemporaryFolder folder;
    const auto file = ScratchFile::create(folder.path(), 100);
    file->bytes()[3] = std::byte{1};
    file->remove_name();
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    EXPECT_EQ(file->bytes()[3], std::byte{1});
    EXPECT_THROW(ScratchFile::open(file->path()), IoError);
}

TEST(ScratchFileTest, ItsEndTakesTheNameAway) {
    const TemporaryFolder folder;
    { const auto file = ScratchFile::create(folder.path(), 100); }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ScratchFileTest, RefusesMoreThanTheDiskHas) {
    const TemporaryFolder folder;
    const std::size_t too_much = std::size_t{1} << 60;
    try {
        (void)ScratchFile::create(folder.path(), too_much);
        FAIL() << "there was room for 2^60 bytes";
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), HasSubstr("no room for 1152921504606846976 bytes in "));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace lockstep::io
