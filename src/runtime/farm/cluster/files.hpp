#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lockstep/base/digest.hpp"

#include "runtime/farm/workers.hpp"

namespace lockstep::runtime {

// A farm and the elements of its arrays talk by files: FOLDER/array-N/I.task is what element I is
// to do, I.begun says that it does it, FOLDER/results/KEY.result is what came of it. Each is whole
// or not there; each has a checksum, for file systems that show a file before its content.

/// The task of an element.
struct ElementTask {
    Assignment assignment;
    std::string key;  ///< names its result
};

/// What came of a task, and who says so.
struct ElementResult {
    Report report;
    std::string origin;  ///< "array-N/I"
};

/// Of a task: equal ones have equal results.
std::string key_of(const Digest& identity, const Assignment& assignment);

std::filesystem::path results_folder(const std::filesystem::path& folder);
std::filesystem::path result_file(const std::filesystem::path& folder, const std::string& key);

/// @throws IoError
void write_task(const std::filesystem::path& array, int index, const ElementTask& task);
/// @throws IoError  missing; InputError  damaged
ElementTask read_task(const std::filesystem::path& array, int index);
void mark_begun(const std::filesystem::path& array, int index);
bool has_begun(const std::filesystem::path& array, int index);
std::string origin_of(const std::filesystem::path& array, int index);

void write_result(const std::filesystem::path& folder,
                  const std::string& key,
                  const ElementResult& result);
/// Nothing where there is no whole one.
std::optional<ElementResult> read_result(const std::filesystem::path& folder,
                                         const std::string& key);

}  // namespace lockstep::runtime
