#pragma once

#include <span>
#include <string_view>

#include "lockstep/formats/homodyne/configuration.hpp"

namespace lockstep::formats::homodyne {

/// A key that does nothing here, or may not be there.
struct IdleKey {
    std::string_view path;  ///< as KeyUse
    Use use;
    std::string_view why;
};

std::span<const IdleKey> idle_keys();

/// The entry for a path of a configuration, nullptr when none fits.
const IdleKey* find_idle(std::string_view path);

}  // namespace lockstep::formats::homodyne
