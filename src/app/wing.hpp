#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/app/compare.hpp"
#include "lockstep/formats/records/output_metadata.hpp"
#include "lockstep/io/page.hpp"

namespace lockstep::app {

/// A part of an output directory.
struct PartOnDisk {
    std::filesystem::path output;
    formats::OutputPart part;
};

/// What the commands that take any output directory need to know of an engine.
struct Wing {
    std::string_view engine;  ///< as OutputMetadata::engine
    std::string_view title;   ///< a line for people

    /// Whether something on disk is an input of this engine.
    bool (*is_input)(const std::filesystem::path& input);

    /// Where a part of two outputs first holds other bits; none: nowhere. Files and folders are
    /// known to be there on both sides.
    std::vector<Difference> (*differences)(const PartOnDisk& left, const PartOnDisk& right);

    /// The report of an output directory.
    io::Page (*report)(const std::filesystem::path& output);
};

/// All wings of this program.
std::span<const Wing> wings();

/// An output directory with its metadata.json.
struct OutputOnDisk {
    std::filesystem::path directory;
    formats::OutputMetadata metadata;
};

/// @throws IoError  the directory holds no result; InputError  its metadata.json is damaged
OutputOnDisk open_output(const std::filesystem::path& directory);

/// The wing of an output.
/// @throws InputError  of an engine that is not known here
const Wing& wing_of(const OutputOnDisk& output, std::span<const Wing> known);

/// As compare(), with the wings that are known.
Comparison compare_with(std::span<const Wing> known,
                        const std::filesystem::path& left,
                        const std::filesystem::path& right,
                        Depth depth);

/// As make_report(), with the wings that are known.
std::filesystem::path report_with(std::span<const Wing> known,
                                  const std::filesystem::path& output_directory,
                                  const std::filesystem::path& page);

}  // namespace lockstep::app
