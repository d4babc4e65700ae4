#include "lockstep/io/spool.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

std::string text_of(const std::vector<std::byte>& bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
        text += static_cast<char>(byte);
    }
    return text;
}

fs::path only_file(const TemporaryFolder& folder) {
    return fs::directory_iterator(folder.path())->path();
}

TEST(SpoolTest, RecordsOfSeveralWritersAreReadByNumber) {
    const TemporaryFolder folder;
    Spool a(folder.path());
    Spool b(folder.path());
    const std::string long_text(100000, 'x');
    a.append(3, bytes_of("three"));
    b.append(0, bytes_of(long_text));
    a.append(7, bytes_of(""));
    b.append(3, bytes_of("three"));
    a.sync();

    const SpooledRecords records(folder.path());

    EXPECT_EQ(text_of(records.read(3)), "three");
    EXPECT_EQ(text_of(records.read(0)), long_text);
    EXPECT_EQ(text_of(records.read(7)), "");
    EXPECT_THAT(message_of<IoError>([&] { static_cast<void>(records.read(1)); }),
                HasSubstr("no rank left the whole of record 1"));
}

TEST(SpoolTest, ATornRecordIsNotThere) {
    const TemporaryFolder folder;
    Spool spool(folder.path());
    spool.append(0, bytes_of("zero"));
    spool.append(1, bytes_of(std::string(1000, 'a') + "one"));
    const fs::path file = only_file(folder);

    for (const std::uintmax_t lost : {1U, 20U, 30U}) {
        fs::resize_file(file, fs::file_size(file) - lost);
        const SpooledRecords records(folder.path());
        EXPECT_EQ(text_of(records.read(0)), "zero");
        EXPECT_THROW(static_cast<void>(records.read(1)), IoError) << lost;
    }
}

TEST(SpoolTest, AFlippedByteIsFoundAndAWholeCopyTaken) {
    const TemporaryFolder folder;
    { const Spool first(folder.path()); }
    Spool spool(folder.path());
    spool.append(5, bytes_of("five"));
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        std::string content = read_file(entry.path());
        if (!content.empty()) {
            content.back() = static_cast<char>(content.back() ^ 1);
            write_file(entry.path(), content);
        }
    }
    EXPECT_THROW(static_cast<void>(SpooledRecords(folder.path()).read(5)), IoError);

    Spool again(folder.path());
    again.append(5, bytes_of("five"));
    EXPECT_EQ(text_of(SpooledRecords(folder.path()).read(5)), "five");
}

TEST(SpoolTest, FilesGoOnRequestOrWithOtherTemporaryOnes) {
    const TemporaryFolder folder;
    Spool spool(folder.path() / "below");
    spool.append(1, bytes_of("x"));
    SpooledRecords records(folder.path() / "below");
    records.remove();
    EXPECT_TRUE(fs::is_empty(folder.path() / "below"));

    Spool left(folder.path());
    left.append(1, bytes_of("x"));
    remove_temporaries(folder.path(), Subfolders::no);
    EXPECT_EQ(folder.entries(), 1U);
}

}  // namespace
}  // namespace lockstep::io
