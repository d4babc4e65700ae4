#include "app/sddp/policy_place.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PolicyPlaceTest : public testing::Test {
protected:
    PolicyPlaceTest() {
        for (const auto& made : {folder_ / "case", folder_ / "results"}) {
            fs::create_directories(made);
        }
    }
    [[nodiscard]] std::string refusal(const fs::path& policy) const {
        try {
            check_policy_place(policy, folder_ / "case", folder_ / "results");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

    TemporaryFolder folder_;
};

TEST_F(PolicyPlaceTest, MayBeInsideTheCaseOrTheOutput) {
    for (const auto* place :
         {"results/policy", "results", "results/a/../b", "case/policy", "results/../case/x"}) {
        EXPECT_EQ(refusal(folder_ / place), "") << place;
    }
}

TEST_F(PolicyPlaceTest, MustNotBeElsewhere) {
    for (const auto* place : {"results/../policy",
                              "results/../results2",
                              "other",
                              "results/../../etc",
                              "/etc/policy"}) {
        EXPECT_THAT(refusal(folder_ / place), HasSubstr("must stay inside")) << place;
    }
}

TEST_F(PolicyPlaceTest, ALinkCountsAsWhatItPointsTo) {
    fs::create_directories(folder_ / "elsewhere");
    fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "results/policy");
    EXPECT_THAT(refusal(folder_ / "results/policy"), HasSubstr("elsewhere"));

    fs::create_directory_symlink(folder_ / "results", folder_ / "link");
    EXPECT_EQ(refusal(folder_ / "link/policy-2"), "");
}

}  // namespace
}  // namespace lockstep::app
