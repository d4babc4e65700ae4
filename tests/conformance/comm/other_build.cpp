#include "lockstep/base/build_info.hpp"

namespace lockstep {

/// In the place of the library's: this program says that it is of another build.
const BuildInfo& build_info() {
    static const BuildInfo info{.version = "0.0.9",
                                .commit = "another",
                                .compiler = "g++ 11",
                                .flags = "",
                                .build_type = "Release",
                                .libraries = {}};
    return info;
}

}  // namespace lockstep
