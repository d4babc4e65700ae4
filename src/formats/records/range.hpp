#pragma once

#include <limits>
#include <string>

namespace lockstep::formats::records {

/// Which finite numbers are allowed.
struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool low_is_open = false;
    /// What a number of this unit can be at most: larger ones are slips, and solvers take them for
    /// infinite.
    double largest_magnitude = std::numeric_limits<double>::infinity();
    bool is_computed = false;  ///< written by a program: no size is a slip, whatever the name

    /// Never true for NaN and infinities.
    [[nodiscard]] bool holds(double value) const noexcept;
};

inline constexpr Range any_number{};
inline constexpr Range computed{.is_computed = true};
inline constexpr Range positive{0, std::numeric_limits<double>::infinity(), true};
inline constexpr Range non_negative{0};
inline constexpr Range share{0, 1};
/// Things that are made or drawn one by one.
inline constexpr Range count{1, 1e6};

constexpr Range at_least(double low) {
    return {low};
}
constexpr Range within(double low, double high) {
    return {low, high};
}

/// What is allowed: "a finite number", "> 0", ">= 0", "in [0, 1]".
std::string to_string(const Range& range);

/// Why a number is refused: "-1 is out of range: must be >= 0".
std::string out_of_range(double value, const Range& range);

}  // namespace lockstep::formats::records
