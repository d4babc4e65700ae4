#include "app/xpcs/batch/pipeline.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/app/xpcs/batch/scans.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::BatchEntry;
using formats::xpcs::BatchStatus;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::chrono::seconds patience{60};

/// The most that was there at once.
class Most {
public:
    void come() {
        const int now = ++now_;
        int most = most_;
        while (now > most && !most_.compare_exchange_weak(most, now)) {
        }
    }
    void go() { --now_; }
    [[nodiscard]] int now() const { return now_; }
    [[nodiscard]] int most() const { return most_; }

private:
    std::atomic<int> now_ = 0;
    std::atomic<int> most_ = 0;
};

class BatchPipelineTest : public testing::Test {
protected:
    void SetUp() override { scans_.add_some(); }

    struct Ended {
        std::map<std::string, BatchEntry> entries;
        std::vector<std::string> order;
        std::vector<std::string> trouble;
    };

    Ended run(const PipelineOptions& options, const std::string& output = "out", int shards = 0) {
        auto request = scans_.request(output);
        request.each.shards = shards;
        const auto items = batch_items(request, scans_.out(output));
        std::vector<const BatchItem*> all;
        for (const auto& item : items) {
            all.push_back(&item);
        }
        BatchPipeline pipeline(all, context_, options);
        Ended ended;
        while (ended.entries.size() < items.size()) {
            if (auto event = pipeline.next(milliseconds(20))) {
                if (event->ended) {
                    ended.order.push_back(event->ended->name);
                    ended.entries[event->ended->name] = *event->ended;
                } else {
                    ended.trouble.push_back(event->trouble);
                }
            }
        }
        return ended;
    }

    static std::map<std::string, std::string> digests(const Ended& ended) {
        std::map<std::string, std::string> digests;
        for (const auto& [name, entry] : ended.entries) {
            digests[name] = entry.fit_digest + entry.posterior_digest;
        }
        return digests;
    }

    Scans scans_;
    Stopwatch watch_;
    std::atomic<bool> stop_ = false;
    BatchContext context_{watch_, stop_};
};

TEST_F(BatchPipelineTest, NeverHoldsMoreMeasurementsThanItMay) {
    for (const int ahead : {0, 1, 2}) {
        Most held;
        PipelineOptions options;
        options.ahead = ahead;
        options.on_load = [&] { held.come(); };
        options.on_release = [&] { held.go(); };
        // A disk that is slow, so that all before it would like to run ahead.
        options.before_write = [] { std::this_thread::sleep_for(milliseconds(5)); };

        const auto ended = run(options);

        EXPECT_LE(held.most(), ahead + 1);
        EXPECT_EQ(held.now(), 0);
        EXPECT_EQ(ended.entries.size(), 6U);
    }
}

TEST_F(BatchPipelineTest, ReadsAndFitsTheNextWhileOneIsWritten) {
    std::atomic<int> loads = 0;
    context_.load = [&](const XpcsRequest& request) {
        ++loads;
        return load_dataset(request);
    };
    std::atomic<bool> has_overlapped = false;
    PipelineOptions options;
    options.ahead = 2;
    options.before_write = [&] {
        for (const Stopwatch waited;
             loads < 4 && waited.seconds() < std::chrono::duration<double>(patience).count();) {
            std::this_thread::sleep_for(milliseconds(1));
        }
        has_overlapped = has_overlapped || loads >= 4;  // scan_12, 13 (damaged), 14 and 16
    };

    run(options);

    EXPECT_TRUE(has_overlapped);
}

TEST_F(BatchPipelineTest, OneThatFailsStopsNoOther) {
    const auto ended = run({});

    EXPECT_EQ(ended.entries.at("scan_13").status, BatchStatus::failed);
    EXPECT_THAT(ended.entries.at("scan_13").message, HasSubstr("scan_13.yaml"));
    for (const auto* name : {"scan_12", "scan_14", "scan_16", "scan_18", "scan_20"}) {
        const auto& entry = ended.entries.at(name);
        EXPECT_EQ(entry.status, BatchStatus::done) << entry.message;
        ASSERT_EQ(entry.stages.size(), 4U);
        EXPECT_LE(entry.stages[1].end, entry.stages[2].begin);
    }
    EXPECT_THAT(ended.trouble, IsEmpty());
}

TEST_F(BatchPipelineTest, ShardsAreDealtDuringTheFit) {
    const auto ended = run({}, "out", 2);
    const auto& stages = ended.entries.at("scan_20").stages;
    ASSERT_EQ(stages.size(), 5U) << ended.entries.at("scan_20").message;
    EXPECT_EQ(stages[1].stage, "fit");
    EXPECT_EQ(stages[2].stage, "deal");
    EXPECT_GT(stages[2].begin, stages[1].begin);
    EXPECT_LT(stages[2].begin, stages[2].end);
    EXPECT_LT(stages[2].end, stages[1].end);
}

TEST_F(BatchPipelineTest, AWriteThatFailsIsTheDatasetsOwn) {
    io::write_file(scans_.out() / "scan_14", "a file where a folder should be");

    const auto ended = run({});

    EXPECT_EQ(ended.entries.at("scan_14").status, BatchStatus::failed);
    EXPECT_THAT(ended.entries.at("scan_14").message, HasSubstr("scan_14"));
    EXPECT_EQ(ended.entries.at("scan_16").status, BatchStatus::done);
}

/// Starts so many threads, and no more.
runtime::ThreadStarter only(int allowed) {
    return [left = allowed](std::function<void()> body) mutable {
        if (left-- == 0) {
            throw std::system_error(
                std::make_error_code(std::errc::resource_unavailable_try_again));
        }
        return std::thread(std::move(body));
    };
}

TEST_F(BatchPipelineTest, WithoutThreadsTheStagesFollowEachOther) {
    const auto usual = run({});
    for (const int allowed : {0, 1, 2}) {
        PipelineOptions options;
        options.start = only(allowed);

        const auto ended = run(options, "other");

        EXPECT_EQ(digests(ended), digests(usual)) << allowed;
        EXPECT_THAT(ended.order,
                    ElementsAre("scan_12", "scan_13", "scan_14", "scan_16", "scan_18", "scan_20"));
        ASSERT_EQ(ended.trouble.size(), 1U) << allowed;
        EXPECT_THAT(ended.trouble[0], HasSubstr("threads for the stages"));
    }
}

TEST_F(BatchPipelineTest, WithoutAThreadForWritingTheOneThatSamplesWrites) {
    const auto usual = run({});
    PipelineOptions options;
    options.start_writer = only(0);

    const auto ended = run(options, "other");

    EXPECT_EQ(digests(ended), digests(usual));
    ASSERT_EQ(ended.trouble.size(), 1U);
    EXPECT_THAT(ended.trouble[0], HasSubstr("no thread for writing"));
}

TEST_F(BatchPipelineTest, WhenTheWriterEndsTheOthersWriteOn) {
    const auto usual = run({});
    PipelineOptions options;
    options.before_write = [left = 2]() mutable {
        if (left-- == 0) {
            throw std::runtime_error("gone");
        }
    };

    const auto ended = run(options, "other");

    EXPECT_EQ(digests(ended), digests(usual));
    ASSERT_EQ(ended.trouble.size(), 1U);
    EXPECT_THAT(ended.trouble[0], HasSubstr("the thread for writing has ended"));
    EXPECT_TRUE(std::filesystem::exists(scans_.out("other") / "scan_20/posterior.npz"));
}

TEST_F(BatchPipelineTest, AStopBeginsNothingNew) {
    context_.load = [&](const XpcsRequest& request) {
        stop_ = request.run.input.stem() == "scan_16";
        return load_dataset(request);
    };

    const auto ended = run({});

    EXPECT_EQ(ended.entries.at("scan_16").status, BatchStatus::not_begun);
    EXPECT_EQ(ended.entries.at("scan_20").status, BatchStatus::not_begun);
    EXPECT_FALSE(std::filesystem::exists(scans_.out() / "scan_20"));
}

}  // namespace
}  // namespace lockstep::app
