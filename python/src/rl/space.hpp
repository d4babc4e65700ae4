#pragma once

#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>

namespace lockstep::python {

namespace nb = nanobind;

/// A finite space of Gymnasium whose points are numbered: the first component counts most.
class Space {
public:
    /// @param description  ("discrete", n, start), ("array", sizes, starts), ("tuple", parts) or
    /// ("dict", keys, parts); the last two of descriptions
    explicit Space(nb::handle description);

    [[nodiscard]] std::int64_t size() const noexcept { return size_; }
    /// The number of a point; -1: it is none of the space.
    [[nodiscard]] std::int64_t number_of(PyObject* point) const;

private:
    enum class Kind { discrete, array, tuple, dict };

    [[nodiscard]] std::int64_t number_in_array(PyObject* point) const;
    [[nodiscard]] std::int64_t number_in_tuple(PyObject* point) const;
    [[nodiscard]] std::int64_t number_in_dict(PyObject* point) const;
    void count();

    Kind kind_ = Kind::discrete;
    std::int64_t size_ = 1;
    std::vector<std::int64_t> sizes_;
    std::vector<std::int64_t> starts_;
    std::vector<Space> parts_;
    std::vector<nb::object> keys_;
};

}  // namespace lockstep::python
