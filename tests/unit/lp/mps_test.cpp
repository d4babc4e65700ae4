#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <Highs.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/lp/model.hpp"

#include "conformance/lp/random_lp.hpp"
#include "unit/lp/read_mps.hpp"

namespace lockstep::lp::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ReadBack read_with_highs(const std::string& path) {
    Highs highs;
    highs.setOptionValue("output_flag", false);
    highs.setOptionValue("threads", 1);
    if (highs.readModel(path) == HighsStatus::kError) {
        throw std::runtime_error("HiGHS cannot read " + path);
    }
    highs.run();
    if (highs.getModelStatus() != HighsModelStatus::kOptimal) {
        throw std::runtime_error("HiGHS cannot solve " + path);
    }
    return {
        highs.getInfo().objective_function_value, highs.getLp().num_col_, highs.getLp().num_row_};
}

class MpsTest : public ::testing::Test {
protected:
    MpsTest() {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        path_ =
            (std::filesystem::temp_directory_path() /
             ("lockstep_mps_" + std::string(info->name()) + std::to_string(::getpid()) + ".mps"))
                .string();
    }
    ~MpsTest() override { std::filesystem::remove(path_); }

    void write(const std::string& text) const { std::ofstream(path_) << text; }

    void expect_read_back(const KnownLp& known, const std::string& text) const {
        write(text);
        const double tolerance = 1e-7 * (1.0 + std::abs(known.optimum));
        const ReadBack highs = read_with_highs(path_);
        EXPECT_EQ(highs.columns, known.model.columns());
        EXPECT_EQ(highs.rows, known.model.rows());
        EXPECT_NEAR(highs.optimum, known.optimum, tolerance);
        if (const std::optional<ReadBack> clp = read_with_clp(path_)) {
            EXPECT_EQ(clp->columns, known.model.columns());
            EXPECT_EQ(clp->rows, known.model.rows());
            EXPECT_NEAR(clp->optimum, known.optimum, tolerance);
        }
    }

    std::string path_;
};

TEST_F(MpsTest, IsReadBackWithTheSameOptimum) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const KnownLp known = make_known_lp({.rows = 8, .columns = 15}, seed);
        expect_read_back(known, to_mps(known.model));
    }
}

TEST_F(MpsTest, IsReadBackWithHostileNames) {
    const KnownLp known = make_known_lp({.rows = 5, .columns = 9}, 1);
    const std::vector<std::string> columns{
        "reservoir of Furnas", "RHS", "", "c0", "c0", "$1", "a*b", "é", "1.5"};
    const std::vector<std::string> rows{
        "OBJ", "balance\n2", std::string(400, 'x'), std::string(400, 'x'), "-"};

    expect_read_back(known, to_mps(known.model, columns, rows));
}

/// minimise 3x - y: 1 <= x <= 4 as a range, x + 2y <= 8, y free, z fixed, w boxed below zero.
Model small() {
    ModelBuilder builder;
    builder.add_column(3.0, 0.0, infinity);
    builder.add_column(-1.0, -infinity, infinity);
    builder.add_column(0.0, 2.5, 2.5);
    builder.add_column(0.1, -infinity, -1.0);
    builder.add_row(1.0, 4.0);
    builder.add_row(-infinity, 8.0);
    builder.add_row(-infinity, infinity);
    builder.add_entry(0, 0, 1.0);
    builder.add_entry(1, 0, 1.0);
    builder.add_entry(1, 1, 2.0);
    return builder.build();
}

TEST(MpsTextTest, SaysRangesAndBounds) {
    const std::string text = to_mps(small());

    EXPECT_THAT(text, HasSubstr("ROWS\n N OBJ\n G r0\n L r1\n N r2\nCOLUMNS\n"));
    EXPECT_THAT(text,
                HasSubstr(" c0 OBJ 3\n c0 r0 1\n c0 r1 1\n c1 OBJ -1\n c1 r1 2\n c2 OBJ 0\n"));
    EXPECT_THAT(text, HasSubstr("RHS\n RHS r0 1\n RHS r1 8\nRANGES\n RNG r0 3\nBOUNDS\n"));
    EXPECT_THAT(text,
                HasSubstr(" LO BND c0 0\n FR BND c1\n FX BND c2 2.5\n MI BND c3\n UP BND c3 -1\n"));
}

TEST(MpsTextTest, KeepsAllDigits) {
    ModelBuilder builder;
    builder.add_column(0.1 + 0.2, 0.0, 1.0);

    EXPECT_THAT(to_mps(builder.build()), HasSubstr(" c0 OBJ 0.30000000000000004\n"));
}

TEST(MpsTextTest, UsesNames) {
    const std::vector<std::string> columns{"x", "y", "z z", "x"};
    const std::vector<std::string> rows{"range", "cap", "free"};
    const std::string text = to_mps(small(), columns, rows);

    EXPECT_THAT(text, HasSubstr(" x range 1\n"));
    EXPECT_THAT(text, HasSubstr(" FX BND z_z 2.5\n"));
    EXPECT_THAT(text, HasSubstr(" MI BND x_3\n"));
    EXPECT_THAT(text, Not(HasSubstr("c0")));
}

TEST(MpsTextTest, RefusesTheWrongNumberOfNames) {
    const std::vector<std::string> names{"x"};
    EXPECT_THROW(to_mps(small(), names), AssertionError);
    EXPECT_THROW(to_mps(small(), {}, names), AssertionError);
}

}  // namespace
}  // namespace lockstep::lp::testing
