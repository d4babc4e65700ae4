#include "lockstep/base/problems.hpp"

#include <cstddef>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string message_of(const Problems& problems, std::size_t shown = 200) {
    try {
        problems.throw_if_errors("case: 3 errors", shown);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(ProblemTest, PrintsKindFileEntityAndMessage) {
    EXPECT_EQ(
        to_string(Problem{
            ProblemKind::invalid_reference, "system/lines.json", "line 2", "bus 9 does not exist"}),
        "[InvalidReference] system/lines.json (line 2): bus 9 does not exist");
}

TEST(ProblemTest, LeavesOutWhatIsUnknown) {
    EXPECT_EQ(to_string(Problem{ProblemKind::parse_error, "stages.json", "", "no bracket"}),
              "[ParseError] stages.json: no bracket");
    EXPECT_EQ(to_string(Problem{ProblemKind::cycle_detected, "", "hydro 1", "flows into itself"}),
              "[CycleDetected] (hydro 1): flows into itself");
    EXPECT_EQ(to_string(Problem{ProblemKind::not_supported, "", "", "bad"}), "[NotSupported] bad");
}

TEST(ProblemsTest, CountsErrorsButNotWarnings) {
    Problems problems;
    problems.add(ProblemKind::unused_entity, "a", "", "m");
    problems.add(ProblemKind::model_quality, "a", "", "m");
    EXPECT_FALSE(problems.has_errors());
    EXPECT_NO_THROW(problems.throw_if_errors("headline"));

    problems.add(ProblemKind::invalid_value, "a", "", "m");

    EXPECT_EQ(problems.error_count(), 1U);
    EXPECT_EQ(problems.all().size(), 3U);
}

TEST(ProblemsTest, ListsEveryErrorInOrderAndNoWarning) {
    Problems problems;
    problems.add(ProblemKind::invalid_value, "a.json", "", "first");
    problems.add(ProblemKind::unused_entity, "a.json", "", "a warning");
    problems.add(ProblemKind::duplicate_id, "b.json", "bus 1", "second");

    EXPECT_EQ(
        message_of(problems),
        "case: 3 errors\n  [InvalidValue] a.json: first\n  [DuplicateId] b.json (bus 1): second");
    EXPECT_THROW(problems.throw_if_errors("headline"), InputError);
}

TEST(ProblemsTest, CutsALongListOfErrors) {
    Problems problems;
    for (int i = 0; i < 100'000; ++i) {
        problems.add(ProblemKind::invalid_value, "a.json", "", "number " + std::to_string(i));
    }

    const std::string text = message_of(problems);

    EXPECT_THAT(text, HasSubstr("number 199"));
    EXPECT_THAT(text, Not(HasSubstr("number 200")));
    EXPECT_THAT(text, EndsWith("\n  ... and 99800 more"));
    EXPECT_EQ(message_of(problems, 0), "case: 3 errors\n  ... and 100000 more");
}

TEST(ProblemsTest, IsAnIoErrorWhenOnlyFilesAreMissing) {
    Problems problems;
    problems.add(ProblemKind::file_not_found, "stages.json", "", "is required");
    problems.add(ProblemKind::unused_entity, "a.json", "", "a warning");
    EXPECT_THROW(problems.throw_if_errors("headline"), IoError);

    problems.add(ProblemKind::invalid_value, "a.json", "", "m");

    EXPECT_THROW(problems.throw_if_errors("headline"), InputError);
}

TEST(NearestTest, FindsTheWordThatWasMeant) {
    EXPECT_EQ(nearest("forward_pases", {"seed", "forward_passes", "iterations"}), "forward_passes");
    EXPECT_EQ(nearest("sede", {"seed", "iterations"}), "seed");
    EXPECT_EQ(nearest("rnu", {"run", "report"}), "run");
    EXPECT_EQ(nearest("cut_selection_threshhold_foo", {"cut_selection_threshold"}),
              "cut_selection_threshold");
}

TEST(NearestTest, PrefersTheFirstOfEquals) {
    EXPECT_EQ(nearest("cat", {"bat", "rat"}), "bat");
}

TEST(NearestTest, GivesNothingWhenNothingIsNear) {
    EXPECT_EQ(nearest("solver", {"seed", "iterations"}), "");
    EXPECT_EQ(nearest("id", {"no", "q"}), "");
    EXPECT_EQ(nearest("", {"a"}), "");
    EXPECT_EQ(nearest("word", {}), "");
}

TEST(NearestTest, EndsAMessage) {
    EXPECT_EQ(did_you_mean("rnu", {"run", "report"}), "; did you mean \"run\"?");
    EXPECT_EQ(did_you_mean("solver", {"seed"}), "");
}

}  // namespace
}  // namespace lockstep
