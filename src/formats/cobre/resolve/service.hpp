#pragma once

#include "formats/cobre/read/raw/network.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Reports a life that ends before it starts.
void check_lifecycle(const raw::Lifecycle& life, const Origin& origin, const Resolver& resolver);

/// Sets to zero what an entity cannot do while it is out of service.
void switch_off(sddp::ByBlock& values, const raw::Lifecycle& life, const Resolver& resolver);

}  // namespace lockstep::formats::cobre
