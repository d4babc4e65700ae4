#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/comm/launch.hpp"

#include "comm/shm/room.hpp"
#include "comm/shm/segment.hpp"

namespace lockstep::comm {
namespace {

namespace fs = std::filesystem;

// As lockstep launch names a run, and as a room names what its ranks share.
std::string name_of_run(int number) {
    return fmt::format("/lockstep-{}-{:012x}", getpid(), number);
}
std::string name_of_region(int number) {
    return fmt::format("/of-a-user-{}.{:016x}.r{}", getpid(), number, number);
}

fs::path file_of(const std::string& name) {
    return "/dev/shm" + name;
}

/// A process that has run a body and lives on until the end of the test.
class Maker {
public:
    explicit Maker(const std::function<void()>& body) {
        int ends[2] = {};
        EXPECT_EQ(::pipe(ends), 0);
        process_ = ::fork();
        if (process_ == 0) {
            body();
            EXPECT_EQ(::write(ends[1], "", 1), 1);
            ::pause();
            ::_exit(0);
        }
        char made = 0;
        EXPECT_EQ(::read(ends[0], &made, 1), 1);
        ::close(ends[0]);
        ::close(ends[1]);
    }
    ~Maker() { kill(); }
    Maker(const Maker&) = delete;
    Maker& operator=(const Maker&) = delete;

    void kill() {
        if (process_ == 0) {
            return;
        }
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        process_ = 0;
    }

private:
    pid_t process_ = 0;
};

void expect_to_go_with_its_maker(const std::string& name, const std::function<void()>& make) {
    Maker maker(make);
    remove_abandoned_memory();
    EXPECT_TRUE(fs::exists(file_of(name))) << "its maker lives";

    maker.kill();
    EXPECT_TRUE(fs::exists(file_of(name)));
    remove_abandoned_memory();
    EXPECT_FALSE(fs::exists(file_of(name)));
}

TEST(ShmAbandonedTest, TakesAwayWhatADeadProcessLeft) {
    for (const auto& name : {name_of_run(1), name_of_region(1)}) {
        expect_to_go_with_its_maker(name,
                                    [&] { static auto kept = ShmSegment::create(name, 4096); });
    }
}

// Whatever a user has called it.
TEST(ShmAbandonedTest, KnowsARoomByWhatItHolds) {
    const auto name = fmt::format("/a-run-{}", getpid());
    expect_to_go_with_its_maker(name, [&] { static auto kept = ShmRoom::create(name, {2, 4096}); });
}

TEST(ShmAbandonedTest, LeavesAloneWhatThisProgramHasNotMade) {
    const auto notes = fmt::format("/lockstep-notes-{}", getpid());
    const auto readable = name_of_run(2);
    for (const auto& name : {notes, readable}) {
        std::ofstream(file_of(name)) << "of a user";
    }
    ASSERT_EQ(::chmod(file_of(notes).c_str(), 0600), 0);
    ASSERT_EQ(::chmod(file_of(readable).c_str(), 0644), 0);

    remove_abandoned_memory();

    for (const auto& name : {notes, readable}) {
        EXPECT_TRUE(fs::remove(file_of(name))) << name;
    }
}

// A lock is no descriptor that a run of many regions would run out of.
TEST(ShmAbandonedTest, WhatIsMappedIsInUse) {
    const auto name = name_of_run(3);
    auto segment = ShmSegment::create(name, 4096);
    remove_abandoned_memory();
    EXPECT_TRUE(fs::exists(file_of(name)));

    segment.reset();
    remove_abandoned_memory();
    EXPECT_FALSE(fs::exists(file_of(name)));
}

}  // namespace
}  // namespace lockstep::comm
