#include "lockstep/base/quotient.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(QuotientTest, ReadsNumbersAndQuotientsOfTwo) {
    EXPECT_EQ(parse_quotient("0.25"), 0.25);
    EXPECT_EQ(parse_quotient("-1e-3"), -0.001);
    EXPECT_EQ(parse_quotient("1/3"), 1.0 / 3.0);
    EXPECT_EQ(parse_quotient("-2/0.5"), -4.0);
}

TEST(QuotientTest, RefusesEverythingElse) {
    for (const char* text : {"",
                             "/",
                             "1/",
                             "/3",
                             "1/0",
                             "0/0",
                             "nan",
                             "inf",
                             "1/inf",
                             "1e400",
                             " 1",
                             "1 ",
                             "1/2/3",
                             "+1",
                             "0x1",
                             "one"}) {
        EXPECT_FALSE(parse_quotient(text)) << text;
    }
}

}  // namespace
}  // namespace lockstep
