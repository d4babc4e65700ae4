#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/rl/model.hpp"

namespace lockstep::formats::mdp {

/// A Markov decision process as a file holds it.
struct ModelFile {
    lockstep::rl::Model model;
    std::optional<double> gamma{};             ///< discount of a step, in [0, 1]
    std::optional<std::int64_t> time_limit{};  ///< steps after which an episode is cut, >= 1
    std::vector<std::string> state_names{};    ///< [states]; empty: numbers only
    std::vector<std::string> action_names{};   ///< [actions]; empty: numbers only
};

/// Whether a name ends as that of a model file.
bool is_model_file(const std::filesystem::path& path);

/// Reads a model; the end of the name says which format: ".json" and ".parquet" hold everything,
/// ".drn" is Storm's explicit format (docs/rl/own-problem.md has all three). Outcomes of a pair
/// keep the order of the file.
/// @param problems  gets every fault of the file, each with state, action and line or row
/// @return nothing after an error
std::optional<ModelFile> read_model(const std::filesystem::path& path, Problems& problems);

/// Writes a model, whole or not at all, so that read_model gives the same outcomes in the same
/// order, bit for bit. A ".drn" file cannot hold gamma, time limit, names of states, how probable
/// starts are and what single outcomes pay: it has expected rewards, and states where nothing is
/// legal are labelled "terminated".
/// @throws InputError  another end of the name; a name that the format cannot hold; IoError
void write_model(const std::filesystem::path& path, const ModelFile& file);

}  // namespace lockstep::formats::mdp
