#include "lockstep/formats/rl/table_file.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/npy.hpp"
#include "lockstep/io/table.hpp"

#include "unit/io/temporary_folder.hpp"

namespace lockstep::formats::rl {
namespace {

using io::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

class TableFileTest : public testing::Test {
protected:
    static constexpr double third = 1.0 / 3.0;

    void write() const { write_table(folder_.path(), record_, table_, legal); }
    [[nodiscard]] std::filesystem::path file() const { return folder_ / "q_table.parquet"; }
    [[nodiscard]] std::string refusal() const {
        return message_of<InputError>([&] { read_table(folder_.path()); });
    }
    // The file with another table under the metadata that it has.
    template <typename Change>
    void change(const Change& change) const {
        io::ParquetRest rest;
        io::Table rows = io::read_parquet(file(), &rest);
        change(rows, rest.metadata);
        io::write_parquet(file(), rows, rest.metadata);
    }

    // State 1 has action 1 only, state 2 nothing.
    static lockstep::rl::ActionMask legal(int s) { return s == 0 ? 3U : (s == 1 ? 2U : 0U); }

    io::TemporaryFolder folder_;
    TableRecord record_{{"bandit", {{"episode_length", "3"}}, "", "two arms, 3 steps", 3, 2},
                        "q_learning",
                        0.99,
                        12'345'678'901,
                        "0123"};
    lockstep::rl::QTable table_{
        3, 2, {third, -0.0, 0, 1e300, 0, 0}, {7, 0, 0, 4'294'967'295U, 0, 0}};
};

TEST_F(TableFileTest, ComesBackBitForBit) {
    write();
    const TableFile read = read_table(folder_.path());

    EXPECT_EQ(read.table.states, 3);
    EXPECT_EQ(read.table.actions, 2);
    EXPECT_EQ(read.table.values, table_.values);
    EXPECT_TRUE(std::signbit(read.table.values[1]));
    EXPECT_EQ(read.table.visits, table_.visits);
    EXPECT_EQ(read.record.environment.name, "bandit");
    EXPECT_THAT(read.record.environment.options,
                ElementsAre(formats::Setting{"episode_length", "3"}));
    EXPECT_EQ(read.record.transitions, 12'345'678'901);
    EXPECT_EQ(read.record.discount_factor, 0.99);
    EXPECT_EQ(read.record.digest, "0123");
}

TEST_F(TableFileTest, SaysHowStatesAndActionsAreCalled) {
    write_table(folder_.path(), record_, table_, legal, {{"new", "old", "gone"}, {"keep", "sell"}});

    const io::Table rows = io::read_parquet(file());
    EXPECT_THAT(std::get<std::vector<std::string>>(rows.find("state_name")->values),
                ElementsAre("new", "new", "old"));
    EXPECT_THAT(std::get<std::vector<std::string>>(rows.find("action_name")->values),
                ElementsAre("keep", "sell", "sell"));
    EXPECT_EQ(read_table(folder_.path()).table.values, table_.values);
}

TEST_F(TableFileTest, HasLegalPairsForTablesAndAllPairsForNumPy) {
    write();

    const io::Table rows = io::read_parquet(file());
    EXPECT_THAT(std::get<std::vector<std::int32_t>>(rows.find("state")->values),
                ElementsAre(0, 0, 1));
    EXPECT_THAT(std::get<std::vector<std::int32_t>>(rows.find("action")->values),
                ElementsAre(0, 1, 1));
    const io::NpyArray array = io::read_npy(folder_ / "q_table.npy");
    EXPECT_THAT(array.shape, ElementsAre(3, 2));
    EXPECT_EQ(std::get<std::vector<double>>(array.values), table_.values);
}

TEST_F(TableFileTest, KeepsThatValuesWereStoredAsFloats) {
    table_.precision = lockstep::rl::Precision::f32;
    table_.values = {0.25, -0.0, 0, 0x1.555556p-2, 0, 0};
    write();

    EXPECT_EQ(read_table(folder_.path()).table.precision, lockstep::rl::Precision::f32);
    EXPECT_EQ(read_table(folder_.path()).table.values, table_.values);
    const io::NpyArray array = io::read_npy(folder_ / "q_table.npy");
    const auto& values = std::get<std::vector<float>>(array.values);
    EXPECT_EQ(std::vector<double>(values.begin(), values.end()), table_.values);
}

TEST_F(TableFileTest, WritesTablesOfManyRowGroups) {
    table_ = {
        200'000, 1, std::vector<double>(200'000, 0.5), std::vector<std::uint32_t>(200'000, 3)};
    record_.environment.states = 200'000;
    record_.environment.actions = 1;
    write_table(folder_.path(), record_, table_, [](int /*s*/) { return 1U; });

    EXPECT_EQ(read_table(folder_.path()).table.values, table_.values);
}

TEST_F(TableFileTest, RefusesATableOfAnotherEnvironment) {
    EnvironmentRecord wanted = record_.environment;
    EXPECT_NO_THROW(require_environment(record_, wanted));

    wanted.rules = "two arms, 4 steps";
    EXPECT_EQ(
        message_of<InputError>([&] { require_environment(record_, wanted); }),
        "the table was learned in bandit (two arms, 3 steps), not in bandit (two arms, 4 steps)");
    wanted = record_.environment;
    wanted.states = 4;
    EXPECT_EQ(message_of<InputError>([&] { require_environment(record_, wanted); }),
              "the table has 3 states with 2 actions, but bandit has 4 states with 2 actions");
}

TEST_F(TableFileTest, RefusesDamage) {
    write();
    change([](io::Table& rows, io::FileMetadata& /*metadata*/) {
        std::get<std::vector<double>>(rows.columns[2].values)[0] = 0.25;
    });
    EXPECT_THAT(refusal(), HasSubstr("q_table.parquet: damaged: its rows are not those that were"));

    write();
    change([](io::Table& rows, io::FileMetadata& /*metadata*/) {
        std::get<std::vector<std::int32_t>>(rows.columns[1].values)[0] = 2;
    });
    EXPECT_THAT(refusal(),
                HasSubstr("row 1: state 0, action 2 are not among 3 states and 2 actions"));

    write();
    change([](io::Table& rows, io::FileMetadata& /*metadata*/) { rows.columns.pop_back(); });
    EXPECT_THAT(refusal(), HasSubstr("column visits is missing or of another type"));

    write();
    change([](io::Table& /*rows*/, io::FileMetadata& metadata) { metadata.clear(); });
    EXPECT_THAT(refusal(), HasSubstr("no table of values: its metadata lack lockstep.q_table"));

    write();
    change([](io::Table& /*rows*/, io::FileMetadata& metadata) {
        for (auto& [key, value] : metadata) {
            if (const auto place = value.find("\"states\":3"); place != value.npos) {
                value.replace(place, 10, "\"states\":1000000000");
            }
        }
    });
    EXPECT_THAT(refusal(), HasSubstr("1000000000 states with 2 actions for 3 rows"));
}

TEST_F(TableFileTest, RefusesEveryTruncation) {
    write();
    const std::string whole = io::read_file(file());
    for (std::size_t length = 0; length < whole.size(); length += 37) {
        io::write_file(file(), whole.substr(0, length));
        EXPECT_NE(refusal(), "") << length;
    }
}

TEST_F(TableFileTest, TellsAMissingTable) {
    EXPECT_THAT(message_of<IoError>([&] { read_table(folder_.path()); }),
                HasSubstr("q_table.parquet"));
}

}  // namespace
}  // namespace lockstep::formats::rl
