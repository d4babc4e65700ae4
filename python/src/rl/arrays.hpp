#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "lockstep/rl/learn/table.hpp"

namespace lockstep::python {

namespace nb = nanobind;

/// A read-only array of NumPy that keeps the numbers of a vector, without a copy.
template <typename T>
nb::object as_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    auto* const numbers = kept->data();
    const nb::capsule owner(kept.release(), [](void* pointer) noexcept {
        delete static_cast<std::vector<T>*>(pointer);
    });
    return nb::cast(nb::ndarray<nb::numpy, const T>(numbers, shape, owner));
}

/// Values and visits of a table, and its digest.
nb::dict table_dict(rl::QTable table);

}  // namespace lockstep::python
