#include "lockstep/runtime/async_writer.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What was written, by whom, and what was told of it.
class AsyncWriterTest : public testing::Test {
protected:
    AsyncWriter::Options options() {
        AsyncWriter::Options options;
        options.notice = [this](const std::string& text) {
            EXPECT_EQ(std::this_thread::get_id(), caller_);
            notices_.push_back(text);
        };
        return options;
    }
    std::function<void()> write(const std::string& what) {
        return [this, what] {
            written_.push_back(what);
            by_caller_ += std::this_thread::get_id() == caller_ ? 1 : 0;
        };
    }

    const std::thread::id caller_ = std::this_thread::get_id();
    std::vector<std::string> written_;
    int by_caller_ = 0;
    std::vector<std::string> notices_;
};

TEST_F(AsyncWriterTest, WritesInOrderOnAThreadOfItsOwn) {
    AsyncWriter writer(options());
    for (const auto* what : {"a", "b", "c", "d", "e"}) {
        writer.write(what, write(what));
    }

    EXPECT_THAT(writer.finish(), IsEmpty());

    EXPECT_THAT(written_, ElementsAre("a", "b", "c", "d", "e"));
    EXPECT_EQ(by_caller_, 0);
    EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(AsyncWriterTest, KeepsFailuresWithTheirNamesAndGoesOn) {
    AsyncWriter writer(options());
    writer.write("a", write("a"));
    writer.write("b.json", [] { throw std::runtime_error("the disk is full"); });
    writer.write("c", [] { throw 3; });
    writer.write("d", write("d"));

    const auto failures = writer.finish();

    ASSERT_EQ(failures.size(), 2U);
    EXPECT_EQ(failures[0].what, "b.json");
    EXPECT_EQ(failures[0].message, "the disk is full");
    EXPECT_EQ(failures[1].what, "c");
    EXPECT_THAT(written_, ElementsAre("a", "d"));
}

TEST_F(AsyncWriterTest, ACallerWithMoreThanTheRoomWaits) {
    std::atomic<bool> may_go = false;
    std::atomic<int> queued = 0;
    AsyncWriter writer({.capacity = 1});
    std::thread caller([&] {
        for (int k = 0; k < 4; ++k) {
            writer.write("x", [&] {
                while (!may_go) {
                    std::this_thread::yield();
                }
            });
            ++queued;
        }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_LE(queued, 2);  // one that is written, one that waits
    may_go = true;
    caller.join();
    EXPECT_THAT(writer.finish(), IsEmpty());
    EXPECT_EQ(queued, 4);
}

TEST_F(AsyncWriterTest, WithoutAThreadTheCallerWrites) {
    auto how = options();
    how.start = [](auto) -> std::thread {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    };
    AsyncWriter writer(std::move(how));
    writer.write("a", write("a"));
    writer.write("b", [] { throw std::runtime_error("no"); });
    writer.write("c", write("c"));

    EXPECT_EQ(writer.finish().size(), 1U);
    EXPECT_THAT(written_, ElementsAre("a", "c"));
    EXPECT_EQ(by_caller_, 2);
    EXPECT_THAT(notices_, ElementsAre(HasSubstr("no thread for writing could be started")));
}

TEST_F(AsyncWriterTest, WhenItsThreadEndsNothingIsLostAndTheCallerWrites) {
    for (int survived = 0; survived < 6; ++survived) {
        written_.clear();
        notices_.clear();
        auto how = options();
        how.before_write = [left = survived]() mutable {
            if (left-- == 0) {
                throw std::runtime_error("out of memory");
            }
        };
        AsyncWriter writer(std::move(how));
        for (const auto* what : {"a", "b", "c", "d", "e"}) {
            writer.write(what, write(what));
        }

        EXPECT_THAT(writer.finish(), IsEmpty());

        EXPECT_THAT(written_, ElementsAre("a", "b", "c", "d", "e")) << survived;
        EXPECT_EQ(notices_.size(), survived < 5 ? 1U : 0U) << survived;
    }
}

}  // namespace
}  // namespace lockstep::runtime
