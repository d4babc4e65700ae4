// The only source of the tests that holds a path, so that the others come from the compiler's cache
// in each clone.
#include "support/places.hpp"

namespace lockstep::test {

std::filesystem::path source_dir() {
    return LOCKSTEP_SOURCE_DIR;
}

std::filesystem::path build_dir() {
    return LOCKSTEP_BUILD_DIR;
}

}  // namespace lockstep::test
