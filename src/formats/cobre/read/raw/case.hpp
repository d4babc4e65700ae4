#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/formats/cobre/case.hpp"

#include "formats/cobre/read/files.hpp"
#include "formats/cobre/read/raw/config.hpp"
#include "formats/cobre/read/raw/constraints.hpp"
#include "formats/cobre/read/raw/hydros.hpp"
#include "formats/cobre/read/raw/network.hpp"
#include "formats/cobre/read/raw/penalties.hpp"
#include "formats/cobre/read/raw/production.hpp"
#include "formats/cobre/read/raw/scenarios.hpp"
#include "formats/cobre/read/raw/stages.hpp"

namespace lockstep::formats::cobre::raw {

/// Rows of an optional Parquet file: nothing when it is absent.
template <typename Row>
using Rows = std::optional<std::vector<Row>>;

/// How 0.5 took the evaporation of a stage: the coefficient of a month by number, over some hours.
struct EvaporationBasis {
    int month = 0;  ///< from 0
    double hours = 0;
};

/// Everything that the files of a case say, each read on its own; entities in the case's order.
struct Case {
    Config config;
    Penalties penalties;
    Stages stages;
    InitialConditions initial_conditions;
    PostStudy post_study;

    std::vector<Bus> buses;
    std::vector<Line> lines;
    std::vector<Thermal> thermals;
    std::vector<Hydro> hydros;
    std::vector<Source> sources;
    std::vector<PumpingStation> pumping_stations;
    std::vector<Contract> contracts;
    std::vector<Battery> batteries;

    ProductionModels production;
    Rows<GeometryPoint> geometry;
    Rows<Hyperplane> hyperplanes;
    Rows<TailraceCurve> tailrace_curves;
    Rows<EnergyProductivity> energy_productivity;

    Rows<InflowHistory> inflow_history;
    Rows<InflowStatistics> inflow_statistics;
    Rows<NodeInflowStatistics> node_inflows;
    Rows<ArCoefficient> ar_coefficients;
    Rows<AnnualComponent> annual_component;
    Rows<LoadStatistics> load_statistics;
    Rows<SourceStatistics> source_statistics;
    Rows<NoiseOpening> noise_openings;
    Rows<ExternalInflow> external_inflow;
    Rows<ExternalLoad> external_load;
    Rows<ExternalSource> external_source;
    LoadFactors load_factors;
    SourceFactors source_factors;
    std::optional<Correlation> correlation;

    Rows<ThermalBounds> thermal_bounds;
    Rows<HydroBounds> hydro_bounds;
    Rows<UnitGroupBounds> unit_group_bounds;
    Rows<LineBounds> line_bounds;
    Rows<SourceBounds> source_bounds;
    Rows<PumpingBounds> pumping_bounds;
    Rows<ContractBounds> contract_bounds;
    Rows<BatteryBounds> battery_bounds;
    Rows<BusCosts> bus_costs;
    Rows<LineCosts> line_costs;
    Rows<HydroStageCosts> hydro_costs;
    Rows<SourceCosts> source_costs;
    GenericConstraints generic;
    Rows<GenericBounds> generic_bounds;
    GenericParameters generic_parameters;

    Digest training_digest{};  ///< of config.json as far as it decides what training gives

    /// By stage id, of a case of 0.5 whose months do not say it; empty: by calendar months.
    std::map<int, EvaporationBasis> evaporation;
};

/// Reads every file of a case, going on after errors. Entities come out in the order of
/// (operational start, id).
Case read_files(Files& files, const std::vector<Setting>& settings, Problems& problems);

}  // namespace lockstep::formats::cobre::raw
