#include "rl/exchange/numbers.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/draws.hpp"
#include "lockstep/rl/environments/split_mix.hpp"

#include "rl/exchange/delta.hpp"

namespace lockstep::rl {
namespace {

using Numbers = std::vector<std::uint64_t>;

std::vector<std::byte> packed(const Numbers& numbers) {
    std::vector<std::byte> bytes;
    put_numbers(numbers, bytes);
    return bytes;
}

Numbers unpacked(std::span<const std::byte> bytes, std::size_t count) {
    Numbers numbers(count);
    take_numbers(bytes, numbers);
    EXPECT_TRUE(bytes.empty());
    return numbers;
}

TEST(Numbers, ComeBackWhateverTheirSizes) {
    for (const int bits : {0, 1, 3, 8, 20, 32, 47}) {
        for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
            Numbers numbers;
            for (std::uint64_t i = 0; i < count; ++i) {
                numbers.push_back(split_mix(1, i) & ((std::uint64_t{1} << bits) - 1));
            }
            EXPECT_EQ(unpacked(packed(numbers), count), numbers) << bits << ' ' << count;
        }
    }
    const Numbers mixed{0, (std::uint64_t{1} << 48) - 1, 1, UINT32_MAX, 0};
    EXPECT_EQ(unpacked(packed(mixed), mixed.size()), mixed);
}

// Of order 1: 0 is 1 0, 1 is 1 1, 2 is 0 1 0 0 (as bits go), after the byte with the order.
TEST(Numbers, AreExponentialGolombCodes) {
    const Numbers numbers{0, 1, 1, 0, 2, 1, 0, 1};
    const auto bytes = packed(numbers);
    ASSERT_EQ(bytes.size(), 4U);
    EXPECT_EQ(bytes[0], std::byte{1});
    EXPECT_EQ(bytes[1], std::byte{0b01111101});
    EXPECT_EQ(bytes[2], std::byte{0b01110010});
    EXPECT_EQ(bytes[3], std::byte{0b11});
}

TEST(Numbers, TakeHardlyMoreBitsThanTheyHave) {
    Numbers numbers;
    for (std::uint64_t i = 0; i < 10'000; ++i) {  // a mean of 15: 5.4 bits of entropy
        numbers.push_back(
            static_cast<std::uint64_t>(-15 * std::log(unit_interval(split_mix(2, i)))));
    }
    EXPECT_LT(static_cast<double>(packed(numbers).size()), 10'000 * 5.9 / 8);
}

TEST(Numbers, CutOnesAreRefused) {
    const Numbers numbers{5, 70'000, 3, 0, 1'000'000};
    const auto bytes = packed(numbers);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        Numbers back(numbers.size());
        auto rest = std::span(bytes).first(length);
        EXPECT_THROW(take_numbers(rest, back), InputError) << length;
    }
    for (int byte = 0; byte < 256; ++byte) {  // anything may come
        const std::vector<std::byte> noise(40, static_cast<std::byte>(byte));
        Numbers back(30);
        auto rest = std::span(noise);
        try {
            take_numbers(rest, back);
        } catch (const InputError&) {
        }
    }
}

TEST(ScaledValues, AreWithinAMillionthOfTheLargest) {
    std::vector<double> values{0, -13, 1e-9, 99.5};
    for (std::uint64_t i = 0; i < 1000; ++i) {
        values.push_back(200 * unit_interval(split_mix(3, i)) - 100);
    }
    std::vector<std::byte> bytes;
    put_values(values, Width::scaled, bytes);
    EXPECT_LT(bytes.size(), 3 * values.size());
    std::vector<double> back(values.size());
    std::span<const std::byte> rest = bytes;
    take_values(rest, Width::scaled, back);
    EXPECT_TRUE(rest.empty());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(back[i], values[i], 128 * 0x1p-21) << i;
    }
    EXPECT_EQ(back[1], -13);  // a multiple of the step
}

TEST(ScaledValues, AreForModerateNumbers) {
    EXPECT_EQ(scaled_if_moderate(std::vector<double>{0, 1e200, -3}), Width::scaled);
    EXPECT_EQ(scaled_if_moderate(std::vector<double>{}), Width::scaled);
    EXPECT_EQ(scaled_if_moderate(std::vector<double>{1e300}), Width::f64);
    EXPECT_EQ(scaled_if_moderate(std::vector<double>{NAN}), Width::f64);
    for (const double value : {0.0, 5e-324, 1e200, -1e200}) {
        std::vector<std::byte> bytes;
        put_values(std::vector<double>{value}, Width::scaled, bytes);
        std::vector<double> back(1);
        std::span<const std::byte> rest = bytes;
        take_values(rest, Width::scaled, back);
        EXPECT_NEAR(back[0], value, std::abs(value) * 1e-6 + 1e-250) << value;
    }
}

}  // namespace
}  // namespace lockstep::rl
