#pragma once

#include <string>

#include "lockstep/io/json.hpp"

#include "support/json_numbers.hpp"
#include "support/places.hpp"

namespace lockstep::test {

/// A file of tests/data/rl, whole.
inline io::Json rl_data(const std::string& name) {
    return io::read_json(source_dir() / "tests/data/rl" / name);
}

}  // namespace lockstep::test
