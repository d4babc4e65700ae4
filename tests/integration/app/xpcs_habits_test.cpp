// Habits of homodyne's program that users were caught by: docs/xpcs/traps.md.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/npy.hpp"

#include "integration/app/first_sample.hpp"
#include "integration/app/program.hpp"
#include "support/json_numbers.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using test::array;
using test::member;
using test::number;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

std::set<std::string> files_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        names.insert(fs::relative(entry.path(), folder).string());
    }
    return names;
}

class XpcsHabitsTest : public FirstSampleTest {
protected:
    /// The configuration with one text in place of another.
    [[nodiscard]] std::string changed(const std::string& from, const std::string& to) const {
        auto text = io::read_file(config());
        const auto place = text.find(from);
        EXPECT_NE(place, text.npos) << from;
        io::write_file(path("changed.yaml"), text.replace(place, from.size(), to));
        return path("changed.yaml");
    }
};

TEST_F(XpcsHabitsTest, WritesNothingBesideItsOutput) {
    fs::create_directory(path("here"));
    const auto before = files_in(path("first"));

    const auto ended = Program({"xpcs", "run", config(), "-o", path("out")}, [&] {
                           if (chdir(path("here").c_str()) != 0) {
                               _exit(1);
                           }
                       }).end();

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(files_in(path("here")), IsEmpty());
    EXPECT_EQ(files_in(path("first")), before);
}

TEST_F(XpcsHabitsTest, MakesPicturesOnlyWhenAsked) {
    ASSERT_EQ(run({"xpcs", "run", config(), "-o", path("out")}).exit_code, 0);
    for (const auto& name : files_in(path("out"))) {
        const auto ending = fs::path(name).extension();
        EXPECT_TRUE(ending != ".png" && ending != ".svg" && ending != ".html") << name;
    }
}

TEST_F(XpcsHabitsTest, ThreeAnglesAtRestAreSampledAroundTheirFit) {
    const auto ended = run({"xpcs",
                            "sample",
                            config(),
                            "-o",
                            path("out"),
                            "--sampler",
                            "nuts",
                            "--n-warmup",
                            "200",
                            "--n-samples",
                            "200",
                            "-q"});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const auto posterior = io::read_json(path("out/posterior.json"));
    EXPECT_EQ(number(*posterior.find("divergences")), 0);
    EXPECT_GT(number(*posterior.find("acceptance")), 0.5);
    const auto fit = io::read_json(path("out/fit.json"));
    const auto& values = array(*fit.find("values"));
    for (const auto& quantity : array(*posterior.find("quantities"))) {
        for (const auto& value : values) {
            if (*value.find("name")->if_string() == *quantity.find("name")->if_string()) {
                EXPECT_NEAR(number(*quantity.find("mean")),
                            number(*value.find("value")),
                            number(*quantity.find("sd")));
            }
        }
    }
    EXPECT_EQ(*io::read_json(path("out/cmc/analysis_results_cmc.json")).find("method")->if_string(),
              "cmc");
}

// Correlations that rise with the lag leave no contrast: nothing else is determined then, and the
// files say so.
TEST_F(XpcsHabitsTest, AFitOfNothingCanBeReadBack) {
    constexpr int frames = 20;
    std::vector<double> c2;
    for (int i = 0; i < frames; ++i) {
        for (int j = 0; j < frames; ++j) {
            c2.push_back(1 + 0.001 * std::abs(i - j));
        }
    }
    io::write_npy(path("rising.npy"), c2, std::array<std::int64_t, 2>{frames, frames});
    const auto ended =
        run({"xpcs", "fit", config(), "--data-file", path("rising.npy"), "-o", path("out"), "-q"});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;

    const auto told = run({"xpcs", "summary", path("out")});

    EXPECT_EQ(told.exit_code, 0) << told.err;
    EXPECT_THAT(told.out, HasSubstr("do not determine 3 combinations"));
    EXPECT_EQ(run({"report", path("out")}).exit_code, 0);
}

TEST_F(XpcsHabitsTest, ASamplingThatFailsIsNoSuccess) {
    // The minimum lies above.
    const auto ended =
        run({"xpcs", "sample", changed("max: 100000.0", "max: 10050.0"), "-o", path("out")});

    EXPECT_NE(ended.exit_code, 0);
    EXPECT_THAT(ended.err, HasSubstr("the fit has D0 at its bound"));
    EXPECT_FALSE(fs::exists(path("out/posterior.json")));
}

TEST_F(XpcsHabitsTest, DoubtsUnitsWhileItFits) {
    // Milliseconds for seconds.
    const auto late = run({"xpcs", "fit", changed("dt: 0.1", "dt: 100"), "-o", path("late")});
    EXPECT_THAT(late.err, HasSubstr("analyzer_parameters.dt is 100 s"));
    EXPECT_THAT(late.err, HasSubstr("if it is in ms, divide it by 1000"));

    const auto cut =
        run({"xpcs", "fit", changed("max: 100000.0", "max: 10050.0"), "-o", path("cut")});
    EXPECT_THAT(cut.err, HasSubstr("the fit ends with D0 at bounds"));
    EXPECT_THAT(cut.err, HasSubstr("check the units of wavevector_q (1/Å), dt (s)"));
}

TEST_F(XpcsHabitsTest, ValidateTellsNoVersionThatItDoesNotRead) {
    const auto checked =
        run({"xpcs",
             "validate",
             changed("analysis_mode:", "metadata: {config_version: \"2.23.2\"}\nanalysis_mode:")});

    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_THAT(checked.out, Not(HasSubstr("unknown")));
    EXPECT_THAT(checked.out, Not(HasSubstr("2.23")));
}

TEST_F(XpcsHabitsTest, AStartOfNullIsTheModels) {
    const auto ended = run({"xpcs",
                            "fit",
                            changed("values: [10000.0, -0.8, 100.0]", "values: null"),
                            "-o",
                            path("out"),
                            "-q"});

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(test::numbers(*io::read_json(path("out/fit.json")).find("start")).size(), 3U);
}

}  // namespace
}  // namespace lockstep::cli
