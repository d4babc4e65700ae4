#include "formats/cobre/read/input/describe.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* openings_path = "scenarios/noise_openings.parquet";

InputFile openings_file() {
    return {openings_path,
            "Noise of every opening; read where scenario_source.openings.source of config.json is "
            "file",
            FileUse::on_demand,
            [](const Reading& r) {
                if (raw::takes_openings_file(r.out.config)) {
                    r.files.read(openings_path, Presence::required, r.out.noise_openings);
                }
            },
            [] { return records::table_schema<raw::NoiseOpening>(); }};
}

}  // namespace

std::vector<InputFile> inflow_files() {
    return {
        table_file("scenarios/inflow_history.parquet",
                   "Record of inflows, from which models are fitted and past inflows taken",
                   &raw::Case::inflow_history),
        table_file("scenarios/inflow_seasonal_stats.parquet",
                   "Mean and deviation of inflows by plant and stage",
                   &raw::Case::inflow_statistics),
        table_file(
            "scenarios/inflow_node_stats.parquet",
            "Mean and deviation of inflows by plant and node of the policy graph: regimes of "
            "a Markov chain",
            &raw::Case::node_inflows),
        table_file("scenarios/inflow_ar_coefficients.parquet",
                   "Memory of inflows: coefficients of periodic autoregressive models",
                   &raw::Case::ar_coefficients),
        table_file("scenarios/inflow_annual_component.parquet",
                   "Memory of inflows: the term of the last twelve months' mean",
                   &raw::Case::annual_component),
    };
}

std::vector<InputFile> load_files() {
    using enum FileUse;
    return {
        table_file("scenarios/load_seasonal_stats.parquet",
                   "Mean and deviation of loads by bus and stage",
                   &raw::Case::load_statistics),
        table_file("scenarios/non_controllable_stats.parquet",
                   "Mean and deviation of availabilities by source and stage",
                   &raw::Case::source_statistics),
        json_file("scenarios/load_factors.json",
                  optional,
                  "Loads of the blocks of a stage against its mean",
                  &raw::Case::load_factors),
        json_file("scenarios/non_controllable_factors.json",
                  optional,
                  "Availabilities of the blocks of a stage against its mean",
                  &raw::Case::source_factors),
        json_file("scenarios/correlation.json",
                  optional,
                  "Correlation of noise between plants, buses or sources",
                  &raw::Case::correlation),
        openings_file(),
        table_file("scenarios/external_inflow_scenarios.parquet",
                   "Inflows of ready-made scenarios, for the scheme external",
                   &raw::Case::external_inflow),
        table_file("scenarios/external_load_scenarios.parquet",
                   "Loads of ready-made scenarios, for the scheme external",
                   &raw::Case::external_load),
        table_file("scenarios/external_ncs_scenarios.parquet",
                   "Availabilities of ready-made scenarios, for the scheme external",
                   &raw::Case::external_source),
    };
}

}  // namespace lockstep::formats::cobre
