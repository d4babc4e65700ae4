#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/formats/homodyne/configuration.hpp"
#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/xpcs/consensus.hpp"

namespace lockstep::app {

/// What there is to be dealt into shards.
struct ShardSituation {
    int angles = 1;
    std::int64_t pairs = 0;  ///< of frames, over all angles
    int parameters = 0;      ///< that were fitted, scales too
};

/// How shards are made and combined.
struct ShardChoice {
    xpcs::ConsensusOptions how{};
    formats::xpcs::ChoiceRecord sharding{};
    std::string combination_asked{};
    std::vector<std::string> notes{};  ///< what people are to be told
};

/// How many: the command line's, else num_shards, else by max_points_per_shard and no more than
/// min_points_per_shard and min_points_per_param allow. 0: none are asked for.
int shards_wanted(const XpcsRequest& request,
                  const formats::homodyne::Cmc& configuration,
                  const ShardSituation& situation);

/// The command line's choice, else the configuration's. Shards of single angles that say less than
/// all data do become stratified ones, or as many as there are angles.
ShardChoice choose_shards(const XpcsRequest& request,
                          const formats::homodyne::Cmc& configuration,
                          const xpcs::FitOptions& fitting,
                          const ShardSituation& situation);

std::string_view name_of(xpcs::Sharding sharding) noexcept;
std::string_view name_of(xpcs::Combination combination) noexcept;

}  // namespace lockstep::app
