#include "io/page/packed.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "io/page/axis.hpp"

namespace lockstep::io {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::int64_t none = 64 * 64 * 64 - 1;

double number(std::int64_t steps, int decade) {
    const std::string text = fmt::format("{}e{}", steps, decade);
    double value = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// The finest step of which the span has at most 2^18 - 2, and no value more than 2^53.
int decade_for(double span, double largest) {
    const int coarsest = largest > 0.0 ? decade_of(largest) - 15 : -300;
    int decade = span > 0.0 ? decade_of(span) - 5 : std::max(coarsest, -6);
    if (span / number(1, decade) > static_cast<double>(none - 2)) {
        ++decade;
    }
    return std::max(decade, coarsest);
}

}  // namespace

std::string packed(const std::vector<double>& values, double span) {
    Range range;
    range.include(values);
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    const int decade = decade_for(std::max(span, range.high - range.low), largest);
    const double step = number(1, decade);
    const auto steps = [&](double value) {
        return static_cast<std::int64_t>(std::llround(value / step));
    };
    const std::int64_t first = range.empty ? 0 : steps(range.low);
    std::string text = fmt::format("{}|{}|", first, decade);
    if (!range.empty && steps(range.high) == first && std::ranges::all_of(values, is_drawable)) {
        return text + fmt::format("*{}", values.size());
    }
    for (const double value : values) {
        const std::int64_t k = is_drawable(value) ? steps(value) - first : none;
        for (const int shift : {12, 6, 0}) {
            text += alphabet[static_cast<std::size_t>((k >> shift) & 63)];
        }
    }
    return text;
}

std::vector<double> unpacked(const std::string& text) {
    const std::size_t bar = text.find('|');
    const std::size_t second = text.find('|', bar + 1);
    const std::int64_t first = std::stoll(text.substr(0, bar));
    const int decade = std::stoi(text.substr(bar + 1, second - bar - 1));
    const std::string digits = text.substr(second + 1);
    if (digits.starts_with('*')) {
        return std::vector<double>(std::stoul(digits.substr(1)), number(first, decade));
    }
    std::vector<double> values;
    for (std::size_t i = 0; i + 2 < digits.size(); i += 3) {
        std::int64_t k = 0;
        for (const char c : digits.substr(i, 3)) {
            k = 64 * k + static_cast<std::int64_t>(alphabet.find(c));
        }
        values.push_back(k == none ? std::numeric_limits<double>::quiet_NaN()
                                   : number(first + k, decade));
    }
    return values;
}

}  // namespace lockstep::io
