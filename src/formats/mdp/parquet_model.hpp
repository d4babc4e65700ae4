#pragma once

#include <filesystem>

#include "lockstep/formats/mdp/model_file.hpp"

#include "formats/mdp/draft.hpp"

namespace lockstep::formats::mdp {

/// Reads a Parquet model: a row a row, the rest in the metadata under "lockstep.mdp".
/// @throws IoError, InputError  as io::read_parquet; InputError  metadata that are no JSON
void read_parquet_model(const std::filesystem::path& path, Draft& draft, Faults& faults);

void write_parquet_model(const std::filesystem::path& path, const ModelFile& file);

}  // namespace lockstep::formats::mdp
