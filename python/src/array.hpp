#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

namespace lockstep::python {

namespace nb = nanobind;

/// What NumPy calls the numbers of an array, and which codes of a buffer's format say so.
struct NumberFormat {
    const char* name;
    std::string_view codes;
    std::size_t bytes;
    std::size_t number;  ///< of the format, below formats
};
inline constexpr std::size_t formats = 5;

template <typename T>
constexpr NumberFormat number_format();
template <>
constexpr NumberFormat number_format<double>() {
    return {"float64", "d", 8, 0};
}
template <>
constexpr NumberFormat number_format<std::int64_t>() {
    return {"int64", "lq", 8, 1};
}
template <>
constexpr NumberFormat number_format<std::int32_t>() {
    return {"int32", "i", 4, 2};
}
template <>
constexpr NumberFormat number_format<std::uint32_t>() {
    return {"uint32", "I", 4, 3};
}
template <>
constexpr NumberFormat number_format<bool>() {
    return {"bool", "?", 1, 4};
}

/// Where a function takes arrays of any number of dimensions and looks itself.
inline constexpr int any_dimensions = -1;

/// A C-contiguous array that Python lent for the length of a call. Nothing is converted: another
/// type or layout is a TypeError, a wrong number of dimensions a ValueError, and each names the
/// argument and the conversion that would do.
class LentArray {
public:
    LentArray(nb::handle array,
              const char* argument,
              const NumberFormat& format,
              int dimensions,
              bool is_written);
    ~LentArray();
    LentArray(const LentArray&) = delete;
    LentArray& operator=(const LentArray&) = delete;

    [[nodiscard]] void* data() const { return data_; }
    [[nodiscard]] int dimensions() const { return dimensions_; }
    /// Length along a dimension.
    [[nodiscard]] std::size_t length(int dimension) const {
        return shape_[static_cast<std::size_t>(dimension)];
    }
    /// Number of elements.
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    static constexpr int most_dimensions = 8;

    bool take_numpy(nb::handle array, const NumberFormat& format, int dimensions, bool is_written);
    void take_buffer(nb::handle array,
                     const char* argument,
                     const NumberFormat& format,
                     int dimensions,
                     bool is_written);
    void take_shape(const Py_ssize_t* shape, int dimensions);

    void* data_ = nullptr;
    int dimensions_ = 0;
    std::size_t size_ = 1;
    std::array<std::size_t, most_dimensions> shape_{};
    PyObject* kept_ = nullptr;  ///< an array that lends without a buffer
    Py_buffer buffer_{};
};

/// Numbers to read.
template <typename T>
class Numbers : public LentArray {
public:
    Numbers(nb::handle array, const char* argument, int dimensions = 1)
        : LentArray(array, argument, number_format<T>(), dimensions, false) {}
    [[nodiscard]] std::span<const T> values() const {
        return {static_cast<const T*>(data()), size()};
    }
};

/// Numbers to write.
template <typename T>
class WritableNumbers : public LentArray {
public:
    WritableNumbers(nb::handle array, const char* argument, int dimensions = 1)
        : LentArray(array, argument, number_format<T>(), dimensions, true) {}
    [[nodiscard]] std::span<T> values() const { return {static_cast<T*>(data()), size()}; }
};

}  // namespace lockstep::python
