#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lockstep/io/table.hpp"

#include "integration/app/case_copy.hpp"
#include "integration/app/program.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A way to spoil a case, and what the program must say of it.
struct BadInput {
    const char* name;
    std::function<void(const CaseCopy&)> spoil;
    int exit_code;
    std::vector<const char*> words;  ///< all in the message
};

void PrintTo(const BadInput& input, std::ostream* stream) {
    *stream << input.name;
}

// Rewrites a Parquet file after `change`.
void retable(const CaseCopy& copy,
             const std::string& name,
             const std::function<void(io::Table&)>& change) {
    auto table = io::read_parquet(copy.file(name));
    change(table);
    io::write_parquet(copy.file(name), table);
}

io::Column& column(io::Table& table, const std::string& name) {
    for (auto& candidate : table.columns) {
        if (candidate.name == name) {
            return candidate;
        }
    }
    throw std::runtime_error("no column " + name);
}

void add_cascade_cycle(const CaseCopy& copy) {
    copy.edit("system/hydros.json", R"("downstream_id": null)", R"("downstream_id": 0)");
}

const auto inflow = "scenarios/inflow_seasonal_stats.parquet";

const std::vector<BadInput>& matrix() {
    static const std::vector<BadInput> inputs = {
        {"WrongType",
         [](const CaseCopy& copy) {
             copy.edit("stages.json", R"("num_openings": 10)", R"("num_openings": "ten")");
         },
         65,
         {"stages.json", "num_openings"}},
        {"MissingKey",
         [](const CaseCopy& copy) { copy.edit("system/buses.json", R"("id": 0,)", ""); },
         65,
         {"system/buses.json", "id"}},
        {"UnknownKey",
         [](const CaseCopy& copy) {
             copy.edit("config.json", R"("training")", R"("trainning": 1, "training")");
         },
         65,
         {"config.json", "trainning"}},
        {"NanInJson",
         [](const CaseCopy& copy) { copy.edit("system/thermals.json", "15.0", "NaN"); },
         65,
         {"system/thermals.json"}},
        {"NanInParquet",
         [](const CaseCopy& copy) {
             retable(copy, inflow, [](io::Table& table) {
                 std::get<std::vector<double>>(column(table, "mean_m3s").values)[0] = std::nan("");
             });
         },
         65,
         {inflow, "mean_m3s"}},
        {"NegativeBound",
         [](const CaseCopy& copy) {
             copy.edit("system/hydros.json",
                       R"("max_storage_hm3": 1000.0)",
                       R"("max_storage_hm3": -1.0)");
         },
         65,
         {"system/hydros.json", "max_storage_hm3"}},
        {"UnknownId",
         [](const CaseCopy& copy) {
             copy.edit("system/thermals.json", R"("bus_id": 0)", R"("bus_id": 99)");
         },
         65,
         {"system/thermals.json", "99"}},
        {"CascadeCycle", add_cascade_cycle, 65, {"system/hydros.json"}},
        {"TruncatedParquet",
         [](const CaseCopy& copy) { copy.write(inflow, copy.read(inflow).substr(0, 1000)); },
         65,
         {inflow}},
        {"WrongColumnType",
         [](const CaseCopy& copy) {
             retable(copy, inflow, [](io::Table& table) {
                 column(table, "mean_m3s").values = std::vector<std::string>(table.rows(), "wet");
             });
         },
         65,
         {inflow, "mean_m3s"}},
        {"MissingColumn",
         [](const CaseCopy& copy) {
             retable(copy, inflow, [](io::Table& table) {
                 std::erase_if(table.columns,
                               [](const io::Column& entry) { return entry.name == "mean_m3s"; });
             });
         },
         65,
         {inflow, "mean_m3s"}},
        {"EmptyJson",
         [](const CaseCopy& copy) { copy.write("stages.json", ""); },
         65,
         {"stages.json"}},
        {"EmptyParquet", [](const CaseCopy& copy) { copy.write(inflow, ""); }, 65, {inflow}},
        {"BinaryInJson",
         [](const CaseCopy& copy) { copy.write("stages.json", std::string("\0\xff\x01", 3)); },
         65,
         {"stages.json"}},
        {"DirectoryInsteadOfFile",
         [](const CaseCopy& copy) {
             fs::remove(copy.file("stages.json"));
             fs::create_directory(copy.file("stages.json"));
         },
         66,
         {"stages.json"}},
        {"MissingFile",
         [](const CaseCopy& copy) { fs::remove(copy.file("stages.json")); },
         66,
         {"stages.json"}},
        {"HugeNumber",
         [](const CaseCopy& copy) {
             copy.edit("config.json", R"("limit": 128)", R"("limit": 1e400)");
         },
         65,
         {"config.json"}},
        {"ZeroHours",
         [](const CaseCopy& copy) { copy.edit("stages.json", R"("hours": 744)", R"("hours": 0)"); },
         65,
         {"stages.json", "hours"}},
    };
    return inputs;
}

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, EndsWithAMessageThatNamesFileAndField) {
    const CaseCopy copy;
    GetParam().spoil(copy);

    const auto ended = run({"run", copy.path(), "--output", copy.output()});
    const auto validated = run({"sddp", "validate", copy.path()});

    EXPECT_EQ(ended.exit_code, GetParam().exit_code) << ended.err;
    EXPECT_EQ(validated.exit_code, GetParam().exit_code) << validated.out << validated.err;
    for (const auto* word : GetParam().words) {
        EXPECT_THAT(ended.err, HasSubstr(word));
        EXPECT_THAT(validated.out + validated.err, HasSubstr(word));
    }
    EXPECT_FALSE(fs::exists(fs::path(copy.output()) / "training"));
}

INSTANTIATE_TEST_SUITE_P(Matrix, BadInputTest, testing::ValuesIn(matrix()), [](const auto& input) {
    return input.param.name;
});

TEST(BoundaryPolicyTest, OfAnotherCalendarEndsWith65AndSaysWhichDateItLacks) {
    const CaseCopy copy;
    const auto brief = R"(training.stopping_rules=[{"type":"iteration_limit","limit":2}])";
    const std::vector<std::string> trained{
        "run", copy.path(), "--output", copy.output(), "--quiet", "--set", brief};
    ASSERT_EQ(run(trained).exit_code, 0);

    const auto boundary = R"(policy.boundary={"path":"../out/policy"})";
    const auto ended = run(
        {"run", copy.path(), "--output", copy.output() + "2", "--set", boundary, "--set", brief});
    const auto validated = run({"validate", copy.path(), "--set", boundary});

    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_EQ(validated.exit_code, 65);
    const auto lacks = HasSubstr("no stage with cuts ends on 2024-05-01");
    EXPECT_THAT(ended.err, lacks);
    EXPECT_THAT(validated.out + validated.err, lacks);
    EXPECT_FALSE(fs::exists(copy.output() + "2"));
}

TEST(ManyProblemsTest, AreAllCountedAndTheFirstOnesShown) {
    const CaseCopy copy;
    constexpr auto problems = 100'000;
    std::string thermals = R"({"thermals": [)";
    for (auto i = 0; i < problems; ++i) {
        thermals +=
            std::string(i == 0 ? "" : ",") + R"({"id": )" + std::to_string(i) + R"(, "name": "T)" +
            std::to_string(i) +
            R"(", "bus_id": 77, "generation": {"min_mw": 0, "max_mw": 1}, "cost_per_mwh": 1})";
    }
    copy.write("system/thermals.json", thermals + "]}");

    const auto ended = run({"run", copy.path(), "--output", copy.output()});
    const auto validated = run({"sddp", "validate", copy.path()});

    EXPECT_EQ(ended.exit_code, 65);
    EXPECT_THAT(ended.err, HasSubstr("100000 errors"));
    EXPECT_LT(ended.err.size(), 100'000U);
    EXPECT_EQ(validated.exit_code, 65);
    EXPECT_THAT(validated.out, HasSubstr("100,000 errors"));
}

TEST(PermissionTest, AFileThatMustNotBeReadEndsWith66) {
    const CaseCopy copy;
    fs::permissions(copy.file("stages.json"), fs::perms::none);

    const auto ended =
        run({"run", copy.path(), "--output", copy.output()}, give_up_roots_file_access);

    if (ended.exit_code == root_keeps_file_access) {
        GTEST_SKIP() << "root cannot give up its access to all files here";
    }
    EXPECT_EQ(ended.exit_code, 66) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("stages.json"));
}

TEST(PermissionTest, ADirectoryThatMustNotBeWrittenEndsWith74) {
    const CaseCopy copy;
    fs::create_directory(copy.output());
    fs::permissions(copy.output(), fs::perms::owner_read | fs::perms::owner_exec);

    const auto ended =
        run({"run", copy.path(), "--output", copy.output()}, give_up_roots_file_access);

    if (ended.exit_code == root_keeps_file_access) {
        GTEST_SKIP() << "root cannot give up its access to all files here";
    }
    EXPECT_EQ(ended.exit_code, 74) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(copy.output()));
}

TEST(FullDiskTest, AFileThatCannotGrowEndsWith74AndLeavesNoHalfFile) {
    const CaseCopy copy;

    const auto ended = run({"run", copy.path(), "--output", copy.output(), "--quiet"}, [] {
        const rlimit limit{2000, 2000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    });

    EXPECT_EQ(ended.exit_code, 74) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(copy.output()));
    EXPECT_FALSE(fs::exists(fs::path(copy.output()) / "training/_SUCCESS"));
}

TEST(FullDiskTest, StandardOutputOnAFullDiskEndsWith74) {
    const auto full = [] {
        const auto descriptor = ::open("/dev/full", O_WRONLY);
        ::dup2(descriptor, STDOUT_FILENO);
    };
    if (!fs::exists("/dev/full")) {
        GTEST_SKIP() << "no /dev/full here";
    }

    EXPECT_EQ(run({"version"}, full).exit_code, 74);
}

TEST(BrokenPipeTest, AReaderThatGoesAwayDoesNotEndARun) {
    const CaseCopy copy;
    const auto gone = [] {
        int ends[2];
        if (::pipe(ends) == 0) {
            ::close(ends[0]);
            ::dup2(ends[1], STDOUT_FILENO);
        }
    };

    const auto ended = run({"run", copy.path(), "--output", copy.output(), "--json"}, gone);

    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_TRUE(fs::exists(fs::path(copy.output()) / "simulation/_SUCCESS"));
}

}  // namespace
}  // namespace lockstep::cli
