#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/xpcs/sample.hpp"
#include "lockstep/xpcs/shard_work.hpp"

#include "xpcs/model/pair_selection.hpp"

namespace lockstep::xpcs {

/// What a shard's posterior depends on beside its data.
struct ShardSettings {
    Measurement measurement{};  ///< without values
    FitOptions options{};
    FitResult fit{};  ///< as far as densities depend on it
    SampleOptions sampling{};
    ShardPlan plan{};
    std::vector<std::int64_t> pairs{};  ///< [shards] of frames, over their angles
};

std::vector<std::byte> pack(const ShardSettings& settings);
std::vector<std::byte> pack(const PairSelection& chosen);
/// @throws InputError  damaged
ShardSettings unpack_settings(std::span<const std::byte> bytes);
PairSelection unpack_selection(std::span<const std::byte> bytes, int frames, int angles);

/// What a task gives back.
struct TaskDraws {
    std::vector<double> values{};  ///< [draws, dimension]
    double k = 0;                  ///< of importance
    std::int64_t divergences = 0;  ///< of a chain
    double acceptance = 0;         ///< of a chain, mean
};

std::vector<std::byte> pack(const TaskDraws& draws);
/// @throws InputError  damaged, or not so many values
TaskDraws unpack_draws(std::span<const std::byte> bytes, std::int64_t values);

/// The input of a task.
struct TaskPlace {
    std::int32_t shard = 0;
    std::int32_t chain = 0;
};

std::vector<std::byte> pack(const TaskPlace& place);
/// @throws InputError  no such shard or chain
TaskPlace unpack_place(std::span<const std::byte> bytes, int shards, int chains);

}  // namespace lockstep::xpcs
