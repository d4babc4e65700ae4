#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace lockstep::rl {

/// What NumPy's SeedSequence(seed) makes of a seed: the first words of generate_state().
/// @par Source  [Oneill2015]
void numpy_seed_words(std::uint64_t seed, std::span<std::uint32_t> words);

/// The generator of numpy.random.default_rng(seed), PCG64, bit for bit: with it, seeds give the
/// episodes that they give in Gymnasium.
/// @par Source  [Oneill2014]
class NumpyRandom {
public:
    explicit NumpyRandom(std::uint64_t seed);

    /// The next 64 bits.
    std::uint64_t bits() noexcept;
    /// Generator.random()
    double uniform() noexcept;
    /// Generator.integers(count), and the index that Generator.choice takes of as many values.
    /// None is drawn for a count of 1; two neighbouring calls share 64 bits, whatever comes
    /// between.
    std::uint32_t below(std::uint32_t count) noexcept;
    void skip() noexcept { static_cast<void>(bits()); }

private:
    using Wide = std::array<std::uint64_t, 2>;  // low, high

    std::uint32_t half() noexcept;

    Wide state_{};
    Wide increment_{};
    std::uint32_t kept_ = 0;
    bool has_kept_ = false;
};

}  // namespace lockstep::rl
