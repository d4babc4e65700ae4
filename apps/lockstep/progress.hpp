#pragma once

#include <memory>

#include "lockstep/app/observer.hpp"

#include "command_line.hpp"

namespace lockstep::cli {

/// Progress as `voice` asks for it: nothing, JSON lines on stdout, a line that is rewritten on a
/// terminal, or a table on anything else.
std::unique_ptr<app::RunObserver> make_progress(const Voice& voice);

}  // namespace lockstep::cli
