#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lockstep/xpcs/nlsq/cma_es.hpp"
#include "lockstep/xpcs/nlsq/multi_start.hpp"

namespace lockstep::xpcs {

/// How far beyond the start's own valley a fit looks for its minimum.
enum class SearchKind {
    local,        ///< downhill from the start
    multi_start,  ///< downhill from many starts, and which minima they end at
    cma_es        ///< by evolution within the bounds, then downhill
};
std::string_view to_string(SearchKind kind) noexcept;

/// A search sees the sum of squares over the physical parameters, also where a loss is fitted: the
/// best contrasts and offsets belong to each point.
struct SearchOptions {
    SearchKind kind = SearchKind::local;
    nlsq::MultiStartOptions multi_start{};
    /// Starts at the minimum of a local fit from the start, in the logarithm of rates. Widths,
    /// steps and tolerances are those of these coordinates.
    nlsq::CmaOptions cma_es{.cost_tolerance = 1e-6};
    /// cma_es: no search where that local fit has a reduced χ² below; 0: always a search.
    double good_enough = 0;
    /// cma_es: a local fit from the best point. Else that point, or the minimum of the local fit
    /// from the start if its sum of squares is less, is the result as it is.
    bool is_refined = true;
};

/// One of the minima that were found.
struct FoundMinimum {
    std::vector<double> physical{};  ///< [parameters_of(motion)]
    double chi_squared = 0;          ///< or what a loss makes of it
    int starts = 0;                  ///< that ended there
};

/// What a search came upon.
struct SearchReport {
    SearchKind kind = SearchKind::local;
    int starts = 0;                ///< multi_start: local fits, the caller's start's among them
    int runs = 0;                  ///< cma_es
    std::int64_t evaluations = 0;  ///< of the search, apart from the local fits
    double start_chi_squared = 0;  ///< where the local fit from the caller's start ended
    bool is_skipped = false;       ///< cma_es: that fit was good enough
    bool is_result = false;        ///< cma_es: its best point was not refined
    std::vector<FoundMinimum> minima{};  ///< multi_start: near the best in χ², the best first
    /// More than one minimum fits about as well: the data do not tell which of them is meant.
    [[nodiscard]] bool is_degenerate() const noexcept { return minima.size() > 1; }
};

}  // namespace lockstep::xpcs
