#include "lockstep/formats/cobre/output.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "unit/formats/output_checks.hpp"

namespace lockstep::formats::cobre {
namespace {

using test::files;
using test::schema;
using test::write_simulation;
namespace fs = std::filesystem;

/// Ends calls that write files longer than `bytes`, as a full disk does.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit before_{};
};

TEST(OutputTest, DescribesEveryColumnThatItWritesAndNoOther) {
    const test::Folder folder;
    CaseFacts input = test::input();
    input.config.export_stochastic = true;
    input.config.export_fitting_points = true;
    FittedPlanes planes;
    planes.hydro_id = 3;
    planes.stage_ids = {0};
    planes.fit.planes = {{0, 0, 0.5, 0}};
    planes.fit.points = {{10, 20, 10, 10}};
    input.fitted_planes = {planes};
    sddp::Problem problem = test::problem();
    problem.process.resolved.annual = {{0, 10, 0.5, 40, 4}};
    test::add_what_goes_on(problem);
    problem.system.batteries.emplace_back().bus = 0;
    problem.system.batteries[0].max_charge_mw = sddp::ByBlock(problem.calendar, 5);
    problem.system.batteries[0].max_discharge_mw = sddp::ByBlock(problem.calendar, 5);
    problem.system.batteries[0].min_energy_mwh.assign(problem.calendar.stages.size(), 0);
    problem.system.batteries[0].max_energy_mwh.assign(problem.calendar.stages.size(), 9);
    auto trained = test::training();
    trained.iterations[0].selection = {{0, 8, 7, 3, 1, 2, 0.25}};
    input.config.train.inner.every = 1;
    input.config.train.policy_cost.every = 1;
    write_training(folder.path(), input, problem, trained, test::run_info());
    write_simulation(folder.path(), problem);

    std::set<std::string> written;
    for (const std::string& file : files(folder.path())) {
        if (!file.ends_with(".parquet")) {
            continue;
        }
        const std::string table =
            file.substr(0, std::min(file.find("/part-"), file.find(".parquet")));
        for (const std::string& column : schema(folder.path() / file)) {
            written.insert(table + ": " + column);
        }
    }
    std::set<std::string> described;
    for (const ColumnDescription& column : describe_columns()) {
        EXPECT_FALSE(column.description.empty()) << column.file << " " << column.column;
        EXPECT_TRUE(described
                        .insert(column.file + ": " + column.column + " " + column.type +
                                (column.nullable ? "?" : ""))
                        .second);
    }
    EXPECT_EQ(written, described);

    std::istringstream csv(io::read_file(folder.path() / "training/dictionaries/variables.csv"));
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, "file,column,type,unit,description,nullable");
    std::size_t lines = 0;
    while (std::getline(csv, line)) {
        ++lines;
    }
    EXPECT_EQ(lines, describe_columns().size());
}

TEST(OutputTest, AFailedWriteLeavesNoSuccessAndNoHalfFile) {
    const test::Folder folder;
    const sddp::Problem problem = test::problem();
    write_training(folder.path(), test::input(), problem, test::training(), test::run_info());
    write_simulation(folder.path(), problem);
    std::map<std::string, std::string> before;
    for (const std::string& file : files(folder.path())) {
        before[file] = io::read_file(folder.path() / file);
    }

    {
        const FileSizeLimit limit(5000);
        EXPECT_THROW(write_training(
                         folder.path(), test::input(), problem, test::training(), test::run_info()),
                     IoError);
        EXPECT_THROW(write_simulation(folder.path(), problem), IoError);
    }

    EXPECT_FALSE(fs::exists(folder.path() / "training/_SUCCESS"));
    EXPECT_FALSE(fs::exists(folder.path() / "simulation/_SUCCESS"));
    for (const std::string& file : files(folder.path())) {
        ASSERT_TRUE(before.count(file)) << file << " was left behind";
        if (!file.ends_with(".parquet")) {
            continue;
        }
        EXPECT_GT(io::read_parquet(folder.path() / file).columns.size(), 0) << file;
    }
}

}  // namespace
}  // namespace lockstep::formats::cobre
