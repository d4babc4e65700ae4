#pragma once

#include <vector>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/system.hpp"

#include "formats/cobre/records.hpp"
#include "formats/records/tables.hpp"

namespace lockstep::formats::cobre::out {

/// A term of a generic constraint in one of its rows; without terms, the row alone.
struct EchoRow {
    const sddp::GenericConstraint* constraint = nullptr;
    const sddp::ConstraintRow* row = nullptr;
    int stage_id = 0;
    int term = 0;
    const NamedTerm* named = nullptr;
    double coefficient = 0;
};

/// A fitted plane in a stage.
struct PlaneRow {
    const FittedPlanes* planes = nullptr;
    int stage_id = 0;
    int plane = 0;
};

/// A point of the grid that planes were fitted to, for all their stages.
struct FitPointRow {
    const FittedPlanes* planes = nullptr;
    const sddp::FitPoint* point = nullptr;
};

/// A delivery after the study that was decided before it.
struct FixedDelivery {
    const sddp::Thermal* thermal = nullptr;
    const sddp::Delivery* delivery = nullptr;
};

const TableDefinition<FixedDelivery>& fixed_deliveries_table();
const TableDefinition<EvaporationLine>& evaporation_models_table();
const TableDefinition<PlaneRow>& fitted_planes_table();
const TableDefinition<FitPointRow>& fit_points_table();
const TableDefinition<EchoRow>& resolved_echo_table();

void describe_model_tables(std::vector<ColumnDescription>& out);

}  // namespace lockstep::formats::cobre::out
