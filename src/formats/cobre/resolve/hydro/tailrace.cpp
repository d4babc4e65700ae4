#include "formats/cobre/resolve/hydro/tailrace.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "system/tailrace_curves.parquet";

/// How far ends of neighbouring pieces may lie apart.
constexpr double flow_gap_m3s = 1e-6;
constexpr double level_gap_m = 1e-3;
constexpr double relative_level_gap = 1e-4;

/// Rows of one family, in the order of their outflows.
using FamilyRows = std::vector<std::size_t>;

TailraceFamily::Piece piece_of(const raw::TailraceCurve& row) {
    return {row.outflow_min_m3s,
            row.outflow_max_m3s,
            {row.coefficient_0,
             row.coefficient_1,
             row.coefficient_2,
             row.coefficient_3,
             row.coefficient_4}};
}

class FamilyReader {
public:
    FamilyReader(const std::vector<raw::TailraceCurve>& rows, const Resolver& resolver)
        : rows_(rows), resolver_(resolver) {}

    TailraceFamily read(FamilyRows order) {
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::tuple(rows_[a].outflow_min_m3s, rows_[a].segment_id) <
                   std::tuple(rows_[b].outflow_min_m3s, rows_[b].segment_id);
        });
        TailraceFamily family;
        family.id = rows_[order.front()].family_id;
        family.downstream_level_m = rows_[order.front()].downstream_reference_level_m;
        for (const std::size_t row : order) {
            check(row, family);
            family.pieces.push_back(piece_of(rows_[row]));
        }
        return family;
    }

private:
    void check(std::size_t row, const TailraceFamily& family) const {
        const raw::TailraceCurve& curve = rows_[row];
        if (!(curve.outflow_min_m3s < curve.outflow_max_m3s)) {
            wrong(row, "outflow_max_m3s must be above outflow_min_m3s");
        }
        if (curve.downstream_reference_level_m != family.downstream_level_m) {
            wrong(row, "downstream_reference_level_m differs within the family");
        }
        if (!family.pieces.empty()) {
            check_joint(row, family.pieces.back());
        }
    }

    void check_joint(std::size_t row, const TailraceFamily::Piece& before) const {
        const TailraceFamily::Piece here = piece_of(rows_[row]);
        if (std::abs(here.low_m3s - before.high_m3s) > flow_gap_m3s) {
            wrong(row,
                  fmt::format("starts at {} m3/s, where the segment before ends at {}",
                              here.low_m3s,
                              before.high_m3s));
            return;
        }
        const double left = before.level(before.high_m3s);
        const double right = here.level(here.low_m3s);
        if (std::abs(left - right) > std::max(level_gap_m, relative_level_gap * std::abs(left))) {
            wrong(
                row,
                fmt::format("starts at {} m, where the segment before ends at {} m", right, left));
        }
    }

    void wrong(std::size_t row, std::string_view message) const {
        resolver_.error(ProblemKind::invalid_value,
                        row_of(file, row),
                        fmt::format("hydro {}, family {}, segment {}: {}",
                                    rows_[row].hydro_id,
                                    rows_[row].family_id,
                                    rows_[row].segment_id,
                                    message));
    }

    const std::vector<raw::TailraceCurve>& rows_;
    const Resolver& resolver_;
};

void check_levels(const TailraceFamilies& families, int hydro_id, const Resolver& resolver) {
    for (std::size_t i = 0; families.size() > 1 && i < families.size(); ++i) {
        if (!families[i].downstream_level_m ||
            (i > 0 && families[i].downstream_level_m == families[i - 1].downstream_level_m)) {
            resolver.error(ProblemKind::invalid_value,
                           {file, fmt::format("hydro {}", hydro_id)},
                           fmt::format("family {} needs a downstream_reference_level_m of its own",
                                       families[i].id));
        }
    }
}

}  // namespace

double TailraceFamily::Piece::level(double outflow_m3s) const {
    double value = 0;
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) {
        value = value * outflow_m3s + *c;
    }
    return value;
}

double TailraceFamily::level(double outflow_m3s) const {
    const double flow = std::clamp(outflow_m3s, pieces.front().low_m3s, pieces.back().high_m3s);
    const auto piece = std::find_if(
        pieces.begin(), pieces.end(), [&](const Piece& each) { return flow <= each.high_m3s; });
    return (piece == pieces.end() ? pieces.back() : *piece).level(flow);
}

double tailrace_level(const TailraceFamilies& families,
                      const std::optional<double>& downstream_level_m,
                      double outflow_m3s) {
    const auto above = std::find_if(families.begin(), families.end(), [&](const auto& family) {
        return downstream_level_m && *family.downstream_level_m > *downstream_level_m;
    });
    if (families.size() == 1 || above == families.begin()) {
        return families.front().level(outflow_m3s);
    }
    if (above == families.end()) {
        return families.back().level(outflow_m3s);
    }
    const TailraceFamily& below = *(above - 1);
    const double share = (*downstream_level_m - *below.downstream_level_m) /
                         (*above->downstream_level_m - *below.downstream_level_m);
    const double low = below.level(outflow_m3s);
    return low + share * (above->level(outflow_m3s) - low);
}

std::vector<TailraceFamilies> resolve_tailraces(
    const std::optional<std::vector<raw::TailraceCurve>>& rows, const Resolver& resolver) {
    std::vector<TailraceFamilies> out(static_cast<std::size_t>(resolver.hydros.size()));
    std::map<std::pair<int, int>, FamilyRows> by_family;  // (hydro, family)
    for (std::size_t i = 0; rows && i < rows->size(); ++i) {
        const int hydro = resolver.find(resolver.hydros, (*rows)[i].hydro_id, row_of(file, i));
        if (hydro >= 0) {
            by_family[{hydro, (*rows)[i].family_id}].push_back(i);
        }
    }
    for (const auto& [key, order] : by_family) {
        out[at(key.first)].push_back(FamilyReader(*rows, resolver).read(order));
    }
    for (auto& families : out) {
        std::stable_sort(families.begin(), families.end(), [](const auto& a, const auto& b) {
            return a.downstream_level_m < b.downstream_level_m;
        });
    }
    for (const auto& [key, order] : by_family) {
        if (key.second == out[at(key.first)].front().id) {
            check_levels(out[at(key.first)], (*rows)[order.front()].hydro_id, resolver);
        }
    }
    return out;
}

}  // namespace lockstep::formats::cobre
