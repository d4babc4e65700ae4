#include "lockstep/rl/numpy_random.hpp"

#include <bit>
#include <cstddef>

#include "lockstep/rl/draws.hpp"

namespace lockstep::rl {
namespace {

__extension__ using Word128 = unsigned __int128;

constexpr Word128 multiplier = (Word128{2549297995355413924U} << 64U) + 4865540595714422341U;

// One of the two running hashes of a seed sequence.
class RunningHash {
public:
    RunningHash(std::uint32_t start, std::uint32_t factor) : constant_(start), factor_(factor) {}

    std::uint32_t operator()(std::uint32_t value) {
        value ^= constant_;
        constant_ *= factor_;
        value *= constant_;
        return value ^ value >> 16U;
    }

private:
    std::uint32_t constant_;
    std::uint32_t factor_;
};

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t result = 0xCA01F9DDU * x - 0x4973F715U * y;
    return result ^ result >> 16U;
}

using Pool = std::array<std::uint32_t, 4>;

Pool pool_of(std::uint64_t seed) {
    RunningHash hash(0x43B0D7E5U, 0x931E8875U);
    Pool pool{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U), 0, 0};
    for (std::uint32_t& word : pool) {
        word = hash(word);
    }
    for (std::size_t from = 0; from < pool.size(); ++from) {
        for (std::size_t to = 0; to < pool.size(); ++to) {
            if (from != to) {
                pool[to] = mix(pool[to], hash(pool[from]));
            }
        }
    }
    return pool;
}

Word128 wide(const std::array<std::uint64_t, 2>& words) {
    return Word128{words[1]} << 64U | words[0];
}

std::array<std::uint64_t, 2> narrow(Word128 value) {
    return {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64U)};
}

std::uint64_t joined(std::uint32_t low, std::uint32_t high) {
    return std::uint64_t{high} << 32U | low;
}

}  // namespace

void numpy_seed_words(std::uint64_t seed, std::span<std::uint32_t> words) {
    const Pool pool = pool_of(seed);
    RunningHash hash(0x8B51F9DDU, 0x58F38DEDU);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = hash(pool[i % pool.size()]);
    }
}

NumpyRandom::NumpyRandom(std::uint64_t seed) {
    std::array<std::uint32_t, 8> words{};
    numpy_seed_words(seed, words);
    const Wide start{joined(words[2], words[3]), joined(words[0], words[1])};
    const Wide sequence{joined(words[6], words[7]), joined(words[4], words[5])};
    increment_ = narrow(wide(sequence) << 1U | 1U);
    state_ = narrow(wide(increment_) + wide(start));
    skip();
}

std::uint64_t NumpyRandom::bits() noexcept {
    state_ = narrow(wide(state_) * multiplier + wide(increment_));
    return std::rotr(state_[1] ^ state_[0], static_cast<int>(state_[1] >> 58U));
}

double NumpyRandom::uniform() noexcept {
    return unit_interval(bits());
}

std::uint32_t NumpyRandom::half() noexcept {
    if (has_kept_) {
        has_kept_ = false;
        return kept_;
    }
    const std::uint64_t whole = bits();
    kept_ = static_cast<std::uint32_t>(whole >> 32U);
    has_kept_ = true;
    return static_cast<std::uint32_t>(whole);
}

// Products that fall into the first 2^32 mod count are drawn again, so that no value is favoured.
std::uint32_t NumpyRandom::below(std::uint32_t count) noexcept {
    if (count <= 1) {
        return 0;
    }
    std::uint64_t product = std::uint64_t{half()} * count;
    while (static_cast<std::uint32_t>(product) < (0U - count) % count) {
        product = std::uint64_t{half()} * count;
    }
    return static_cast<std::uint32_t>(product >> 32U);
}

}  // namespace lockstep::rl
