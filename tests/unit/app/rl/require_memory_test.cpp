#include "app/rl/require_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr auto gibibyte = std::int64_t{1} << 30;

TEST(RequireMemoryTest, RefusesMoreThanThereIs) {
    EXPECT_NO_THROW(require_memory("learning garnet", 1000, 1000, "less"));
    EXPECT_NO_THROW(require_memory("learning garnet", 1000, 0, "less"));
    EXPECT_THAT([] { require_memory("solving garnet", 3 * gibibyte, gibibyte, "fewer states"); },
                ThrowsMessage<InputError>(AllOf(HasSubstr("solving garnet takes 3.0 GiB"),
                                                HasSubstr("has 1.0 GiB: take fewer states"))));
}

}  // namespace
}  // namespace lockstep::app
