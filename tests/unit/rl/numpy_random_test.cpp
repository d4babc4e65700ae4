#include "lockstep/rl/numpy_random.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "support/rl_data.hpp"

namespace lockstep::rl {
namespace {

using test::array;
using test::integer;
using test::member;
using test::number;

TEST(NumpyRandomTest, SeedsAsNumpyDoes) {
    const io::Json golden = test::rl_data("golden.json");
    std::vector<std::uint32_t> words(8);
    numpy_seed_words(42, words);
    std::size_t i = 0;
    for (const io::Json& word : array(member(golden, {"pcg64", "seedsequence_42_words8"}))) {
        EXPECT_EQ(words[i++], std::stoul(*word.if_string(), nullptr, 16));
    }
}

TEST(NumpyRandomTest, DrawsTheNumbersOfSeed42) {
    const io::Json golden = test::rl_data("golden.json");
    NumpyRandom reals(42);
    for (const io::Json& value : array(member(golden, {"pcg64", "seed42_random3"}))) {
        EXPECT_EQ(reals.uniform(), number(value));
    }
    NumpyRandom integers(42);
    for (const io::Json& value : array(member(golden, {"pcg64", "seed42_integers13"}))) {
        EXPECT_EQ(integers.below(13), integer(value));
    }
}

// Bounds of 1, which draw nothing, and of 2^31 + 1, half of whose draws are drawn again.
TEST(NumpyRandomTest, DrawsMixturesOfRealsAndIntegersAsNumpyDoes) {
    const io::Json file = test::rl_data("gymnasium.json");
    for (const io::Json& draws : array(member(file, {"draws"}))) {
        NumpyRandom random(static_cast<std::uint64_t>(integer(member(draws, {"seed"}))));
        const auto& values = array(member(draws, {"values"}));
        std::size_t i = 0;
        for (const io::Json& bound : array(member(draws, {"bounds"}))) {
            const auto count = static_cast<std::uint32_t>(integer(bound));
            const double drawn = count == 0 ? random.uniform() : random.below(count);
            ASSERT_EQ(drawn, number(values[i])) << "draw " << i;
            ++i;
        }
    }
}

}  // namespace
}  // namespace lockstep::rl
