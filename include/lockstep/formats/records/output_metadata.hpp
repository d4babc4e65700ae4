#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/formats/records/run_record.hpp"

namespace lockstep::formats {

/// One part of a result: what an engine's verb has made.
struct OutputPart {
    std::string name;      ///< "training", "simulation"
    std::string digest;    ///< of what the user keeps, 32 hexadecimal digits
    bool is_whole = true;  ///< false: ended before it was done
    /// Files and folders that hold it, relative to the output directory or absolute; the files
    /// below a folder belong to the part.
    std::vector<std::string> paths;

    friend bool operator==(const OutputPart&, const OutputPart&) = default;
};

/// metadata.json in the root of an output directory: which engine made it, from what, and which
/// parts there are. Commands that take an output directory find their way by it.
struct OutputMetadata {
    static constexpr int format_version = 1;
    static constexpr const char* file_name = "metadata.json";

    std::string engine;        ///< "sddp", "xpcs", "rl"
    std::string input;         ///< as named on the command line
    std::string input_digest;  ///< over all files read
    std::vector<OutputPart> parts;
    RunRecord run;

    /// The part of this name, nullptr when there is none.
    [[nodiscard]] const OutputPart* part(const std::string& name) const;
    /// Takes the place of the part of the same name, or comes last.
    void put(OutputPart part);
};

/// Writes it whole or not at all.
/// @throws IoError  the file cannot be written
void write_output_metadata(const std::filesystem::path& output, const OutputMetadata& metadata);

/// Nothing where the directory has no such file.
/// @throws IoError  the file cannot be read; InputError  it is damaged or of a newer format, and
/// how
std::optional<OutputMetadata> read_output_metadata(const std::filesystem::path& output);

}  // namespace lockstep::formats
