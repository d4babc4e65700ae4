#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lockstep/base/problems.hpp"
#include "lockstep/io/json.hpp"

#include "formats/records/fields.hpp"

namespace lockstep::formats::records {

/// Fills a record from a JSON value.
/// @param name  of the file, for messages
/// @throws InputError  what is wrong with it
template <HasFields T>
T record_in(const io::Json& json, const std::string& name) {
    Problems problems;
    const FileReport report(name, problems);
    const Place root;
    T record;
    read_value(ValueAt{json, root, report}, record, {});
    problems.throw_if_errors(name + " is damaged");
    return record;
}

/// Fills a record from a JSON file.
/// @throws IoError  the file is missing; InputError  what is wrong with it
template <HasFields T>
T read_record(const std::filesystem::path& file) {
    return record_in<T>(io::read_json(file), file.string());
}

}  // namespace lockstep::formats::records
