#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::io {

/// An array as NumPy's files hold it, row by row.
struct NpyArray {
    std::vector<std::int64_t> shape{};
    std::variant<std::vector<double>,
                 std::vector<float>,
                 std::vector<std::uint32_t>,
                 std::vector<std::int64_t>,
                 std::vector<bool>,
                 std::vector<std::string>>
        values{};
};

/// Writes an array whole or not at all, with the bytes that numpy.save writes (format 1.0).
/// @param shape  lengths of the axes, whose product is the number of values
/// @throws IoError
/// @par Source  NumPy's description of the format, numpy.lib.format
void write_npy(const std::filesystem::path& path,
               std::span<const double> values,
               std::span<const std::int64_t> shape);
void write_npy(const std::filesystem::path& path,
               std::span<const float> values,
               std::span<const std::int64_t> shape);
void write_npy(const std::filesystem::path& path,
               std::span<const std::uint32_t> values,
               std::span<const std::int64_t> shape);

/// Reads an array of format 1.0 of float64, float32, uint32, int64, int32 (as int64), truth values
/// or texts (UTF-8), little-endian; one stored by columns is turned.
/// @throws IoError  missing, unreadable; InputError  another format or type, for example Python
/// objects; damaged
NpyArray read_npy(const std::filesystem::path& path);

/// The same of bytes that were read already.
/// @param name  file name for messages
NpyArray parse_npy(std::string_view bytes, std::string_view name);

}  // namespace lockstep::io
