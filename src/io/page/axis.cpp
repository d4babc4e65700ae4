#include "io/page/axis.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lockstep/base/math.hpp"

namespace lockstep::io {

namespace {

constexpr double largest_drawable = 1e300;

double power_of_ten(int exponent) {
    const std::string digits = fmt::format("1e{}", exponent);
    double value = 0.0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

/// The smallest of 1, 2, 5, 10, 20, … times a power of ten that is not below `value`.
double round_step(double value) {
    const double decade = power_of_ten(decade_of(value));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (value <= factor * decade * (1.0 + 1e-9)) {
            return factor * decade;
        }
    }
    return 10.0 * decade;
}

/// Widens a range without extent, so that a constant line runs through the middle.
Range with_extent(Range range) {
    const double size = std::max(std::abs(range.low), std::abs(range.high));
    if (range.high - range.low > 1e-10 * size && size > 1e-290) {
        return range;
    }
    const double margin = size > 1e-290 ? 0.1 * size : 1.0;
    return {range.low - margin, range.high + margin, false};
}

std::vector<double> multiples(double first, double last, double step) {
    std::vector<double> ticks;
    // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): whole numbers, added exactly
    for (double k = first; k <= last; k += 1.0) {
        ticks.push_back(k == 0.0 ? 0.0 : k * step);
    }
    return ticks;
}

/// 1, 2 and 5 times every power of ten, from the last that is not above `low` to the first that is
/// not below `high`.
std::vector<double> log_ticks(double low, double high) {
    std::vector<double> ticks;
    for (int decade = decade_of(low) - 1; decade <= decade_of(high) + 1; ++decade) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double tick = factor * power_of_ten(decade);
            if (tick <= low) {
                ticks.assign(1, tick);
            } else if (ticks.back() < high) {
                ticks.push_back(tick);
            }
        }
    }
    return ticks;
}

std::vector<double> thinned(const std::vector<double>& ticks, int most) {
    const bool crowded = static_cast<int>(ticks.size()) > most;
    std::vector<double> decades;
    std::copy_if(ticks.begin(), ticks.end(), std::back_inserter(decades), [&](double tick) {
        return !crowded || tick <= power_of_ten(decade_of(tick)) * 1.5;
    });
    const std::size_t stride =
        1 + decades.size() / (static_cast<std::size_t>(std::max(most, 1)) + 1);
    std::vector<double> kept;
    for (std::size_t i = 0; i < decades.size(); i += stride) {
        kept.push_back(decades[i]);
    }
    return kept;
}

struct Suffix {
    double factor;
    const char* letter;
};

/// The suffix of the largest value of an axis or of one value; none below `least`.
Suffix suffix_for(double size, double least) {
    constexpr Suffix suffixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    if (size >= least && size < 1e15) {
        for (const Suffix& suffix : suffixes) {
            if (size >= suffix.factor) {
                return suffix;
            }
        }
    }
    return {1.0, ""};
}

/// Separators into the whole part of a plain decimal number.
std::string grouped(std::string number) {
    const std::size_t first = number.find_first_of("0123456789");
    if (first == std::string::npos || number.find('e') != std::string::npos) {
        return number;
    }
    std::size_t end = number.find_first_not_of("0123456789", first);
    end = std::min(end, number.size());
    while (end > first + 3) {
        end -= 3;
        number.insert(end, 1, ',');
    }
    return number;
}

/// A true minus sign instead of a hyphen.
std::string with_minus(std::string text) {
    if (!text.empty() && text.front() == '-') {
        text.replace(0, 1, "−");
    }
    return text;
}

/// "5e-7", "1.5e20": five digits at most.
std::string scientific(double value) {
    const std::string digits = fmt::format("{:.4e}", value);
    const std::size_t e = digits.find('e');
    return fmt::format("{:g}e{}", std::stod(digits.substr(0, e)), std::stoi(digits.substr(e + 1)));
}

/// Decimals that a multiple of `step` needs, at most 9.
int decimals_of(double step) {
    int decimals = 0;
    for (double scaled = step; decimals < 9; ++decimals, scaled *= 10.0) {
        if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) {
            break;
        }
    }
    return decimals;
}

}  // namespace

int decade_of(double value) {
    const std::string digits = fmt::format("{:.14e}", value);
    return std::stoi(digits.substr(digits.find('e') + 1));
}

bool is_drawable(double value) noexcept {
    return std::abs(value) <= largest_drawable;
}

void Range::include(double value) noexcept {
    if (is_drawable(value)) {
        low = empty ? value : std::min(low, value);
        high = empty ? value : std::max(high, value);
        empty = false;
    }
}

void Range::include(const std::vector<double>& values, bool positive_only) noexcept {
    for (const double value : values) {
        if (!positive_only || value > 0.0) {
            include(value);
        }
    }
}

double Axis::fraction(double value) const noexcept {
    if (!is_drawable(value) || (logarithmic && value <= 0.0)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (logarithmic) {
        return (math::log(value) - math::log(low)) / (math::log(high) - math::log(low));
    }
    return (value - low) / (high - low);
}

Axis value_axis(Range range, bool from_zero, int most) {
    if (range.empty) {
        return {};
    }
    if (from_zero) {
        range.include(0.0);
        range.high = range.low == range.high ? 1.0 : range.high;
    }
    range = with_extent(range);
    const double step = round_step((range.high - range.low) / most);
    const double first = std::floor(range.low / step + 1e-9);
    const double last = std::ceil(range.high / step - 1e-9);
    const std::vector<double> ticks = multiples(first, last, step);
    return {ticks.front(), ticks.back(), false, ticks, tick_texts(ticks, step)};
}

Axis log_axis(Range range, int most) {
    if (range.empty) {
        return {1.0, 10.0, true, {}, {}};
    }
    const double least = std::max(range.low, 1e-290);
    const std::vector<double> all = log_ticks(least, std::max(range.high, least * 1.01));
    Axis axis{all.front(), all.back(), true, thinned(all, most), {}};
    std::ranges::transform(axis.ticks, std::back_inserter(axis.labels), [&](double tick) {
        return tick_texts({tick}, tick, axis.ticks.back()).front();
    });
    return axis;
}

Axis position_axis(Range range, bool whole, int most) {
    if (range.empty) {
        return {};
    }
    if (range.high - range.low <= 0.0) {
        range = {range.low - 0.5, range.low + 0.5, false};
    }
    range = with_extent(range);
    double step = round_step((range.high - range.low) / most);
    if (whole) {
        step = std::max(step, 1.0);
    }
    const double first = std::ceil(range.low / step - 1e-9);
    const double last = std::floor(range.high / step + 1e-9);
    const std::vector<double> ticks = multiples(first, last, step);
    return {range.low, range.high, false, ticks, tick_texts(ticks, step)};
}

std::string value_text(double value) {
    if (!std::isfinite(value)) {
        return std::isnan(value) ? "–" : value > 0 ? "∞" : "−∞";
    }
    const double size = std::abs(value);
    if (size != 0.0 && (size < 1e-4 || size >= 1e15)) {
        return with_minus(scientific(value));
    }
    if (size >= 1e4) {  // no suffix: the unit behind it has its own
        return with_minus(grouped(fmt::format("{:.0f}", value)));
    }
    return with_minus(grouped(fmt::format("{:.5g}", value)));
}

std::vector<std::string> tick_texts(const std::vector<double>& ticks, double step, double largest) {
    double size = 0.0;
    for (const double tick : ticks) {
        size = std::max(size, std::abs(tick));
    }
    const Suffix suffix = suffix_for(std::max(size, largest), 1e7);
    const bool plain = size < 1e15 && (size >= 1e-3 || size == 0.0);
    const int decimals = decimals_of(step / suffix.factor);
    std::vector<std::string> texts;
    for (const double tick : ticks) {
        const double scaled = tick / suffix.factor;
        if (tick == 0.0) {
            texts.emplace_back("0");
        } else if (plain) {
            texts.push_back(grouped(fmt::format("{:.{}f}{}", scaled, decimals, suffix.letter)));
        } else {
            texts.push_back(scientific(tick));
        }
        texts.back() = with_minus(texts.back());
    }
    return texts;
}

}  // namespace lockstep::io
