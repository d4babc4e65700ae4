#pragma once

#include <array>
#include <cstdint>

#include <Random123/philox.h>

namespace lockstep::runtime {

/// One block of Philox4x32 with ten rounds.
inline std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter,
                                           const std::array<std::uint32_t, 2>& key) {
    const r123::Philox4x32::ctr_type counter_words{
        {counter[0], counter[1], counter[2], counter[3]}};
    const r123::Philox4x32::key_type key_words{{key[0], key[1]}};
    const auto block = r123::Philox4x32()(counter_words, key_words);
    return {block[0], block[1], block[2], block[3]};
}

}  // namespace lockstep::runtime
