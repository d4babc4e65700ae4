#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"

#include "integration/app/first_sample.hpp"
#include "integration/app/program.hpp"
#include "support/json_numbers.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using test::member;
using test::number;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

/// Files and flags that users of homodyne know.
class XpcsFilesTest : public FirstSampleTest {
protected:
    /// A fit with classical errors.
    [[nodiscard]] Ended fitted(const std::string& output, const Words& more = {}) const {
        Words words = {"xpcs",
                       "run",
                       config(),
                       "-o",
                       path(output),
                       "--method",
                       "nlsq",
                       "--errors",
                       "classical"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    [[nodiscard]] io::Json json(const std::string& name) const { return io::read_json(path(name)); }
};

TEST_F(XpcsFilesTest, TheMethodNlsqIsTheFitAlone) {
    ASSERT_EQ(fitted("out").exit_code, 0);
    EXPECT_TRUE(fs::exists(path("out/fit.json")));
    EXPECT_FALSE(fs::exists(path("out/posterior.json")));
}

TEST_F(XpcsFilesTest, DiagnosticsTellWhatTheSolverDid) {
    ASSERT_EQ(fitted("out").exit_code, 0);
    const auto fit = json("out/fit.json");
    const auto told = json("out/nlsq/diagnostics.json");
    EXPECT_EQ(number(member(told, {"solver_diagnostics", "iterations"})),
              number(*fit.find("iterations")));
    EXPECT_EQ(number(member(told, {"anti_degeneracy", "condition_number"})),
              number(*fit.find("condition")));
    EXPECT_EQ(*member(told, {"solver_diagnostics", "ending"}).if_string(),
              *fit.find("ending")->if_string());
}

TEST_F(XpcsFilesTest, TheSummaryHasTheFormatThatIsAskedFor) {
    for (const std::string format : {"yaml", "npz", "json"}) {
        ASSERT_EQ(fitted("out", {"--output-format", format}).exit_code, 0);
        for (const std::string other : {"yaml", "json", "npz"}) {  // none of a run before
            EXPECT_EQ(fs::exists(path("out/homodyne_results." + other)), other == format);
        }
    }
    EXPECT_EQ(fitted("out", {"--output-format", "xml"}).exit_code, 64);
}

TEST_F(XpcsFilesTest, AFitGoesOnFromAnEarlierOne) {
    ASSERT_EQ(fitted("one", {"--initial-d0", "3000"}).exit_code, 0);
    ASSERT_EQ(fitted("two", {"--nlsq-result", path("one")}).exit_code, 0);
    const auto found = test::numbers(*json("two/fit.json").find("start"));
    EXPECT_EQ(found[0],
              number(member(json("one/nlsq/parameters.json"), {"parameters", "D0", "value"})));
    ASSERT_EQ(
        fitted("three", {"--nlsq-result", path("one/nlsq"), "--initial-d0", "4000"}).exit_code, 0);
    EXPECT_EQ(test::numbers(*json("three/fit.json").find("start"))[0], 4000);

    const auto nowhere = fitted("four", {"--nlsq-result", path("first")});
    EXPECT_EQ(nowhere.exit_code, 66);
    EXPECT_THAT(nowhere.err, HasSubstr("has neither nlsq/parameters.json nor parameters.json"));
}

TEST_F(XpcsFilesTest, PlotsAreMadeOnRequest) {
    ASSERT_EQ(fitted("out").exit_code, 0);
    EXPECT_FALSE(fs::exists(path("out/report.html")));
    ASSERT_EQ(fitted("out", {"--save-plots"}).exit_code, 0);
    EXPECT_TRUE(fs::exists(path("out/report.html")));
}

TEST_F(XpcsFilesTest, FittedDataAreLeftOutOnRequestThoseOfARunBeforeToo) {
    ASSERT_EQ(fitted("out").exit_code, 0);
    EXPECT_TRUE(fs::exists(path("out/nlsq/fitted_data.npz")));
    ASSERT_EQ(fitted("out", {"--no-fitted-data"}).exit_code, 0);
    EXPECT_FALSE(fs::exists(path("out/nlsq/fitted_data.npz")));
    EXPECT_TRUE(fs::exists(path("out/nlsq/parameters.json")));
}

TEST_F(XpcsFilesTest, MatricesInAFileGiveTheSameBits) {
    ASSERT_EQ(fitted("memory").exit_code, 0);
    const auto disk = fitted("disk", {"--scratch", path("scratch")});
    ASSERT_EQ(disk.exit_code, 0);
    EXPECT_THAT(disk.err, HasSubstr("are kept in a file in"));
    EXPECT_TRUE(fs::is_empty(path("scratch")));
    EXPECT_EQ(*json("disk/fit.json").find("digest")->if_string(),
              *json("memory/fit.json").find("digest")->if_string());
    EXPECT_EQ(fitted("none", {"--scratch", "/proc/none"}).exit_code, 74);
}

TEST_F(XpcsFilesTest, VerboseTellsKeysThatDoNothing) {
    io::write_file(config(), io::read_file(config()) + "\nlogging: {level: DEBUG}\n");
    EXPECT_THAT(fitted("out").err, Not(HasSubstr("logging")));
    EXPECT_THAT(fitted("out", {"-v"}).err, HasSubstr("logging"));
}

TEST_F(XpcsFilesTest, ACacheIsWrittenWhereTheConfigurationNamesItsFolder) {
    auto text = io::read_file(config());
    const std::string section = "experimental_data:\n";
    ASSERT_NE(text.find(section), text.npos);
    text.insert(text.find(section) + section.size(),
                "  cache_file_path: " + path("cache") + "\n  cache_filename_template: c.npz\n");
    io::write_file(config(), text);
    ASSERT_EQ(fitted("whole").exit_code, 0);
    EXPECT_TRUE(fs::exists(path("cache/c.npz")));
    EXPECT_TRUE(fs::exists(path("cache/phi_angles_list.txt")));

    const auto source = path("first/measurement.h5");
    ASSERT_TRUE(fs::exists(source));
    fs::rename(source, path("away.h5"));
    ASSERT_EQ(fitted("cached").exit_code, 0);  // the source is gone
    EXPECT_EQ(*json("cached/fit.json").find("digest")->if_string(),
              *json("whole/fit.json").find("digest")->if_string());
    fs::rename(path("away.h5"), source);

    fs::remove_all(path("cache"));
    io::write_file(path("cache"), "a file where a folder should be");
    const auto ended = fitted("out");
    EXPECT_EQ(ended.exit_code, 0);  // no reason to lose a fit
    EXPECT_THAT(ended.err, HasSubstr("homodyne's cache is not written"));
}

}  // namespace
}  // namespace lockstep::cli
