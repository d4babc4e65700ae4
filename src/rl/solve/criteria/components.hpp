#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lockstep/rl/rows.hpp"

namespace lockstep::rl {

/// Maximal end components of the pairs that `may` admits: sets of states in which a policy can stay
/// for ever and reach each from each. Pairs that may end are never part of one.
/// @par Source  [Baier2017], section 2
struct EndComponents {
    int count = 0;
    std::vector<std::int32_t> of;  ///< [states]; -1: none
    std::vector<std::uint8_t>
        is_inner;  ///< [pairs] of the table: 1 where it stays in its component
};
EndComponents end_components(const RowTable& table, const std::function<bool(std::int64_t)>& may);

/// States from which a policy is certain to end, and such a policy.
struct CertainEnd {
    std::vector<std::uint8_t> is_certain;  ///< [states]; 1 too without legal actions
    std::vector<std::int32_t> choice;      ///< [states], as jacobi_sweep
    bool is_everywhere = true;
};
CertainEnd certain_end(const RowSource& source);

/// 1 for the states that some policy reaches from the starts.
std::vector<std::uint8_t> reachable(const RowSource& source, std::span<const Start> starts);

}  // namespace lockstep::rl
