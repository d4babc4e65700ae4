#pragma once

#include <string>

namespace lockstep::app {

/// docs/options.md: every option of every engine with what it takes, as command lines and Python
/// say it.
std::string options_page();

}  // namespace lockstep::app
