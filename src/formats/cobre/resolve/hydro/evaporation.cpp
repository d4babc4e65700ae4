#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/hydro/geometry.hpp"
#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

/// Millimetres over a square kilometre in an hour, as a flow: 1 m³/s = 3.6 mm·km²/h.
constexpr double mm_km2_per_m3s_hour = 3.6;

/// The LP lets evaporation run up to this many times its value at full storage.
constexpr double limit_margin = 2;

std::chrono::year_month_day calendar_month(Date date) {
    return std::chrono::year_month_day(date);
}

double hours_of_month(const std::chrono::year_month_day& date) {
    const std::chrono::year_month_day_last last(date.year(), date.month() / std::chrono::last);
    return 24.0 * static_cast<unsigned>(last.day());
}

/// The calendar month of a stage, but for cases of 0.5 that say otherwise.
raw::EvaporationBasis basis_of(const raw::Case& raw, const sddp::Stage& stage) {
    if (const auto found = raw.evaporation.find(stage.id); found != raw.evaporation.end()) {
        return found->second;
    }
    const auto date = calendar_month(stage.start);
    return {static_cast<int>(static_cast<unsigned>(date.month())) - 1, hours_of_month(date)};
}

/// Evaporation of a month as a line through the curve's point at the reference volume.
EvaporationLine linearize(const raw::Hydro& hydro,
                          const ReservoirCurve& curve,
                          const raw::EvaporationBasis& basis) {
    const std::size_t month = at(basis.month);
    const double millimetres = hydro.evaporation->coefficients_mm[month];
    const auto& references = hydro.evaporation->reference_volumes_hm3;
    EvaporationLine line;
    line.hydro_id = hydro.id;
    line.is_reference_given = references.has_value();
    line.reference_hm3 =
        references ? (*references)[month]
                   : (hydro.reservoir.min_storage_hm3 + hydro.reservoir.max_storage_hm3) / 2;
    const double rate = millimetres / (mm_km2_per_m3s_hour * basis.hours);
    line.slope_m3s_per_hm3 = rate * curve.area_slope(line.reference_hm3);
    line.intercept_m3s =
        rate * curve.area(line.reference_hm3) - line.slope_m3s_per_hm3 * line.reference_hm3;
    return line;
}

sddp::Evaporation model_of(const EvaporationLine& line, double max_storage) {
    const double at_full = line.intercept_m3s + line.slope_m3s_per_hm3 * max_storage;
    return {line.intercept_m3s, line.slope_m3s_per_hm3, limit_margin * std::abs(at_full)};
}

/// Whether a plant evaporates; says why not when it should.
bool evaporates(const raw::Hydro& hydro, const ReservoirCurve& curve, const Resolver& resolver) {
    if (!hydro.evaporation) {
        return false;
    }
    const Origin origin = line_of("system/hydros.json", hydro.line, "hydro", hydro.id);
    if (curve.is_empty()) {
        resolver.error(ProblemKind::business_rule_violation,
                       origin,
                       "evaporation needs rows of this hydro in system/hydro_geometry.parquet");
        return false;
    }
    const bool has_area = std::any_of(
        curve.area_km2.begin(), curve.area_km2.end(), [](double area) { return area > 0; });
    if (!has_area) {
        resolver.error(
            ProblemKind::model_quality,
            origin,
            "all areas in system/hydro_geometry.parquet are 0: evaporation is switched off");
    }
    return has_area;
}

}  // namespace

std::vector<EvaporationLine> resolve_evaporation(const raw::Case& raw,
                                                 const std::vector<ReservoirCurve>& curves,
                                                 const Resolver& resolver,
                                                 sddp::System& system) {
    std::vector<EvaporationLine> lines;
    for (std::size_t i = 0; i < system.hydros.size(); ++i) {
        if (!evaporates(raw.hydros[i], curves[i], resolver)) {
            continue;
        }
        sddp::Hydro& hydro = system.hydros[i];
        for (std::size_t stage = 0; stage < hydro.evaporation.size(); ++stage) {
            const auto basis = basis_of(raw, resolver.calendar.stages[stage]);
            lines.push_back(linearize(raw.hydros[i], curves[i], basis));
            lines.back().stage_id = resolver.calendar.stages[stage].id;
            if (raw.hydros[i].evaporation->coefficients_mm[at(basis.month)] != 0 &&
                hydro.is_built(static_cast<int>(stage))) {
                hydro.evaporation[stage] = model_of(lines.back(), hydro.max_storage_hm3[stage]);
            }
        }
    }
    return lines;
}

}  // namespace lockstep::formats::cobre
