#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lockstep/base/problems.hpp"
#include "lockstep/io/json.hpp"

#include "formats/records/fields.hpp"

namespace lockstep::formats::rl {

/// Fills a record from a JSON file.
/// @throws IoError  the file is missing; InputError  what is wrong with it
template <records::HasFields T>
T read_record(const std::filesystem::path& file) {
    const io::Json json = io::read_json(file);
    Problems problems;
    const records::FileReport report(file.string(), problems);
    const records::Place root;
    T record;
    records::read_value(records::ValueAt{json, root, report}, record, {});
    problems.throw_if_errors(file.string() + " is damaged");
    return record;
}

}  // namespace lockstep::formats::rl
