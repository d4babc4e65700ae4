#pragma once

#include <vector>

#include "lockstep/sddp/process.hpp"
#include "lockstep/sddp/system.hpp"

#include "formats/cobre/records.hpp"
#include "formats/records/tables.hpp"

namespace lockstep::formats::cobre::out {

/// An entry of the opening tree.
struct OpeningRow {
    int stage_id = 0;
    int opening = 0;
    int entity = 0;
    double value = 0;
};

/// A statement about a hydro, with the id that the files use.
template <typename Statement>
struct OfHydro {
    int hydro_id = 0;
    const Statement* statement = nullptr;
};

struct LoadRow {
    int bus_id = 0;
    int stage_id = 0;
    double mean_mw = 0;
    double std_mw = 0;
};

const TableDefinition<OpeningRow>& noise_openings_table();
const TableDefinition<OfHydro<sddp::InflowStatistics>>& inflow_statistics_table();
const TableDefinition<OfHydro<sddp::ArCoefficient>>& ar_coefficients_table();
const TableDefinition<OfHydro<sddp::AnnualComponent>>& annual_component_table();
const TableDefinition<LoadRow>& load_statistics_table();

void describe_stochastic_tables(std::vector<ColumnDescription>& out);

}  // namespace lockstep::formats::cobre::out
