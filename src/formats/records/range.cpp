#include "formats/records/range.hpp"

#include <cmath>

#include <fmt/format.h>

namespace lockstep::formats::records {

namespace {

bool is_between(const Range& range, double value) {
    return std::isfinite(value) && value <= range.high &&
           (range.low_is_open ? value > range.low : value >= range.low);
}

}  // namespace

bool Range::holds(double value) const noexcept {
    return is_between(*this, value) && std::abs(value) <= largest_magnitude;
}

std::string to_string(const Range& range) {
    if (std::isfinite(range.high)) {
        return fmt::format("in {}{}, {}]", range.low_is_open ? '(' : '[', range.low, range.high);
    }
    if (std::isfinite(range.low)) {
        return fmt::format("{} {}", range.low_is_open ? ">" : ">=", range.low);
    }
    return "a finite number";
}

std::string out_of_range(double value, const Range& range) {
    if (is_between(range, value)) {
        return fmt::format("{} is out of range: must be {} {}",
                           value,
                           value > 0 ? "<=" : ">=",
                           std::copysign(range.largest_magnitude, value));
    }
    return fmt::format("{} is out of range: must be {}", value, to_string(range));
}

}  // namespace lockstep::formats::records
