#include "formats/cobre/read/input/describe.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* models_path = "system/hydro_production_models.json";

InputFile models_file() {
    return {models_path,
            "Production models and productivities of plants, by stage or season",
            FileUse::optional,
            [](const Reading& r) {
                raw::ProductionModels models;
                r.files.read(models_path, Presence::optional, models);
                r.out.production_models = std::move(models.production_models);
            },
            [] { return records::schema_of(raw::ProductionModels{}, {}); }};
}

}  // namespace

std::vector<InputFile> production_files() {
    return {
        entity_file("system/hydros.json",
                    FileUse::required,
                    "Hydro plants: reservoirs, cascades, turbines; the list may be empty",
                    "hydro",
                    &raw::Hydros::hydros,
                    &raw::Case::hydros),
        models_file(),
        table_file("system/hydro_geometry.parquet",
                   "Level and surface of reservoirs by volume",
                   &raw::Case::geometry),
        table_file("system/fpha_hyperplanes.parquet",
                   "Planes above which generation cannot lie, for the model fpha",
                   &raw::Case::hyperplanes),
        table_file("system/hydro_energy_productivity.parquet",
                   "Productivities of plants, in every stage or in some",
                   &raw::Case::energy_productivity),
        unsupported_table("system/tailrace_curves.parquet",
                          "Levels below dams with backwater of the next reservoir",
                          "tailrace curves"),
    };
}

}  // namespace lockstep::formats::cobre
