#pragma once

#include <string>
#include <vector>

#include "lockstep/io/json.hpp"
#include "lockstep/sddp/problem.hpp"

#include "formats/cobre/write/tables/training.hpp"

namespace lockstep::formats::cobre::out {

io::Json codes();                                      ///< codes.json
std::string entities_csv(const sddp::System& system);  ///< entities.csv
std::string variables_csv();                           ///< variables.csv
/// state_dictionary.json: the variables of a state in the order of cut coefficients.
io::Json state_dictionary(const sddp::Problem& problem);
/// Every finite bound of every entity, stage and block, rows of bounds.parquet.
std::vector<BoundRow> bound_rows(const sddp::Problem& problem);

}  // namespace lockstep::formats::cobre::out
