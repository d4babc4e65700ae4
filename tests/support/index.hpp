#pragma once

#include <cstddef>

namespace lockstep::test {

/// The problem counts in int, vectors in size_t.
inline std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

}  // namespace lockstep::test
