#pragma once

#include <optional>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {

/// A rank has ended, so that not all can meet.
class EndedEarly : public CommError {
public:
    using CommError::CommError;
};

/// The lowest rank that has ended; nothing: none, or the descriptor is no registry, as where a
/// container does not pass it on.
/// @param descriptor  of a LaunchRegistry; -1: there is none
std::optional<int> ended_rank(int descriptor) noexcept;

/// @param own  for the message
/// @throws EndedEarly  a rank has ended
void check_nobody_ended(int descriptor, int own);

}  // namespace lockstep::comm
