#pragma once

#include <memory>

#include "lockstep/app/observer.hpp"

#include "voice.hpp"

namespace lockstep::cli {

/// Progress as `voice` asks for it: trouble only, JSON lines on stdout, a line that is rewritten on
/// a terminal, or a table on anything else.
std::unique_ptr<app::Observer> make_progress(const Voice& voice);

}  // namespace lockstep::cli
