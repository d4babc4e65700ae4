#pragma once

#include <string>
#include <vector>

namespace lockstep {

/// How this program was made; written into the metadata of every output.
struct BuildInfo {
    std::string version;   ///< "0.1.0"
    std::string commit;    ///< short hash, "unknown" outside a git checkout
    std::string compiler;  ///< "g++ 12.2.0"
    std::string flags;     ///< flags that decide bits of results
    std::string build_type;
    struct Library {
        std::string name;
        std::string version;
    };
    std::vector<Library> libraries;  ///< HiGHS, Clp, Arrow, … with versions; "not built" where off
};

const BuildInfo& build_info();

}  // namespace lockstep
