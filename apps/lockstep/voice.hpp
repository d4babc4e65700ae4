#pragma once

namespace lockstep::cli {

/// How a command tells what it does.
struct Voice {
    bool quiet = false;  ///< errors and trouble only
    bool json = false;   ///< JSON on stdout, one object a line while something runs
};

}  // namespace lockstep::cli
