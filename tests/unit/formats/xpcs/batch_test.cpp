#include "lockstep/formats/xpcs/batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "unit/io/temporary_folder.hpp"

namespace lockstep::formats::xpcs {
namespace {

using io::message_of;
using testing::HasSubstr;

BatchRecord some_batch() {
    BatchEntry good{"scan_1", "c.yaml", "scan_1.h5", BatchStatus::done};
    good.options_digest = "00";
    good.input_digest = "01";
    good.fit_digest = "02";
    good.posterior_digest = "03";
    good.is_converged = true;
    good.chi_squared = 3900.25;
    good.degrees_of_freedom = 3897;
    good.error_method = "speckle";
    good.values = {{"D0", "Å²/s", 12000.5, 100, 20, ""}, {"alpha", "1", -2, {}, {}, "lower"}};
    good.posterior = {{"D0", 12001, 99}};
    good.stages = {{"load", 0.25, 0.5}, {"fit", 0.5, 1.75}};
    good.rank = 2;
    BatchEntry bad{"scan_2", "c.yaml", "scan_2.h5", BatchStatus::failed};
    bad.message = "cut off";
    BatchRecord record;
    record.datasets = {good, bad};
    record.ahead = 2;
    record.ranks = 3;
    record.seconds = 2.5;
    return record;
}

TEST(BatchFileTest, ReadsWhatItWrote) {
    const io::TemporaryFolder folder;
    write_batch(folder.path(), some_batch());

    const auto read = read_batch(folder.path());

    ASSERT_EQ(read.datasets.size(), 2U);
    EXPECT_EQ(entries_text(read.datasets), entries_text(some_batch().datasets));
    EXPECT_EQ(read.datasets[0].status, BatchStatus::done);
    EXPECT_EQ(read.datasets[0].value("D0")->value, 12000.5);
    EXPECT_EQ(read.datasets[0].value("beta"), nullptr);
    EXPECT_EQ(read.datasets[0].stages[1].end, 1.75);
    EXPECT_EQ(read.datasets[1].message, "cut off");
    EXPECT_FALSE(read.datasets[1].chi_squared);
    EXPECT_EQ(read.ahead, 2);
    EXPECT_EQ(read.count(BatchStatus::failed), 1);
}

TEST(BatchFileTest, EntriesTravelAsText) {
    const auto entries = some_batch().datasets;
    const auto text = entries_text(entries);

    EXPECT_EQ(text.find('\n'), text.npos);
    EXPECT_EQ(entries_text(parse_entries(text)), text);
}

TEST(BatchFileTest, SaysWhatIsDamaged) {
    const io::TemporaryFolder folder;
    write_batch(folder.path(), some_batch());
    const auto file = folder.path() / "batch.json";
    auto text = io::read_file(file);
    text.replace(text.find("\"failed\""), 8, "\"lost\"");
    io::write_file(file, text);

    EXPECT_THAT(message_of<InputError>([&] { read_batch(folder.path()); }),
                HasSubstr("status is 'lost'"));
    io::write_file(file, "{}");
    EXPECT_THAT(message_of<InputError>([&] { read_batch(folder.path()); }),
                HasSubstr("batch.json"));
}

}  // namespace
}  // namespace lockstep::formats::xpcs
