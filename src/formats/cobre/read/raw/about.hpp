#pragma once

#include "formats/records/about.hpp"

namespace lockstep::formats::cobre::raw::about {

// What is said alike of many fields and columns.

using records::About;

inline constexpr About id{"Number by which other files refer to it; unique in this file", "1"};
inline constexpr About name{"Name for people; outputs and reports show it", "Furnas"};
inline constexpr About operational_start_date{
    "Entities of a kind are ordered by this date, then by id, in noise, states and cuts. It does "
    "not keep the entity out of service before: entry_stage_id does",
    "2000-01-01"};
inline constexpr About entry_stage_id{
    "First stage (its id) in which it is in service; null: from the beginning", "12"};
inline constexpr About exit_stage_id{
    "Stage (its id) from which on it is out of service; null: never", "24"};

inline constexpr About bus_id{"Bus: its id in system/buses.json", "1"};
inline constexpr About feeds_bus{"Bus that it feeds: its id in system/buses.json", "1"};
inline constexpr About hydro_id{"Plant: its id in system/hydros.json", "1"};
inline constexpr About thermal_id{"Thermal plant: its id in system/thermals.json", "1"};
inline constexpr About line_id{"Line: its id in system/lines.json", "1"};
inline constexpr About ncs_id{"Source: its id in system/non_controllable_sources.json", "1"};
inline constexpr About pumping_station_id{"Pumping station: its id in system/pumping_stations.json",
                                          "1"};
inline constexpr About contract_id{"Contract: its id in system/energy_contracts.json", "1"};
inline constexpr About battery_id{"Battery: its id in system/batteries.json", "1"};
inline constexpr About stage_id{
    "Stage: its id in stages.json; what is said of stages outside the study is left out", "3"};
inline constexpr About scenario_id{
    "Scenario, from 0 without gaps; a stage with fewer than others repeats them", "0"};
inline constexpr About any_stage_id{
    "Stage: its id in stages.json; ids below the first stage's are periods before the study, "
    "counted backwards",
    "3"};
inline constexpr About block_id{
    "Block of the stage, from 0; null: all blocks. A row for a block goes before one for all", "0"};
inline constexpr About block_of_cost{
    "Block of the stage, from 0; null: all blocks. A row for a block goes before one for all. Not "
    "in Cobre",
    "0"};

inline constexpr About window_start{"First day of the window", "2024-01-01"};
inline constexpr About window_end{"Day after the last of the window", "2024-02-01"};
inline constexpr About observed_inflow{
    "Mean natural inflow of the window between the plant and those upstream; may be negative",
    "350"};

}  // namespace lockstep::formats::cobre::raw::about
