#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace lockstep::python {

namespace nb = nanobind;

/// A read-only NumPy array of numbers that `owner` keeps alive.
template <typename T, typename Owner>
nb::object array_of(const T* values,
                    std::initializer_list<std::size_t> shape,
                    std::shared_ptr<Owner> owner) {
    auto* const kept = new std::shared_ptr<Owner>(std::move(owner));
    const nb::capsule capsule(
        kept, [](void* place) noexcept { delete static_cast<std::shared_ptr<Owner>*>(place); });
    return nb::cast(nb::ndarray<nb::numpy, const T>(values, shape.size(), shape.begin(), capsule));
}

/// A read-only NumPy array that takes the numbers over.
template <typename T>
nb::object array_of(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    const T* data = owner->data();
    return array_of(data, shape, std::move(owner));
}

}  // namespace lockstep::python
