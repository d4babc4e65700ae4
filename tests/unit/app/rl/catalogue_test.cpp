#include "lockstep/app/rl/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

TEST(CatalogueTest, HasALineForEachThing) {
    for (const auto& chapter : catalogue()) {
        EXPECT_FALSE(chapter.entries.empty()) << chapter.name;
        for (const auto& entry : chapter.entries) {
            EXPECT_FALSE(entry.name.empty()) << chapter.name;
            EXPECT_FALSE(entry.about.empty()) << entry.name;
            EXPECT_EQ(entry.about.find('\n'), std::string::npos) << entry.name;
        }
    }
    EXPECT_EQ(catalogue().front().entries.size(), rl::environments().size());
}

TEST(CatalogueTest, TellsWhatAnEnvironmentIs) {
    const auto facts = environment_facts("taxi-V3");

    EXPECT_EQ(facts.entry.name, "Taxi-v4");
    EXPECT_EQ(facts.states, 500);
    EXPECT_EQ(facts.actions, 6);
    EXPECT_TRUE(facts.is_known);
    EXPECT_EQ(*to_json(facts).find("states")->if_integer(), 500);
}

TEST(CatalogueTest, GuessesTheNameThatWasMeant) {
    try {
        environment_facts("tictactoo");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("did you mean \"tictactoe\"?"));
    }
}

}  // namespace
}  // namespace lockstep::app
