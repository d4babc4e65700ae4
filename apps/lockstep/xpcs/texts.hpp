#pragma once

#include <string>

#include "lockstep/formats/xpcs/batch.hpp"

namespace lockstep::cli {

/// A batch as a table for people.
std::string text_of(const formats::xpcs::BatchRecord& record, const std::string& output);

}  // namespace lockstep::cli
