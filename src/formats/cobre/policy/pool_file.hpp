#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/date.hpp"
#include "lockstep/sddp/policy.hpp"

#include "formats/cobre/policy/slots.hpp"

namespace lockstep::formats::cobre::out {

/// The cuts after a node, or those of all leaves: cuts/NNN.bin.
struct Pool {
    int number = 0;
    int node_id = -1;                 ///< -1: of all leaves
    int stage_id = -1;                ///< as declared
    std::optional<Date> date;         ///< of the state that is priced: the end of the stage
    int dimension = 0;                ///< of the state
    std::vector<Slot> slots;          ///< states for which cuts may have a slope
    std::vector<std::size_t> places;  ///< [slots], of their slopes in the cuts
    sddp::StageCuts cuts;
    std::optional<sddp::StageCuts> bounds;  ///< Policy::bounding; not of Cobre
};

/// Path of a pool: cuts/003.bin.
std::filesystem::path pool_path(const std::filesystem::path& directory, std::size_t pool);

/// Puts the slopes in Cobre's order.
/// @throws IoError  also where they are more than such a file can hold
void write_pool(const std::filesystem::path& path, const Pool& pool);

/// @return its cuts have slopes by decided states alone, [slots], in their order
/// @throws IoError  missing or unreadable; InputError  damaged, or with a number that no cut has
Pool read_pool(const std::filesystem::path& path);
/// The same from the bytes of a file.
Pool parse_pool(std::string bytes, const std::string& file);

/// Cuts by the states of a problem.
/// @param places  for each of those its place in the slopes; none: the slope is 0
sddp::StageCuts rearranged(const sddp::StageCuts& cuts,
                           const std::vector<std::optional<std::size_t>>& places,
                           sddp::StateLayout states);

}  // namespace lockstep::formats::cobre::out
