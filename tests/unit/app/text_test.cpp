#include "lockstep/app/text.hpp"

#include <clocale>
#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace lockstep::app {
namespace {

TEST(TextTest, KeepsSixDigitsAndGroupsThousands) {
    EXPECT_EQ(digits(0), "0");
    EXPECT_EQ(digits(1), "1.00000");
    EXPECT_EQ(digits(6532.114731416), "6,532.11");
    EXPECT_EQ(digits(-182500), "-182,500");
    EXPECT_EQ(digits(132109.4), "132,109");
    EXPECT_EQ(digits(1234567890.0), "1,234,567,890");
    EXPECT_EQ(digits(0.00123456789), "0.00123457");
    EXPECT_EQ(digits(12.3456, 3), "12.3");
}

TEST(TextTest, CarriesIntoTheNextThousand) {
    EXPECT_EQ(digits(999999.7), "1,000,000");
    EXPECT_EQ(digits(999.9996), "1,000.00");
}

TEST(TextTest, WritesExtremeValues) {
    EXPECT_EQ(digits(1e20, 3), "1.00e+20");
    EXPECT_EQ(digits(1e-9, 3), "1.00e-09");
    EXPECT_EQ(digits(std::numeric_limits<double>::quiet_NaN()), "n/a");
    EXPECT_EQ(digits(-std::numeric_limits<double>::infinity()), "-infinite");
}

TEST(TextTest, ChoosesAUnitOfMoney) {
    EXPECT_EQ(money(182500), "182,500 $");
    EXPECT_EQ(money(2626111.1111), "2,626,111 $");
    EXPECT_EQ(money(6532114731.416), "6,532.11 M$");
    EXPECT_EQ(money(-132109152490.0), "-132,109 M$");
    EXPECT_EQ(money(0), "0 $");
}

TEST(TextTest, GroupsCounts) {
    EXPECT_EQ(count(0), "0");
    EXPECT_EQ(count(999), "999");
    EXPECT_EQ(count(1000), "1,000");
    EXPECT_EQ(count(-1234567), "-1,234,567");
    EXPECT_EQ(plural(1, "cut"), "1 cut");
    EXPECT_EQ(plural(2000, "cut"), "2,000 cuts");
}

TEST(TextTest, WritesDurations) {
    EXPECT_EQ(duration(0.04), "0.0 s");
    EXPECT_EQ(duration(9.94), "9.9 s");
    EXPECT_EQ(duration(9.96), "10 s");
    EXPECT_EQ(duration(59.6), "1 min 00 s");
    EXPECT_EQ(duration(200), "3 min 20 s");
    EXPECT_EQ(duration(7500), "2 h 05 min");
    EXPECT_EQ(duration(-1), "n/a");
}

TEST(TextTest, WritesShares) {
    EXPECT_EQ(percent(0.654), "65.4 %");
    EXPECT_EQ(percent(1), "100 %");
    EXPECT_EQ(percent(0.00012345), "0.012 %");
    EXPECT_EQ(percent(0), "0 %");
    EXPECT_EQ(percent(std::numeric_limits<double>::quiet_NaN()), "n/a");
    EXPECT_EQ(percent(3120.0), "312,000 %");
}

TEST(TextTest, DoesNotDependOnTheLocale) {
    const TemporaryFolder folder;
    const auto made =
        std::system(("localedef -i de_DE -f UTF-8 " + (folder / "de_DE.UTF-8").string()).c_str());
    ::setenv("LOCPATH", (folder / ".").c_str(), 1);
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
        GTEST_SKIP() << "no German locale can be made here (localedef ended with " << made << ")";
    }
    EXPECT_EQ(digits(1234.5), "1,234.50");
    EXPECT_EQ(exact(0.1), "0.1");
    std::setlocale(LC_ALL, "C");
}

TEST(TextTest, PutsReasonsToStopInWords) {
    EXPECT_EQ(stop_words("iteration_limit"), "iteration limit");
    EXPECT_EQ(stop_words("graceful_shutdown"), "request");
}

TEST(TextTest, WritesAllDigitsOnDemand) {
    EXPECT_EQ(exact(0.1), "0.1");
    EXPECT_EQ(exact(2626111.111111111), "2626111.111111111");
}

}  // namespace
}  // namespace lockstep::app
