#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::io {

/// What stands before the values of a NumPy array.
struct NpyHeader {
    std::string_view type{};  ///< as NumPy names it, for example "<f8"
    bool is_by_columns = false;
    std::vector<std::int64_t> shape{};
    std::size_t size = 0;  ///< [bytes] of all of it: the values follow
};

/// The bytes before the values, as numpy.save writes them (format 1.0).
std::string npy_header(std::string_view type, std::span<const std::int64_t> shape);

/// @param name  file name for messages; `bytes` must outlive the header
/// @throws InputError  another format, cut off or damaged
NpyHeader parse_npy_header(std::string_view bytes, std::string_view name);

/// "(2, 3)"; one axis has a comma all the same.
std::string npy_shape_text(std::span<const std::int64_t> shape);

}  // namespace lockstep::io
