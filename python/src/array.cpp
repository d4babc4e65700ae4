#include "array.hpp"

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

/// The head of NumPy's arrays, as its C interface has had it since NumPy 1.7 and keeps it in 2.x.
/// Asking an array for a buffer makes it write out its format, which takes longer than many a call.
struct NumpyArray {
    PyObject head;
    char* data;
    int dimensions;
    Py_ssize_t* shape;
    Py_ssize_t* strides;
    PyObject* base;
    PyObject* type;
    int flags;
};
constexpr int is_contiguous = 0x1;
constexpr int is_aligned = 0x100;
constexpr int is_writable = 0x400;

/// NumPy's class of arrays, or nullptr where nobody has loaded it.
PyObject* numpy_class() {
    static PyObject* found = nullptr;
    if (found == nullptr) {
        PyObject* numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
        found = numpy == nullptr ? nullptr : PyObject_GetAttrString(numpy, "ndarray");
        PyErr_Clear();  // of a NumPy that is being loaded
    }
    return found;
}

/// What NumPy calls a type: one object for all arrays of this machine's own numbers. It is kept for
/// good: Python may end before we do.
PyObject* numpy_type(const NumberFormat& format) {
    static std::array<PyObject*, formats> types{};
    PyObject*& type = types[format.number];
    if (type == nullptr) {
        type = nb::module_::import_("numpy").attr("dtype")(format.name).release().ptr();
    }
    return type;
}

}  // namespace

void LentArray::take_shape(const Py_ssize_t* shape, int dimensions) {
    dimensions_ = dimensions;
    for (int i = 0; i < dimensions; ++i) {
        const auto length = static_cast<std::size_t>(shape[i]);
        shape_[static_cast<std::size_t>(i)] = length;
        size_ *= length;
    }
}

/// Where nothing is wrong with an array of NumPy's; else what is wrong is found by the long way.
bool LentArray::take_numpy(nb::handle array,
                           const NumberFormat& format,
                           int dimensions,
                           bool is_written) {
    if (reinterpret_cast<PyObject*>(Py_TYPE(array.ptr())) != numpy_class()) {
        return false;
    }
    const auto* found = reinterpret_cast<const NumpyArray*>(array.ptr());
    const int needed = is_contiguous | is_aligned | (is_written ? is_writable : 0);
    if ((found->flags & needed) != needed || found->type != numpy_type(format) ||
        found->dimensions > most_dimensions ||
        (dimensions != any_dimensions && found->dimensions != dimensions)) {
        return false;
    }
    data_ = found->data;
    take_shape(found->shape, found->dimensions);
    kept_ = array.inc_ref().ptr();
    return true;
}

LentArray::LentArray(nb::handle array,
                     const char* argument,
                     const NumberFormat& format,
                     int dimensions,
                     bool is_written) {
    if (!take_numpy(array, format, dimensions, is_written)) {
        take_buffer(array, argument, format, dimensions, is_written);
    }
}

void LentArray::take_buffer(nb::handle array,
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
        if (dimensions != any_dimensions && buffer_.ndim != dimensions) {
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
        if (buffer_.ndim > most_dimensions) {
            throw nb::value_error(fmt::format("{} has {} dimensions, must have at most {}",
                                              argument,
                                              buffer_.ndim,
                                              static_cast<int>(most_dimensions))
                                      .c_str());
        }
    } catch (...) {
        PyBuffer_Release(&buffer_);
        throw;
    }
    data_ = buffer_.buf;
    take_shape(buffer_.shape, buffer_.ndim);
}

LentArray::~LentArray() {
    Py_XDECREF(kept_);
    if (buffer_.obj != nullptr) {
        PyBuffer_Release(&buffer_);
    }
}

}  // namespace lockstep::python
