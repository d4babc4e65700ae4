#pragma once

#include <cstddef>

namespace lockstep {

/// A number of an entity, a row or a stage as the standard library indexes.
constexpr std::size_t at(int index) noexcept {
    return static_cast<std::size_t>(index);
}

}  // namespace lockstep
