#include "sddp/hydro/process/noise/sobol.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {
namespace {

constexpr std::size_t digits = 32;
using Directions = std::array<std::uint32_t, digits>;

constexpr std::uint16_t table[] = {
#include "sddp/hydro/process/noise/sobol_directions.inc"
};

/// Of the first dimension: the digits of the index in reverse.
Directions van_der_corput() {
    Directions result{};
    for (std::size_t i = 0; i < digits; ++i) {
        result[i] = std::uint32_t{1} << (digits - 1 - i);
    }
    return result;
}

/// Continues the m_1 … m_s of `record` (s, a, m_1 …) by the recurrence of the primitive polynomial.
Directions continued(const std::uint16_t* record) {
    const std::size_t degree = record[0];
    const std::uint32_t inner = record[1];
    Directions result{};
    for (std::size_t i = 0; i < digits; ++i) {
        if (i < degree) {
            result[i] = std::uint32_t{record[2 + i]} << (digits - 1 - i);
            continue;
        }
        result[i] = result[i - degree] ^ result[i - degree] >> degree;
        for (std::size_t k = 1; k < degree; ++k) {
            const bool is_set = (inner >> (degree - 1 - k) & 1) != 0;
            result[i] ^= is_set ? result[i - k] : 0;
        }
    }
    return result;
}

std::vector<Directions> all_directions() {
    std::vector<Directions> result = {van_der_corput()};
    const std::uint16_t* record = table;
    while (result.size() < sobol_dimensions) {
        result.push_back(continued(record));
        record += 2 + record[0];
    }
    return result;
}

}  // namespace

std::uint32_t sobol_bits(std::size_t dimension, std::uint32_t index) {
    static const std::vector<Directions> directions = all_directions();
    std::uint32_t bits = 0;
    for (; index != 0; index &= index - 1) {
        bits ^= directions[dimension][at(std::countr_zero(index))];
    }
    return bits;
}

SobolScramble::SobolScramble(cobre::Generator& stream)
    : factor(stream.next32() | 1), shift(stream.next32()) {}

double SobolScramble::operator()(std::uint32_t bits) const {
    constexpr double half_cell = 0x1p-33;  // keeps the point 0 off the end of the interval
    return std::max(static_cast<double>(factor * bits + shift) * 0x1p-32, half_cell);
}

}  // namespace lockstep::sddp
