#pragma once

#include <functional>
#include <vector>

#include "xpcs/fit/search_team.hpp"

namespace lockstep::xpcs {

/// Where a search says that the local fit should start, and what it came upon.
struct SearchEnd {
    std::vector<double> start{};  ///< [free parameters]
    SearchReport report{};
};

/// Looks for the minimum as the problem's options say; `local` alone starts where they say.
/// Collective.
/// @param goes_on  asked between points and generations, collectively; false: end with what there
/// is
SearchEnd search(const FitProblem& problem,
                 LocalFit& together,
                 runtime::Team& team,
                 const std::function<bool()>& goes_on);

}  // namespace lockstep::xpcs
