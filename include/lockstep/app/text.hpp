#pragma once

#include <cstdint>
#include <string>

namespace lockstep::app {

// Numbers for people: the same text in every locale.

/// `significant` digits in fixed notation with thousands separators, "6,532.11"; scientific where
/// that would be unreadable (below 1e-4, from 1e15); "n/a" for NaN.
std::string digits(double value, int significant = 6);

/// Six significant digits with a unit: "6,532.11 M$" from ten million on, "182,500 $" below.
std::string money(double dollars);

/// "1,234,567".
std::string count(std::int64_t value);

/// "0.8 s", "12 s", "3 min 20 s", "2 h 05 min".
std::string duration(double seconds);

/// "65.4 %" of a share of 0.654.
std::string percent(double share);

/// "1 cut", "2 cuts".
std::string plural(std::int64_t number, const std::string& noun);

/// A reason to stop as metadata names it, in words: "iteration limit", "request".
std::string stop_words(std::string reason);

/// A scale for a column of amounts of one size: [$] or [M$].
struct MoneyUnit {
    double dollars = 1;
    const char* name = "$";
};
/// The unit in which `dollars` reads well.
MoneyUnit unit_for(double dollars);

/// Shortest digits that read back to the same bits.
std::string exact(double value);

}  // namespace lockstep::app
