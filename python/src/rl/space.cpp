#include "rl/space.hpp"

#include <limits>
#include <string>

#include <nanobind/stl/string.h>

#include "lockstep/base/error.hpp"

namespace lockstep::python {

namespace {

constexpr std::int64_t most_points = std::numeric_limits<std::int32_t>::max();

std::vector<std::int64_t> numbers_in(nb::handle list) {
    std::vector<std::int64_t> numbers;
    for (const auto each : list) {
        numbers.push_back(nb::cast<std::int64_t>(each));
    }
    return numbers;
}

// -1 less than any start where it is no whole number.
constexpr std::int64_t no_number = std::numeric_limits<std::int64_t>::min();

std::int64_t value_of(PyObject* whole) {
    int overflow = 0;
    const auto value = PyLong_AsLongLongAndOverflow(whole, &overflow);
    return overflow == 0 ? value : no_number;
}

std::int64_t whole_number(PyObject* object) {
    if (PyLong_CheckExact(object)) {
        return value_of(object);
    }
    const auto index = nb::steal(PyNumber_Index(object));
    if (!index.is_valid()) {
        PyErr_Clear();
        // An array without dimensions, and NumPy's truth values, which are no index.
        const auto item = nb::steal(PyObject_CallMethod(object, "item", nullptr));
        if (!item.is_valid() || !PyLong_Check(item.ptr())) {
            PyErr_Clear();
            return no_number;
        }
        return value_of(item.ptr());
    }
    return value_of(index.ptr());
}

bool is_within(std::int64_t value, std::int64_t start, std::int64_t size) noexcept {
    return value >= start && value - start < size;
}

/// A container that holds itself ends as Python's own recursion does.
struct Descent {
    Descent() {
        if (Py_EnterRecursiveCall(" in the description of a space") != 0) {
            throw nb::python_error();
        }
    }
    ~Descent() { Py_LeaveRecursiveCall(); }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;
};

void require_one_each(std::size_t found, std::size_t wanted, const char* what) {
    if (found != wanted) {
        throw InputError("the description of a space has " + std::to_string(found) + " " + what +
                         ", must have " + std::to_string(wanted));
    }
}

}  // namespace

Space::Space(nb::handle description) {
    const Descent one_deeper;
    const std::string kind = nb::cast<std::string>(description[0]);
    if (kind == "discrete") {
        sizes_ = {nb::cast<std::int64_t>(description[1])};
        starts_ = {nb::cast<std::int64_t>(description[2])};
    } else if (kind == "array") {
        kind_ = Kind::array;
        sizes_ = numbers_in(description[1]);
        starts_ = numbers_in(description[2]);
        require_one_each(starts_.size(), sizes_.size(), "starts");
    } else {
        kind_ = kind == "tuple" ? Kind::tuple : Kind::dict;
        if (kind_ == Kind::dict) {
            for (const auto key : nb::handle(description[1])) {
                keys_.push_back(nb::borrow(key));
            }
        }
        for (const auto part : nb::handle(description[kind_ == Kind::dict ? 2 : 1])) {
            parts_.emplace_back(part);
            sizes_.push_back(parts_.back().size());
        }
        if (kind_ == Kind::dict) {
            require_one_each(keys_.size(), parts_.size(), "keys");
        }
    }
    count();
}

void Space::count() {
    for (const auto size : sizes_) {
        if (size < 1 || size_ > most_points / size) {
            throw InputError(
                "the space has more than 2147483647 points: a table has a row for each");
        }
        size_ *= size;
    }
}

std::int64_t Space::number_of(PyObject* point) const {
    switch (kind_) {
        case Kind::discrete: {
            const auto value = whole_number(point);
            return is_within(value, starts_[0], sizes_[0]) ? value - starts_[0] : -1;
        }
        case Kind::array:
            return number_in_array(point);
        case Kind::tuple:
            return number_in_tuple(point);
        case Kind::dict:
            break;
    }
    return number_in_dict(point);
}

std::int64_t Space::number_in_array(PyObject* point) const {
    const auto flat = nb::steal(PyObject_CallMethod(point, "tolist", nullptr));
    PyErr_Clear();
    // Rows of rows are walked one after the other.
    std::vector<nb::object> open{flat.is_valid() ? nb::object(flat) : nb::borrow(point)};
    std::int64_t number = 0;
    std::size_t seen = 0;
    // More rows than numbers, of any number of dimensions, has only a list that holds itself.
    std::size_t rows_left = 64 * (sizes_.size() + 1);
    while (!open.empty()) {
        const auto next = std::move(open.back());
        open.pop_back();
        if (PyList_Check(next.ptr()) || PyTuple_Check(next.ptr())) {
            if (rows_left-- == 0) {
                return -1;
            }
            for (auto i = PySequence_Size(next.ptr()); i > 0; --i) {
                open.push_back(nb::steal(PySequence_GetItem(next.ptr(), i - 1)));
            }
            continue;
        }
        const auto value = whole_number(next.ptr());
        if (seen >= sizes_.size() || !is_within(value, starts_[seen], sizes_[seen])) {
            return -1;
        }
        number = number * sizes_[seen] + value - starts_[seen];
        ++seen;
    }
    return seen == sizes_.size() ? number : -1;
}

std::int64_t Space::number_in_tuple(PyObject* point) const {
    if (!PyTuple_Check(point) || PyTuple_Size(point) != std::ssize(parts_)) {
        return -1;
    }
    std::int64_t number = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const auto part = parts_[i].number_of(PyTuple_GetItem(point, static_cast<Py_ssize_t>(i)));
        if (part < 0) {
            return -1;
        }
        number = number * sizes_[i] + part;
    }
    return number;
}

std::int64_t Space::number_in_dict(PyObject* point) const {
    if (!PyDict_Check(point) || PyDict_Size(point) != std::ssize(parts_)) {
        return -1;
    }
    std::int64_t number = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        auto* const value = PyDict_GetItemWithError(point, keys_[i].ptr());
        const auto part = value == nullptr ? -1 : parts_[i].number_of(value);
        if (part < 0) {
            return -1;
        }
        number = number * sizes_[i] + part;
    }
    return number;
}

}  // namespace lockstep::python
