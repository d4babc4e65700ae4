#include "formats/cobre/read/input/describe.hpp"

namespace lockstep::formats::cobre {

std::vector<InputFile> entity_files() {
    using enum FileUse;
    return {
        entity_file("system/buses.json",
                    required,
                    "Buses: where generation and load are balanced",
                    "bus",
                    &raw::Buses::buses,
                    &raw::Case::buses),
        entity_file("system/lines.json",
                    required,
                    "Lines between buses; the list may be empty",
                    "line",
                    &raw::Lines::lines,
                    &raw::Case::lines),
        entity_file("system/thermals.json",
                    required,
                    "Thermal plants; the list may be empty",
                    "thermal",
                    &raw::Thermals::thermals,
                    &raw::Case::thermals),
        entity_file("system/non_controllable_sources.json",
                    optional,
                    "Wind, sun and other sources that nobody dispatches",
                    "source",
                    &raw::Sources::sources,
                    &raw::Case::sources),
        entity_file("system/pumping_stations.json",
                    optional,
                    "Pumps between reservoirs",
                    "pumping station",
                    &raw::PumpingStations::pumping_stations,
                    &raw::Case::pumping_stations),
        entity_file("system/energy_contracts.json",
                    optional,
                    "Imports and exports by contract",
                    "contract",
                    &raw::Contracts::contracts,
                    &raw::Case::contracts),
        entity_file("system/batteries.json",
                    optional,
                    "Batteries; no file of Cobre's format",
                    "battery",
                    &raw::Batteries::batteries,
                    &raw::Case::batteries),
    };
}

}  // namespace lockstep::formats::cobre
