#pragma once

#include <array>
#include <string_view>

namespace lockstep::sddp {

/// What a mistake found by build_process is about: Problem::file of what it adds.
///
/// The engine knows no files. Who reads cases knows where each subject stands
/// (formats::cobre::add_located).
namespace subject {

inline constexpr const char* stages = "stages";
inline constexpr const char* season_map = "season map";
inline constexpr const char* inflow_history = "inflow history";
inline constexpr const char* recent_inflows = "recent inflows";
inline constexpr const char* inflow_statistics = "inflow statistics";
inline constexpr const char* node_inflows = "inflow statistics of nodes";
inline constexpr const char* inflow_coefficients = "inflow coefficients";
inline constexpr const char* annual_component = "annual component of inflows";
inline constexpr const char* correlation = "correlation";
inline constexpr const char* openings = "openings";
inline constexpr const char* external_inflow = "external inflows";
inline constexpr const char* external_load = "external loads";
inline constexpr const char* external_source = "external availabilities";
inline constexpr const char* scenario_source = "scenario source";
inline constexpr const char* non_negativity = "inflow non-negativity";

inline constexpr const char* numbers = "numbers of the stage LPs";

inline constexpr std::array<std::string_view, 16> all{stages,
                                                      season_map,
                                                      inflow_history,
                                                      recent_inflows,
                                                      inflow_statistics,
                                                      node_inflows,
                                                      inflow_coefficients,
                                                      annual_component,
                                                      correlation,
                                                      openings,
                                                      external_inflow,
                                                      external_load,
                                                      external_source,
                                                      scenario_source,
                                                      non_negativity,
                                                      numbers};

}  // namespace subject

}  // namespace lockstep::sddp
