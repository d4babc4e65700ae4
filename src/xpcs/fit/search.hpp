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

/// Hears of a search; false: end with what there is. Ranks have to answer alike.
struct SearchListener {
    std::function<bool()> goes_on;
    std::function<void(const SearchProgress&)> on_progress;
};

/// Looks for the minimum as the problem's options say; `local` alone starts where they say.
/// Collective.
SearchEnd search(const FitProblem& problem,
                 LocalFit& together,
                 runtime::Team& team,
                 const SearchListener& listener);

}  // namespace lockstep::xpcs
