#pragma once

#include <array>
#include <optional>
#include <vector>

#include "formats/cobre/read/raw/production.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Level below a plant [m] by its outflow [m³/s], in pieces of quartics that join.
struct TailraceFamily {
    struct Piece {
        double low_m3s = 0;
        double high_m3s = 0;
        std::array<double, 5> coefficients{};
        [[nodiscard]] double level(double outflow_m3s) const;
    };
    int id = 0;
    std::optional<double> downstream_level_m;  ///< of the reservoir downstream, for backwater
    std::vector<Piece> pieces;                 ///< ascending
    /// Outflows outside the pieces count as their nearest end.
    [[nodiscard]] double level(double outflow_m3s) const;
};

/// Families of a plant by downstream level; empty where the file has no rows.
using TailraceFamilies = std::vector<TailraceFamily>;

/// Level between the two families next to a downstream level, linear in it; the outermost beyond.
/// @param downstream_level_m  may be empty for one family
/// @pre families are not empty
double tailrace_level(const TailraceFamilies& families,
                      const std::optional<double>& downstream_level_m,
                      double outflow_m3s);

/// Families of each hydro. Mistakes of the file are reported.
std::vector<TailraceFamilies> resolve_tailraces(
    const std::optional<std::vector<raw::TailraceCurve>>& rows, const Resolver& resolver);

}  // namespace lockstep::formats::cobre
