#include "array.hpp"

#include <cstring>

#include <fmt/format.h>

namespace lockstep::python {

namespace {

[[noreturn]] void refuse_type(nb::handle found, const char* argument, const NumberFormat& format) {
    const std::string type = nb::type_name(found.type()).c_str();
    throw nb::type_error(
        fmt::format("{0} must be an array of {1}, not {2}; numpy.asarray({0}, dtype=numpy.{1}) "
                    "makes one",
                    argument,
                    format.name,
                    type)
            .c_str());
}

[[noreturn]] void refuse_numbers(nb::handle found,
                                 const char* argument,
                                 const NumberFormat& format,
                                 const char* code) {
    std::string type = code == nullptr ? "bytes" : code;
    if (nb::hasattr(found, "dtype")) {
        const nb::object dtype = found.attr("dtype");
        type = nb::str(nb::handle(dtype)).c_str();
    }
    throw nb::type_error(
        fmt::format("{0} is an array of {1}, must be {2}; {0}.astype(numpy.{2}) converts it",
                    argument,
                    type,
                    format.name)
            .c_str());
}

bool has_format(const Py_buffer& buffer, const NumberFormat& format) {
    const char* code = buffer.format == nullptr ? "B" : buffer.format;
    if (*code == '@' || *code == '=' || *code == '<') {
        ++code;
    }
    return *code != '\0' && code[1] == '\0' && format.codes.find(*code) != std::string_view::npos &&
           buffer.itemsize == static_cast<Py_ssize_t>(format.bytes);
}

}  // namespace

LentArray::LentArray(nb::handle array,
                     const char* argument,
                     const NumberFormat& format,
                     int dimensions,
                     bool is_written) {
    if (PyObject_CheckBuffer(array.ptr()) == 0) {
        refuse_type(array, argument, format);
    }
    // The layout is asked for by strides, so that we can tell what is wrong with it.
    if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
        throw nb::python_error();
    }
    try {
        if (!has_format(buffer_, format)) {
            refuse_numbers(array, argument, format, buffer_.format);
        }
        if (buffer_.ndim != dimensions) {
            throw nb::value_error(
                fmt::format(
                    "{} has {} dimensions, must have {}", argument, buffer_.ndim, dimensions)
                    .c_str());
        }
        if (PyBuffer_IsContiguous(&buffer_, 'C') == 0) {
            throw nb::type_error(
                fmt::format("{0} is not C-contiguous; numpy.ascontiguousarray({0}) copies it so",
                            argument)
                    .c_str());
        }
        if (is_written && buffer_.readonly != 0) {
            throw nb::type_error(
                fmt::format("{0} is read-only and is written here; {0}.copy() can be written",
                            argument)
                    .c_str());
        }
    } catch (...) {
        PyBuffer_Release(&buffer_);
        throw;
    }
}

LentArray::~LentArray() {
    PyBuffer_Release(&buffer_);
}

}  // namespace lockstep::python
