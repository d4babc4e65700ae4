#include "lockstep/base/number.hpp"

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(ParseNumber, TakesWhatIsANumberAltogether) {
    EXPECT_EQ(parse_number<int>("-17"), -17);
    EXPECT_EQ(parse_number<double>("1e-3"), 0.001);
    EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
}

TEST(ParseNumber, TakesNothingElse) {
    for (const char* text : {"", " 1", "1 ", "+1", "1.5", "one", "0x10", "3000000000"}) {
        EXPECT_FALSE(parse_number<int>(text)) << text;
    }
    EXPECT_FALSE(parse_number<std::size_t>("-1"));
    EXPECT_FALSE(parse_number<double>("1,5"));
}

}  // namespace
}  // namespace lockstep
