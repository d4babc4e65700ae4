#include "lockstep/runtime/random.hpp"

#include <cstddef>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/math.hpp"

#include "runtime/philox.hpp"

namespace lockstep::runtime {
namespace {

std::uint32_t low_word(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

std::uint32_t high_word(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
}

// 52 bits and a half, so that neither end of the interval is reached.
double to_uniform(std::uint32_t low, std::uint32_t high) {
    const std::uint64_t bits = std::uint64_t{high} << 32 | low;
    return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

}  // namespace

Random::Random(std::uint64_t seed, std::string_view purpose) {
    DigestBuilder builder;
    builder.add(seed);
    builder.add(purpose);
    key_ = builder.digest()[0];
}

std::array<double, 2> Random::pair_of(std::uint64_t item,
                                      std::uint32_t step,
                                      std::uint32_t pair) const {
    const auto block =
        philox({pair, step, low_word(item), high_word(item)}, {low_word(key_), high_word(key_)});
    return {to_uniform(block[0], block[1]), to_uniform(block[2], block[3])};
}

double Random::uniform01(std::uint64_t item, std::uint32_t step, std::uint32_t dimension) const {
    return pair_of(item, step, dimension / 2)[dimension % 2];
}

double Random::normal(std::uint64_t item, std::uint32_t step, std::uint32_t dimension) const {
    return math::normal_quantile(uniform01(item, step, dimension));
}

void Random::fill_uniform01(std::uint64_t item,
                            std::uint32_t step,
                            std::span<double> values) const {
    for (std::size_t i = 0; i < values.size(); i += 2) {
        const auto pair = pair_of(item, step, static_cast<std::uint32_t>(i / 2));
        values[i] = pair[0];
        if (i + 1 < values.size()) {
            values[i + 1] = pair[1];
        }
    }
}

void Random::fill_normal(std::uint64_t item, std::uint32_t step, std::span<double> values) const {
    fill_uniform01(item, step, values);
    for (double& value : values) {
        value = math::normal_quantile(value);
    }
}

}  // namespace lockstep::runtime
