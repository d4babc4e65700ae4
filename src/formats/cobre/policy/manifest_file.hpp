#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/formats/cobre/policy_files.hpp"

namespace lockstep::formats::cobre::out {

inline constexpr std::string_view manifest_name = "manifest.bin";

/// What a policy is of: manifest.bin.
struct Manifest {
    struct Node {
        int id = 0;        ///< of a chain, the number of its stage
        int stage_id = 0;  ///< as declared
        int pool = 0;      ///< number of its file of cuts
        friend bool operator==(const Node&, const Node&) = default;
    };
    struct Arc {
        int source_id = 0, target_id = 0;
        double probability = 1;
    };
    /// Orders of the inflow model of a plant, by season.
    struct Orders {
        int hydro_id = 0;
        std::vector<int> orders;
    };
    int stages = 0;
    int pools = 0;
    std::vector<Node> nodes;
    std::vector<Arc> arcs;
    int cycle = 255;  ///< 0 monthly, 1 weekly, 2 custom, 255 none
    int seasons = 0;
    std::vector<Orders> orders;
    std::uint64_t visited_states = 0;  ///< that the policy has files of
    /// Cuts are of single outcomes: Cobre would take each for one of all together. Only written.
    bool has_single_outcomes = false;
    /// What only policies of this program have: numbers of cuts, and Policy::starts.
    std::optional<std::vector<int>> cuts;  ///< [pools]
    std::vector<std::vector<std::byte>> starts;
    PolicyInfo info;
};

/// Of a problem, but for what training tells.
Manifest manifest_of(const sddp::Problem& problem);

/// @param earlier_cuts  [pools], that training began with
/// @throws IoError
void write_manifest(const std::filesystem::path& directory,
                    const Manifest& manifest,
                    const sddp::Problem& problem,
                    const std::vector<std::uint32_t>& earlier_cuts);

/// @throws IoError, InputError
Manifest read_manifest(const std::filesystem::path& directory);
/// The same from the bytes of a file.
Manifest parse_manifest(std::string bytes, const std::string& file);

}  // namespace lockstep::formats::cobre::out
