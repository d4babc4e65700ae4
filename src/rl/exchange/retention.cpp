#include "rl/exchange/retention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"

namespace lockstep::rl {
namespace {

constexpr double log_2 = 0x1.62e42fefa39efp-1;

}  // namespace

// Between grid points the sum over visits is the trapezoid of its ends: alpha changes little there.
Retention::Retention(const StepSize& rule) : sums_(std::size_t{1} << bits, 0) {
    const StepSizes alpha(rule);
    first_whole_ = alpha(1) >= 1;
    always_whole_ = first_whole_ && alpha(2) >= 1;
    for (std::size_t k = 0; k < roots_.size(); ++k) {
        roots_[k] = math::pow(2, -static_cast<double>(k) / 256);
    }
    const auto lost = [&](std::uint64_t n) {
        const double a = alpha(static_cast<std::uint32_t>(std::min<std::uint64_t>(n, UINT32_MAX)));
        return a >= 1 ? 0 : -math::log(1 - a) / log_2 * 256;
    };
    const auto whole = [](double x) { return static_cast<std::int64_t>(std::floor(x)); };
    double total = 0;
    std::uint64_t n = 0;
    const auto advance = [&](std::uint64_t stride) {
        total += static_cast<double>(stride) * (lost(n + 1) + lost(n + stride)) / 2;
        n += stride;
        return whole(total);
    };
    for (std::size_t i = 1; i < sums_.size(); ++i) {
        sums_[i] = advance(1);
    }
    sums_.push_back(advance(1));
    for (unsigned shift = 1; shift + bits <= 32; ++shift) {
        for (std::size_t i = 0; i < std::size_t{1} << (bits - 1); ++i) {
            sums_.push_back(advance(std::uint64_t{1} << shift));
        }
    }
}

std::int64_t Retention::sum(std::uint32_t visits) const noexcept {
    const auto width = static_cast<unsigned>(std::bit_width(visits));
    if (width <= bits) {
        return sums_[visits];
    }
    // From the point below on the straight line to the next.
    const unsigned shift = width - bits;
    const std::uint32_t head = visits >> shift;
    const std::size_t half = std::size_t{1} << (bits - 1);
    const std::size_t i = std::size_t{shift} * half + head;
    const std::int64_t rest = visits - (head << shift);
    return sums_[i] + (sums_[i + 1] - sums_[i]) * rest / (std::int64_t{1} << shift);
}

double Retention::left(std::int64_t loss) const noexcept {
    if (loss >= nothing) {
        return 0;
    }
    const auto whole =
        std::bit_cast<double>((1023 - static_cast<std::uint64_t>(loss) / 256) << 52U);
    return roots_[static_cast<std::size_t>(loss) % 256] * whole;
}

}  // namespace lockstep::rl
