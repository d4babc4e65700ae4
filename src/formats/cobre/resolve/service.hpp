#pragma once

#include <string_view>

#include "formats/cobre/read/raw/network.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Reports a life that ends before it starts.
void check_lifecycle(const raw::Lifecycle& life, const Origin& origin, const Resolver& resolver);

/// Sets to zero what an entity cannot do while it is out of service.
void switch_off(sddp::ByBlock& values, const raw::Lifecycle& life, const Resolver& resolver);

/// Switches both limits of an entity off while it is out of service, and reports where the least is
/// above the most: once all overrides are applied.
/// @param is_declared_in_order  whether the entity's own limits are; where not, that has been told
/// @param what                  "min_mw > max_mw"
void finish_limits(const Resolver& resolver,
                   const raw::Lifecycle& life,
                   bool is_declared_in_order,
                   const Origin& origin,
                   std::string_view what,
                   sddp::ByBlock& least,
                   sddp::ByBlock& most);

}  // namespace lockstep::formats::cobre
