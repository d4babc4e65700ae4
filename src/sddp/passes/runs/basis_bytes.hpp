#pragma once

#include <span>

#include "lockstep/base/bytes.hpp"
#include "lockstep/comm/communicator.hpp"

#include "sddp/stage/stage_solver.hpp"

namespace lockstep::sddp {

/// A stored basis in a quarter of a byte a status.
void pack(const StoredBasis& basis, ByteWriter& out);
/// @throws InputError  the bytes end early
StoredBasis unpack_basis(ByteReader& in);

/// Makes every rank's bases known to all. `bases` is groups of items.extent() bases; in each, rank
/// r has those of its part of `items`. Collective.
void gather_bases(comm::Communicator& ranks,
                  const comm::Layout& items,
                  std::span<StoredBasis> bases);

}  // namespace lockstep::sddp
