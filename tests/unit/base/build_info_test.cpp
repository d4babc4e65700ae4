#include "lockstep/base/build_info.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(BuildInfoTest, NamesVersionCommitAndCompiler) {
    EXPECT_THAT(build_info().version, testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
    EXPECT_THAT(build_info().commit, testing::MatchesRegex("unknown|[0-9a-f]+(-dirty)?"));
    EXPECT_THAT(build_info().compiler, testing::MatchesRegex("(clang|g)\\+\\+ [0-9.]+"));
    EXPECT_FALSE(build_info().build_type.empty());
}

TEST(BuildInfoTest, ListsTheFlagsThatDecideBits) {
    EXPECT_THAT(build_info().flags, testing::HasSubstr("-ffp-contract=off"));
    EXPECT_THAT(build_info().flags, testing::HasSubstr("-march="));
    EXPECT_THAT(build_info().flags, testing::Not(testing::HasSubstr("-Wall")));
    EXPECT_THAT(build_info().flags, testing::Not(testing::HasSubstr("$<")));
}

TEST(BuildInfoTest, GivesEachLibraryOnceWithAVersion) {
    std::set<std::string> names;
    for (const auto& library : build_info().libraries) {
        EXPECT_TRUE(names.insert(library.name).second) << library.name;
        EXPECT_FALSE(library.version.empty()) << library.name;
    }
    EXPECT_THAT(names, testing::IsSupersetOf({"HiGHS", "Clp", "Arrow", "HDF5", "minizip"}));
}

}  // namespace
}  // namespace lockstep
