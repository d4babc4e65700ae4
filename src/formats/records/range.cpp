#include "formats/records/range.hpp"

#include <cmath>

#include <fmt/format.h>

namespace lockstep::formats::records {

bool Range::holds(double value) const noexcept {
    return std::isfinite(value) && value <= high && (low_is_open ? value > low : value >= low);
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
    return fmt::format("{} is out of range: must be {}", value, to_string(range));
}

}  // namespace lockstep::formats::records
