#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>

namespace lockstep {

/// A number of an entity, a row or a stage as the standard library indexes; not negative, which
/// builds with assertions check.
template <std::signed_integral Index>
constexpr std::size_t at(Index index) noexcept {
    assert(index >= 0);
    return static_cast<std::size_t>(index);
}

}  // namespace lockstep
