#pragma once

#include <functional>

#include "voice.hpp"

namespace lockstep::cli {

/// Runs `body`; an exception becomes one message and its documented exit code.
int guarded(const Voice& voice, const std::function<int()>& body);

}  // namespace lockstep::cli
