#include "lockstep/formats/rl/training.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "unit/io/temporary_folder.hpp"

namespace lockstep::formats::rl {
namespace {

using io::message_of;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class TrainingFilesTest : public testing::Test {
protected:
    void append(int round) const {
        append_metrics(folder_.path(), io::Json::Object{{"round", round}});
    }
    [[nodiscard]] std::filesystem::path lines() const { return folder_ / "training/metrics.jsonl"; }
    io::TemporaryFolder folder_;
};

TEST_F(TrainingFilesTest, MetricsAreALineAReport) {
    EXPECT_THAT(read_metrics(folder_.path()), IsEmpty());
    append(1);
    append(2);

    EXPECT_THAT(read_metrics(folder_.path()), SizeIs(2));
    EXPECT_EQ(io::read_file(lines()), "{\"round\":1}\n{\"round\":2}\n");
}

TEST_F(TrainingFilesTest, ALineThatAKilledRunHasTornIsNotThere) {
    append(1);
    io::write_file(lines(), io::read_file(lines()) + "{\"round\":2,\"ret");

    EXPECT_THAT(read_metrics(folder_.path()), SizeIs(1));
    append(2);  // a run that goes on cuts first
    EXPECT_THAT(message_of<InputError>([&] { read_metrics(folder_.path()); }), HasSubstr("line 2"));
}

TEST_F(TrainingFilesTest, RoundsThatAreDoneAgainGo) {
    for (int round = 1; round <= 4; ++round) {
        append(round);
    }
    io::write_file(lines(), io::read_file(lines()) + "{\"round\":5,\"ret");

    cut_metrics(folder_.path(), 2);

    EXPECT_EQ(io::read_file(lines()), "{\"round\":1}\n{\"round\":2}\n");
}

TEST_F(TrainingFilesTest, ARecordComesBack) {
    TrainingRecord record;
    record.environment.name = "FrozenLake-v1";
    record.options = {{"steps", "10"}, {"mode", "serial"}};
    record.ending = "done";
    record.value = BoundedValue{0.5, 0.4, 0.6};
    record.digest = "d";

    write_training_record(folder_.path(), record);
    const auto read = read_training_record(folder_.path());

    EXPECT_EQ(io::to_text(to_json(read)), io::to_text(to_json(record)));
    EXPECT_EQ(read.value->upper, 0.6);
    EXPECT_FALSE(read.optimum);
    EXPECT_EQ(read.options[1].second, "serial");
}

TEST_F(TrainingFilesTest, ADamagedRecordIsNamed) {
    io::write_file(folder_ / "training/metadata.json", "{\"format_version\": 99}");

    EXPECT_THAT(message_of<InputError>([&] { read_training_record(folder_.path()); }),
                HasSubstr("metadata.json"));
}

}  // namespace
}  // namespace lockstep::formats::rl
