#include "lockstep/formats/cobre/schema.hpp"

#include "formats/cobre/raw/config.hpp"
#include "formats/cobre/raw/constraints.hpp"
#include "formats/cobre/raw/hydros.hpp"
#include "formats/cobre/raw/network.hpp"
#include "formats/cobre/raw/production.hpp"
#include "formats/cobre/raw/scenarios.hpp"
#include "formats/cobre/raw/stages.hpp"
#include "formats/cobre/schema_writer.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr int indent = 2;

/// Schema of a whole file, with its dialect and title in front.
template <typename Root>
std::pair<std::string, std::string> file_schema(const char* path) {
    const io::Json body = schema_of(Root{}, {});
    io::Json schema = io::Json::object();
    schema.set("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.set("title", path);
    for (const auto& [key, value] : *body.if_object()) {
        schema.set(key, value);
    }
    return {path, io::to_text(schema, indent) + "\n"};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> schemas() {
    return {
        file_schema<raw::Config>("config.json"),
        file_schema<raw::Penalties>("penalties.json"),
        file_schema<raw::Stages>("stages.json"),
        file_schema<raw::InitialConditions>("initial_conditions.json"),
        file_schema<raw::Buses>("system/buses.json"),
        file_schema<raw::Lines>("system/lines.json"),
        file_schema<raw::Thermals>("system/thermals.json"),
        file_schema<raw::Hydros>("system/hydros.json"),
        file_schema<raw::Sources>("system/non_controllable_sources.json"),
        file_schema<raw::PumpingStations>("system/pumping_stations.json"),
        file_schema<raw::Contracts>("system/energy_contracts.json"),
        file_schema<raw::ProductionModels>("system/hydro_production_models.json"),
        file_schema<raw::LoadFactors>("scenarios/load_factors.json"),
        file_schema<raw::SourceFactors>("scenarios/non_controllable_factors.json"),
        file_schema<raw::Correlation>("scenarios/correlation.json"),
        file_schema<raw::GenericConstraints>("constraints/generic_constraints.json"),
        file_schema<raw::GenericParameters>("constraints/generic_parameters.json"),
    };
}

}  // namespace lockstep::formats::cobre
