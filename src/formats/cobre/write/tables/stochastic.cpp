#include "formats/cobre/write/tables/stochastic.hpp"

#include <cstdint>

namespace lockstep::formats::cobre::out {
namespace {

template <typename Statement>
std::vector<Field<OfHydro<Statement>>> keys() {
    using Row = OfHydro<Statement>;
    return {
        {"hydro_id", "", "Plant", [](const Row& r) -> std::int32_t { return r.hydro_id; }},
        {"stage_id",
         "",
         "Stage id as declared; negative before the study",
         [](const Row& r) -> std::int32_t { return r.statement->stage_id; }},
    };
}

template <typename Statement>
TableDefinition<OfHydro<Statement>> of_hydro(const char* file,
                                             const std::vector<Field<OfHydro<Statement>>>& values) {
    auto fields = keys<Statement>();
    fields.insert(fields.end(), values.begin(), values.end());
    return {file, std::move(fields)};
}

}  // namespace

const TableDefinition<OpeningRow>& noise_openings_table() {
    using Row = OpeningRow;
    static const TableDefinition<Row> table(
        "stochastic/noise_openings",
        {
            {"stage_id",
             "",
             "Stage id as declared",
             [](const Row& r) -> std::int32_t { return r.stage_id; }},
            {"opening_index",
             "",
             "Opening, from 0",
             [](const Row& r) { return static_cast<std::uint32_t>(r.opening); }},
            {"entity_index",
             "",
             "Place in the noise vector: plants, then buses, then sources",
             [](const Row& r) { return static_cast<std::uint32_t>(r.entity); }},
            {"value", "", "Noise, already correlated", [](const Row& r) { return r.value; }},
        });
    return table;
}

const TableDefinition<OfHydro<sddp::InflowStatistics>>& inflow_statistics_table() {
    using Row = OfHydro<sddp::InflowStatistics>;
    static const auto table = of_hydro<sddp::InflowStatistics>(
        "stochastic/inflow_seasonal_stats",
        {
            {"mean_m3s", "m3/s", "Mean inflow", [](const Row& r) { return r.statement->mean_m3s; }},
            {"std_m3s",
             "m3/s",
             "Standard deviation",
             [](const Row& r) { return r.statement->std_m3s; }},
        });
    return table;
}

const TableDefinition<OfHydro<sddp::ArCoefficient>>& ar_coefficients_table() {
    using Row = OfHydro<sddp::ArCoefficient>;
    static const auto table = of_hydro<sddp::ArCoefficient>(
        "stochastic/inflow_ar_coefficients",
        {
            {"lag",
             "",
             "Lag, from 1",
             [](const Row& r) -> std::int32_t { return r.statement->lag; }},
            {"coefficient",
             "",
             "Standardised autoregressive coefficient",
             [](const Row& r) { return r.statement->coefficient; }},
        });
    return table;
}

const TableDefinition<OfHydro<sddp::AnnualComponent>>& annual_component_table() {
    using Row = OfHydro<sddp::AnnualComponent>;
    static const auto table =
        of_hydro<sddp::AnnualComponent>("stochastic/inflow_annual_component",
                                        {
                                            {"annual_coefficient",
                                             "",
                                             "Standardised coefficient of the past year's mean",
                                             [](const Row& r) { return r.statement->coefficient; }},
                                            {"annual_mean_m3s",
                                             "m3/s",
                                             "Mean of the past year's mean",
                                             [](const Row& r) { return r.statement->mean_m3s; }},
                                            {"annual_std_m3s",
                                             "m3/s",
                                             "Its standard deviation",
                                             [](const Row& r) { return r.statement->std_m3s; }},
                                        });
    return table;
}

const TableDefinition<LoadRow>& load_statistics_table() {
    using Row = LoadRow;
    static const TableDefinition<Row> table(
        "stochastic/load_seasonal_stats",
        {
            {"bus_id", "", "Bus", [](const Row& r) -> std::int32_t { return r.bus_id; }},
            {"stage_id",
             "",
             "Stage id as declared",
             [](const Row& r) -> std::int32_t { return r.stage_id; }},
            {"mean_mw", "MW", "Mean load", [](const Row& r) { return r.mean_mw; }},
            {"std_mw",
             "MW",
             "Standard deviation; 0: the load is known",
             [](const Row& r) { return r.std_mw; }},
        });
    return table;
}

void describe_stochastic_tables(std::vector<ColumnDescription>& out) {
    noise_openings_table().describe(out);
    inflow_statistics_table().describe(out);
    ar_coefficients_table().describe(out);
    annual_component_table().describe(out);
    load_statistics_table().describe(out);
}

}  // namespace lockstep::formats::cobre::out
