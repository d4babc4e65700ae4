#include "formats/cobre/read/input/describe.hpp"

namespace lockstep::formats::cobre {

std::vector<InputFile> bound_files() {
    return {
        table_file("constraints/thermal_bounds.parquet",
                   "Limits and costs of thermal plants in single stages and blocks",
                   &raw::Case::thermal_bounds),
        table_file("constraints/hydro_bounds.parquet",
                   "Limits and withdrawals of hydro plants in single stages and blocks",
                   &raw::Case::hydro_bounds),
        table_file("constraints/hydro_unit_group_bounds.parquet",
                   "Limits of unit groups in single stages and blocks",
                   &raw::Case::unit_group_bounds),
        table_file("constraints/line_bounds.parquet",
                   "Capacities of lines in single stages and blocks",
                   &raw::Case::line_bounds),
        table_file("constraints/ncs_bounds.parquet",
                   "Available generation of sources in single stages",
                   &raw::Case::source_bounds),
        table_file("constraints/pumping_bounds.parquet",
                   "Limits of pumping stations in single stages and blocks",
                   &raw::Case::pumping_bounds),
        table_file("constraints/contract_bounds.parquet",
                   "Limits and prices of contracts in single stages and blocks",
                   &raw::Case::contract_bounds),
        table_file("constraints/battery_bounds.parquet",
                   "Limits of batteries in single stages and blocks; no file of Cobre's format",
                   &raw::Case::battery_bounds),
    };
}

std::vector<InputFile> cost_files() {
    return {
        table_file("constraints/penalty_overrides_bus.parquet",
                   "Costs of buses in single stages and blocks",
                   &raw::Case::bus_costs),
        table_file("constraints/penalty_overrides_line.parquet",
                   "Costs of lines in single stages and blocks",
                   &raw::Case::line_costs),
        table_file("constraints/penalty_overrides_hydro.parquet",
                   "Costs of hydro plants in single stages and blocks",
                   &raw::Case::hydro_costs),
        table_file("constraints/penalty_overrides_ncs.parquet",
                   "Costs of sources in single stages and blocks",
                   &raw::Case::source_costs),
    };
}

std::vector<InputFile> generic_files() {
    using enum FileUse;
    return {
        json_file("constraints/generic_constraints.json",
                  optional,
                  "Constraints on sums of variables",
                  &raw::Case::generic),
        table_file("constraints/generic_constraint_bounds.parquet",
                   "Stages and blocks in which those constraints hold, and their limits",
                   &raw::Case::generic_bounds),
        json_file("constraints/generic_parameters.json",
                  optional,
                  "Named numbers of those constraints",
                  &raw::Case::generic_parameters),
    };
}

}  // namespace lockstep::formats::cobre
