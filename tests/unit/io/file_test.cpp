#include "lockstep/io/file.hpp"

#include <csignal>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(FileTest, WritesAndReadsBytesUnchanged) {
    const TemporaryFolder folder;
    const std::string content("a\0b\r\n\xff", 6);

    write_file(folder / "x.bin", content);

    EXPECT_EQ(read_file(folder / "x.bin"), content);
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(FileTest, ReplacesAnOlderFileAndWritesAnEmptyOne) {
    const TemporaryFolder folder;
    write_file(folder / "x", "long old content");

    write_file(folder / "x", "");

    EXPECT_EQ(read_file(folder / "x"), "");
}

TEST(FileTest, MakesMissingFolders) {
    const TemporaryFolder folder;

    write_file(folder / "a/b/c.txt", "1");

    EXPECT_EQ(read_file(folder / "a/b/c.txt"), "1");
}

TEST(FileTest, ReadsFilesWhoseSizeTheSystemDoesNotTell) {
    EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Pid:"));
}

TEST(FileTest, RemovesWhatKilledWritersLeft) {
    const TemporaryFolder folder;
    const auto abandoned = [&](const std::string& name) {
        write_file(folder / name, "");
        fs::rename(folder / name, temporary_name(folder / name));
    };
    abandoned("table.parquet");
    abandoned("below/x.json");
    for (const auto* other : {"x.tmp-1-2", ".tmp-1-2", ".x.tmp-1", ".x.tmp-1-", ".x.tmp-1-2-3"}) {
        write_file(folder / other, "");
    }

    remove_temporaries(folder.path(), Subfolders::no);
    EXPECT_EQ(folder.entries(), 7U);
    EXPECT_FALSE(fs::is_empty(folder / "below"));
    remove_temporaries(folder.path(), Subfolders::yes);
    EXPECT_EQ(folder.entries(), 6U);
    EXPECT_TRUE(fs::is_empty(folder / "below"));
    remove_temporaries(folder / "nowhere", Subfolders::yes);
}

TEST(FileTest, MissingFileNamesPathAndReason) {
    const auto message = message_of<IoError>([] { read_file("/no/such/file.json"); });

    EXPECT_EQ(message, "cannot read /no/such/file.json: No such file or directory");
}

TEST(FileTest, ReadErrorsAndWriteErrorsHaveTheirExitCodes) {
    try {
        read_file("/no/such/file");
        FAIL();
    } catch (const IoError& error) {
        EXPECT_EQ(error.exit_code(), 66);
    }
    try {
        write_file("/proc/no/such/file", "x");
        FAIL();
    } catch (const IoError& error) {
        EXPECT_EQ(error.exit_code(), 74);
    }
}

TEST(FileTest, FolderInsteadOfFileIsRefusedBothWays) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "x");

    EXPECT_THAT(message_of<IoError>([&] { read_file(folder / "x"); }),
                AllOf(HasSubstr((folder / "x").string()), HasSubstr("Is a directory")));
    EXPECT_THAT(message_of<IoError>([&] { write_file(folder / "x", "1"); }),
                AllOf(HasSubstr((folder / "x").string()), HasSubstr("Is a directory")));
    EXPECT_EQ(folder.entries(), 1U);
}

/// Reading must be over before an alarm ends the test.
std::string refusal(const fs::path& path) {
    ::alarm(20);
    auto message = message_of<IoError>([&] { read_file(path); });
    ::alarm(0);
    return message;
}

TEST(FileTest, OnlyRegularFilesAreRead) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    fs::create_symlink("pipe", folder / "link");
    fs::create_symlink("/dev/zero", folder / "endless");
    fs::create_symlink("loop", folder / "loop");

    EXPECT_THAT(
        refusal(folder / "pipe"),
        AllOf(HasSubstr((folder / "pipe").string()), HasSubstr("a pipe, must be a regular")));
    EXPECT_THAT(refusal(folder / "link"), HasSubstr("it is a pipe"));
    EXPECT_THAT(refusal(folder / "endless"), HasSubstr("it is a device"));
    EXPECT_THAT(refusal(folder / "loop"), HasSubstr("Too many levels of symbolic links"));
    EXPECT_THAT(refusal("/dev/null"), HasSubstr("it is a device"));
}

TEST(FileTest, SizesAreBounded) {
    const TemporaryFolder folder;
    write_file(folder / "x", "12345");
    write_file(folder / "sparse", "");
    fs::resize_file(folder / "sparse", std::uintmax_t{1} << 42);

    EXPECT_EQ(read_file(folder / "x", 5), "12345");
    EXPECT_THAT(message_of<IoError>([&] { read_file(folder / "x", 4); }),
                HasSubstr("it has 5 bytes or more, at most 4 are allowed"));
    EXPECT_THAT(refusal(folder / "sparse"), HasSubstr("at most 4294967296 are allowed"));
    EXPECT_THAT(message_of<IoError>([] { read_file("/proc/self/status", 10); }),
                HasSubstr("at most 10 are allowed"));
}

TEST(FileTest, IsThereSeesLinksThatLeadNowhere) {
    const TemporaryFolder folder;
    fs::create_symlink("nowhere", folder / "link");
    write_file(folder / "x", "");

    EXPECT_TRUE(is_there(folder / "link"));
    EXPECT_TRUE(is_there(folder.path()));
    EXPECT_FALSE(is_there(folder / "nowhere"));
    EXPECT_FALSE(is_there(folder / "x/below"));
}

TEST(FileTest, FileInsteadOfFolderIsNamed) {
    const TemporaryFolder folder;
    write_file(folder / "x", "1");

    EXPECT_THAT(message_of<IoError>([&] { write_file(folder / "x/y/z.txt", "1"); }),
                HasSubstr((folder / "x").string() + " is not a folder"));
}

TEST(FileTest, ANameWithAZeroByteIsNoOtherFile) {
    const TemporaryFolder folder;
    write_file(folder / "x", "first");
    for (const auto& name : {std::string("x\0y", 3), std::string("\0", 1)}) {
        const auto path = folder / name;
        EXPECT_THAT([&] { write_file(path, "second"); },
                    ThrowsMessage<IoError>(HasSubstr("its name has a zero byte")));
        EXPECT_THAT([&] { read_file(path); },
                    ThrowsMessage<IoError>(HasSubstr("its name has a zero byte")));
        EXPECT_THAT([&] { make_folder(path); },
                    ThrowsMessage<IoError>(HasSubstr("its name has a zero byte")));
    }
    EXPECT_EQ(read_file(folder / "x"), "first");
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(FileTest, DeviceIsNotReplaced) {
    EXPECT_THAT(message_of<IoError>([] { write_file("/dev/null", "1"); }),
                HasSubstr("not a regular file"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(FileTest, TemporaryNamesAreHiddenBesideTheFileAndDiffer) {
    const fs::path first = temporary_name("out/x.parquet");
    const fs::path second = temporary_name("out/x.parquet");

    EXPECT_NE(first, second);
    EXPECT_EQ(first.parent_path(), "out");
    EXPECT_EQ(first.filename().string().front(), '.');
    EXPECT_LE(temporary_name(std::string(255, 'n')).string().size(), 255U);
}

TEST(FileTest, CommitRemovesTheTemporaryFileOnFailure) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "target");
    write_file(folder / "temporary", "1");

    EXPECT_THAT(message_of<IoError>([&] { commit_file(folder / "temporary", folder / "target"); }),
                HasSubstr("cannot write"));
    EXPECT_FALSE(fs::exists(folder / "temporary"));
}

TEST(FileTest, CommitOfAMissingTemporaryFileNamesTheReason) {
    const TemporaryFolder folder;

    EXPECT_THAT(message_of<IoError>([&] { commit_file(folder / "none", folder / "target"); }),
                HasSubstr("No such file or directory"));
}

TEST(FileTest, SeveralThreadsMayMakeTheSameFolder) {
    const TemporaryFolder folder;
    const auto write = [&](const char* name) { write_file(folder / "a/b/c" / name, name); };

    std::thread other(write, "1");
    write("2");
    other.join();

    EXPECT_EQ(read_file(folder / "a/b/c/1"), "1");
    EXPECT_EQ(read_file(folder / "a/b/c/2"), "2");
}

/// Runs `body` in a child process, so that limits and user ids do not outlive it.
/// @return its exit status, 0 when `body` returned true
template <typename Body>
int in_child(Body&& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        bool good = false;
        try {
            good = body();
        } catch (...) {
        }
        ::_exit(good ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FileTest, NoPermissionIsAnErrorWithItsReason) {
    const TemporaryFolder folder;
    write_file(folder / "secret", "1");
    fs::permissions(folder / "secret", fs::perms::none);
    fs::create_directory(folder / "closed");
    fs::permissions(folder / "closed", fs::perms::none);
    fs::permissions(folder.path(),
                    fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                        fs::perms::others_exec);

    const int status = in_child([&] {
        constexpr uid_t nobody = 65534;
        if (::geteuid() == 0 && ::setuid(nobody) != 0) {
            return false;
        }
        const auto reading = message_of<IoError>([&] { read_file(folder / "secret"); });
        const auto writing = message_of<IoError>([&] { write_file(folder / "new", "1"); });
        const auto looking = message_of<IoError>([&] { is_there(folder / "closed/x"); });
        return looking.find("Permission denied") != std::string::npos &&
               reading.find("Permission denied") != std::string::npos &&
               writing.find("Permission denied") != std::string::npos;
    });

    EXPECT_EQ(status, 0);
    fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(FileTest, SizeLimitLeavesTheOldFileAndNoTemporaryOne) {
    const TemporaryFolder folder;
    write_file(folder / "x", "old");

    const int status = in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const auto message =
            message_of<IoError>([&] { write_file(folder / "x", std::string(5000, 'x')); });
        return message.find("File too large") != std::string::npos;
    });

    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_file(folder / "x"), "old");
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(FileTest, FullDiskLeavesTheOldFileAndNoTemporaryOne) {
    const TemporaryFolder folder;
    if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
        GTEST_SKIP() << "a small file system cannot be mounted here";
    }
    write_file(folder / "x", "old");

    const auto message =
        message_of<IoError>([&] { write_file(folder / "x", std::string(1 << 20, 'x')); });

    EXPECT_THAT(message, HasSubstr("No space left on device"));
    EXPECT_EQ(read_file(folder / "x"), "old");
    EXPECT_EQ(folder.entries(), 1U);
    ::umount(folder.path().c_str());
}

}  // namespace
}  // namespace lockstep::io
