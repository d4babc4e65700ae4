#include <gtest/gtest.h>

#include "lockstep/rl/environments/registry.hpp"
#include "lockstep/rl/time_limit.hpp"

#include "examples/rl/pond.hpp"
#include "support/rl/battery.hpp"

namespace lockstep::rl {
namespace {

// The battery is for environments of users too.
TEST(OwnEnvironmentTest, StandsTheBattery) {
    test::run_battery(Pond());
    test::run_battery(TimeLimit(Pond(), 50));
}

}  // namespace
}  // namespace lockstep::rl
