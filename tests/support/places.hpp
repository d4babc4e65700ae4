#pragma once

#include <filesystem>

namespace lockstep::test {

/// Root of the sources, where `cases/` and `tests/` stand.
std::filesystem::path source_dir();

/// Root of this build, where the program stands.
std::filesystem::path build_dir();

}  // namespace lockstep::test
