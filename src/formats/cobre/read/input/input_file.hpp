#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/records/setting.hpp"
#include "lockstep/io/json.hpp"

#include "formats/cobre/read/files.hpp"
#include "formats/cobre/read/raw/case.hpp"

namespace lockstep::formats::cobre {

/// Whether a case needs a file, and what becomes of it.
enum class FileUse {
    required,
    optional,
    on_demand,  ///< read, and then required, where config.json asks for it
    replaced,   ///< of an older format: refused
};

/// What a file is read into, and with.
struct Reading {
    Files& files;
    raw::Case& out;
    const std::vector<Setting>& settings;
    Problems& problems;
};

/// A file of the format. All that the program knows of its input files hangs on the list of these:
/// reading, warnings of unknown files, schemas, and the field reference (docs/fields.md).
struct InputFile {
    std::string_view path;   ///< in the case
    std::string_view holds;  ///< one line for planners
    FileUse use = FileUse::optional;
    std::function<void(const Reading&)> read{};
    /// Of the file, or of the list of rows of a table; empty where nothing is read of it.
    std::function<io::Json()> schema{};

    [[nodiscard]] bool is_table() const noexcept { return path.ends_with(".parquet"); }
};

/// Every file that a case may hold, in the order in which they are read. A chapter a source, since
/// each field table takes its time to compile.
const std::vector<InputFile>& input_files();

InputFile config_file();
std::vector<InputFile> root_files();
std::vector<InputFile> entity_files();
std::vector<InputFile> production_files();
std::vector<InputFile> inflow_files();
std::vector<InputFile> load_files();
std::vector<InputFile> bound_files();
std::vector<InputFile> cost_files();
std::vector<InputFile> generic_files();

}  // namespace lockstep::formats::cobre
