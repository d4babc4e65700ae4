#include "lockstep/formats/cobre/schema.hpp"

#include "formats/cobre/read/raw/config.hpp"
#include "formats/cobre/read/raw/constraints.hpp"
#include "formats/cobre/read/raw/hydros.hpp"
#include "formats/cobre/read/raw/network.hpp"
#include "formats/cobre/read/raw/production.hpp"
#include "formats/cobre/read/raw/scenarios.hpp"
#include "formats/cobre/read/raw/stages.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/schema_writer.hpp"

namespace lockstep::formats::cobre {

io::Json raw::schema_of(const RiskMeasure&, Range) {
    struct Tagged {
        Cvar cvar;
        void fields(SchemaWriter& f) { f.required("cvar", cvar); }
    };
    io::Json variants = io::Json::array();
    variants.push(choice_schema({"expectation"}));
    variants.push(records::schema_of(Tagged{}, {}));
    io::Json schema = io::Json::object();
    schema.set("anyOf", std::move(variants));
    return schema;
}

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
