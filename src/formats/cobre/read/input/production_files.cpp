#include "formats/cobre/read/input/describe.hpp"

namespace lockstep::formats::cobre {

std::vector<InputFile> production_files() {
    return {
        entity_file("system/hydros.json",
                    FileUse::required,
                    "Hydro plants: reservoirs, cascades, turbines; the list may be empty",
                    "hydro",
                    &raw::Hydros::hydros,
                    &raw::Case::hydros),
        json_file("system/hydro_production_models.json",
                  FileUse::optional,
                  "Production models and productivities of plants, by stage or season",
                  &raw::Case::production),
        table_file("system/hydro_geometry.parquet",
                   "Level and surface of reservoirs by volume",
                   &raw::Case::geometry),
        table_file("system/fpha_hyperplanes.parquet",
                   "Planes above which generation cannot lie, for the model fpha",
                   &raw::Case::hyperplanes),
        table_file("system/hydro_energy_productivity.parquet",
                   "Productivities of plants, in every stage or in some",
                   &raw::Case::energy_productivity),
        table_file("system/tailrace_curves.parquet",
                   "Levels below dams by outflow, with backwater of the next reservoir",
                   &raw::Case::tailrace_curves),
    };
}

}  // namespace lockstep::formats::cobre
