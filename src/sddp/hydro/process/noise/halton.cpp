#include "sddp/hydro/process/noise/halton.hpp"

#include <algorithm>
#include <span>

namespace lockstep::sddp {
namespace {

std::size_t digit_count(std::uint32_t value, std::uint32_t base) {
    std::size_t count = 1;
    while (value /= base) {
        ++count;
    }
    return count;
}

}  // namespace

std::vector<std::uint32_t> first_primes(std::size_t count) {
    std::vector<std::uint32_t> primes;
    for (std::uint32_t candidate = 2; primes.size() < count; ++candidate) {
        const auto divides = [candidate](std::uint32_t prime) { return candidate % prime == 0; };
        if (std::ranges::none_of(primes, divides)) {
            primes.push_back(candidate);
        }
    }
    return primes;
}

void HaltonCoordinate::draw(cobre::Generator& stream, std::uint32_t base, std::uint32_t points) {
    base_ = base;
    digits_ = digit_count(points, base);
    const std::size_t size = digits_ * base;
    permutations_.resize(std::max(permutations_.size(), size));
    for (std::size_t digit = 0; digit < digits_; ++digit) {
        stream.permute(std::span(permutations_).subspan(digit * base, base));
    }
}

double HaltonCoordinate::operator()(std::uint32_t index) const {
    std::uint64_t cell = 0;  // the permuted digits mirrored at the point, as a whole number
    std::uint64_t cells = 1;
    for (std::size_t digit = 0; digit < digits_; ++digit) {
        cell = cell * base_ + permutations_[digit * base_ + index % base_];
        cells *= base_;
        index /= base_;
    }
    return (static_cast<double>(cell) + 0.5) / static_cast<double>(cells);
}

}  // namespace lockstep::sddp
