#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "lockstep/formats/cobre/results.hpp"

namespace lockstep::formats::cobre::out {

/// What a reservoir may hold at the end of each stage [hm³].
struct StorageLimits {
    std::vector<double> min_hm3;  ///< [stages]
    std::vector<double> max_hm3;  ///< [stages]
};

/// Of plants by id, from training/dictionaries/bounds.parquet; none where that is absent. Plants
/// without a limit in some stage are left out.
/// @throws IoError, InputError
std::map<std::int32_t, StorageLimits> read_storage_limits(const Results& results);

}  // namespace lockstep::formats::cobre::out
