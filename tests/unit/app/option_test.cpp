#include "lockstep/app/option.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/app/options_page.hpp"
#include "lockstep/app/rl/options.hpp"
#include "lockstep/app/run_options.hpp"
#include "lockstep/app/sddp/options.hpp"
#include "lockstep/app/xpcs/options.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "support/places.hpp"

namespace lockstep::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Type = Option::Type;

Option of_type(Type type) {
    Option option;
    option.name = "some";
    option.type = type;
    return option;
}

TEST(OptionTest, TellsWhatIsNoValue) {
    auto whole = of_type(Type::whole);
    whole.least = 1;
    whole.most = 4096;
    whole.unit = "hours";
    EXPECT_EQ(complaint(whole, "7"), "");
    EXPECT_EQ(complaint(whole, "1e3"), "");
    for (const char* wrong : {"0", "4097", "1.5", "x", "1 ", "nan"}) {
        EXPECT_EQ(complaint(whole, wrong),
                  "'" + std::string(wrong) + "' must be a whole number from 1 to 4096 hours");
    }
    EXPECT_EQ(complaint(whole, ""), "must not be empty");
    auto real = of_type(Type::real);
    real.least = 0;
    EXPECT_EQ(complaint(real, "0.5"), "");
    EXPECT_EQ(complaint(real, "-1"), "'-1' must be a number of 0 or more");
    real.least = above_zero;
    EXPECT_EQ(complaint(real, "1e-300"), "");
    EXPECT_EQ(complaint(real, "0"), "'0' must be a number above 0");
    real.least = 0;
    EXPECT_EQ(complaint(real, "inf"), "'inf' must be a number of 0 or more");
    auto choice = of_type(Type::choice);
    choice.choices = {"clp", "highs", "other"};
    EXPECT_EQ(complaint(choice, "highs"), "");
    EXPECT_EQ(complaint(choice, "h"), "'h' must be clp, highs or other");
    EXPECT_EQ(complaint(of_type(Type::boolean), "yes"), "'yes' must be true or false");
    EXPECT_EQ(complaint(of_type(Type::place), ""), "must not be empty");
    EXPECT_EQ(complaint(of_type(Type::pair), "=3"), "'=3' must be key=value");
    EXPECT_EQ(complaint(of_type(Type::pair), "a="), "");
    EXPECT_EQ(complaint(of_type(Type::number), "0,45.5,90"), "");
    EXPECT_NE(complaint(of_type(Type::number), "0,,90"), "");
}

TEST(OptionTest, IsSetByItsNameOrAnAlias) {
    XpcsRequest request;
    const auto table = xpcs_run_options(XpcsWork::both);
    set_option(table, request, "n-chains", "3");
    set_option(table, request, "cmc_num_shards", "4");
    set_option(table, request, "fix", "D0");
    set_option(table, request, "fix", "alpha=-1.5");
    set_option(table, request, "time_limit", "2min");
    EXPECT_EQ(request.chains, 3);
    EXPECT_EQ(request.shards, 4);
    ASSERT_EQ(request.held.size(), 2U);
    EXPECT_EQ(request.held[1].second, -1.5);
    EXPECT_EQ(request.time_limit, 120);
}

TEST(OptionTest, RefusesNamesAndValuesThatAreNone) {
    const auto complain = [](const char* name, const char* text) -> std::string {
        CaseRequest request;
        try {
            set_option(run_case_options(), request, name, text);
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(complain("thread", "3"),
                AllOf(HasSubstr("no option thread"), HasSubstr("threads")));
    EXPECT_EQ(complain("threads", "0"), "threads: '0' must be a whole number from 1 to 4096");
    EXPECT_EQ(complain("solver", "glpk"), "solver: 'glpk' must be clp or highs");
}

template <typename Request>
void expect_whole_records(const OptionTable<Request>& table) {
    std::set<std::string> names;
    for (const auto& [option, set] : table) {
        SCOPED_TRACE(std::string(option.name));
        EXPECT_TRUE(names.insert(std::string(option.name)).second);
        for (const auto alias : option.aliases) {
            EXPECT_TRUE(names.insert(std::string(alias)).second) << alias;
        }
        EXPECT_EQ(option.name.find('-'), std::string::npos);
        EXPECT_FALSE(option.about.empty());
        const bool is_switch = option.type == Type::flag || option.type == Type::off_switch;
        EXPECT_EQ(option.value.empty(), is_switch);
        EXPECT_EQ(option.choices.empty(), option.type != Type::choice);
        for (const auto other : {option.needs, option.excludes}) {
            EXPECT_TRUE(other.empty() || find_option(table, other) != nullptr) << other;
        }
        EXPECT_TRUE(set);
    }
}

TEST(OptionTest, EveryEngineHasWholeRecordsOfItsOptions) {
    expect_whole_records(run_case_options());
    expect_whole_records(simulate_case_options());
    expect_whole_records(policy_options());
    expect_whole_records(xpcs_run_options(XpcsWork::both));
    expect_whole_records(xpcs_run_options(XpcsWork::fit));
    expect_whole_records(xpcs_batch_options());
    expect_whole_records(xpcs_simulate_options());
    expect_whole_records(solve_options());
    expect_whole_records(train_request_options());
    expect_whole_records(evaluate_options());
}

TEST(OptionTest, ThePageOfOptionsIsThatOfTheProgram) {
    EXPECT_EQ(io::read_file(test::source_dir() / "docs/options.md"), options_page())
        << "docs/options.md is out of date: build/release/lockstep man --options > docs/options.md";
}

}  // namespace
}  // namespace lockstep::app
