#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep::io {

/// NumPy's name of a type of values.
template <typename T>
constexpr std::string_view npy_type = "";
template <>
inline constexpr std::string_view npy_type<double> = "<f8";
template <>
inline constexpr std::string_view npy_type<float> = "<f4";
template <>
inline constexpr std::string_view npy_type<std::uint32_t> = "<u4";
template <>
inline constexpr std::string_view npy_type<std::int64_t> = "<i8";

/// Values as they lie in memory.
template <typename T>
std::string_view bytes_of(std::span<const T> values) {
    const void* const bytes = values.data();
    return {static_cast<const char*>(bytes), values.size_bytes()};
}

}  // namespace lockstep::io
