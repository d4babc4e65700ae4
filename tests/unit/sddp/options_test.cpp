#include "lockstep/sddp/options.hpp"

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::sddp {
namespace {

using Kind = StoppingRule::Kind;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TrainOptions valid() {
    TrainOptions options;
    options.stopping = {{Kind::iteration_limit, 5, 0, 0},
                        {Kind::time_limit, 0, 60, 0},
                        {Kind::bound_stalling, 3, 0, 1e-3}};
    return options;
}

struct Spoiled {
    std::string name;
    std::string found;
    std::string allowed;
    std::function<void(TrainOptions&)> spoil;
};

TEST(OptionsTest, WhatIsAllowedPasses) {
    EXPECT_NO_THROW(valid().validate());
    EXPECT_NO_THROW(SimulateOptions{}.validate());
}

TEST(OptionsTest, NamesTheOptionWhatItIsAndWhatItMayBe) {
    constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Spoiled> cases{
        {"forward_passes", "0", "1 or more", [](auto& o) { o.forward_passes = 0; }},
        {"limit", "0", "1 or more", [](auto& o) { o.stopping[0].iterations = 0; }},
        {"seconds", "nan", "above 0", [&](auto& o) { o.stopping[1].seconds = nan; }},
        {"iterations", "0", "1 or more", [](auto& o) { o.stopping[2].iterations = 0; }},
        {"tolerance", "-1", "0 or more", [](auto& o) { o.stopping[2].tolerance = -1; }},
        {"absolute_tolerance",
         "nan",
         "0 or more",
         [&](auto& o) { o.stopping[2].absolute_tolerance = nan; }},
        {"min_iterations", "-2", "0 or more", [](auto& o) { o.stopping[2].min_iterations = -2; }},
        {"max_gap", "-0.5", "0 or more", [](auto& o) { o.stopping[2].max_gap = -0.5; }},
        {"checkpoint_iterations", "-1", "0 or more", [](auto& o) { o.checkpoint_iterations = -1; }},
        {"checkpoint_first", "-1", "0 or more", [](auto& o) { o.checkpoint_first = -1; }},
        {"checkpoint_seconds", "nan", "0 or more", [&](auto& o) { o.checkpoint_seconds = nan; }},
        {"primal_tolerance", "0", "above 0", [](auto& o) { o.tolerances.primal_tolerance = 0; }},
        {"dual_tolerance", "nan", "above 0", [&](auto& o) { o.tolerances.dual_tolerance = nan; }},
        {"iteration_limit", "0", "1 or more", [](auto& o) { o.tolerances.iteration_limit = 0; }}};
    for (const auto& each : cases) {
        auto options = valid();
        each.spoil(options);
        EXPECT_THAT([&] { options.validate(); },
                    ThrowsMessage<InputError>(AllOf(HasSubstr(each.name),
                                                    HasSubstr("is " + each.found + " "),
                                                    HasSubstr(each.allowed))))
            << each.name;
    }
}

TEST(OptionsTest, OnlyHighsHasAProfile) {
    auto options = valid();
    options.solver = lp::SolverKind::clp;
    options.tolerances.highs.scales = true;
    EXPECT_THAT([&] { options.validate(); },
                ThrowsMessage<InputError>(HasSubstr("choose --solver highs")));
    options.solver = lp::SolverKind::highs;
    EXPECT_NO_THROW(options.validate());
}

TEST(OptionsTest, TrainingMustEnd) {
    auto options = valid();
    options.stopping.erase(options.stopping.begin());
    EXPECT_THAT([&] { options.validate(); },
                ThrowsMessage<InputError>(HasSubstr("no iteration_limit")));
}

TEST(OptionsTest, ASimulationNeedsAScenario) {
    SimulateOptions options;
    options.scenarios = 0;
    EXPECT_THAT([&] { options.validate(); },
                ThrowsMessage<InputError>(AllOf(HasSubstr("num_scenarios"), HasSubstr("is 0 "))));
}

}  // namespace
}  // namespace lockstep::sddp
