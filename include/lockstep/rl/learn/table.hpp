#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

/// How values of a table are stored. Whatever it is, arithmetic is in double.
enum class Precision {
    f64,  ///< 8 bytes a value
    f32,  ///< 4 bytes: rounded where they are stored, for tables larger than the cache
};
std::string_view to_string(Precision precision);
const std::vector<Precision>& precisions();
/// The largest value that can be stored.
double largest_of(Precision precision);

/// What was learned: a value and a number of visits a pair of state and action.
struct QTable {
    int states = 0;
    int actions = 0;
    std::vector<double> values;            ///< [states, actions]; 0 where illegal
    std::vector<std::uint32_t> visits;     ///< [states, actions]; stays at its maximum
    Precision precision = Precision::f64;  ///< that values were stored with
};

/// Of shape, values and visits.
Digest digest_of(const QTable& table);

}  // namespace lockstep::rl
