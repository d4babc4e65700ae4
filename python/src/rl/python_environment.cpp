#include "rl/python_environment.hpp"

#include <string_view>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::python {

namespace {

std::string shown(PyObject* object) {
    const auto text = nb::steal(PyObject_Repr(object));
    if (!text.is_valid()) {
        PyErr_Clear();
        return "something";
    }
    constexpr std::size_t most = 80;
    std::string whole = nb::borrow<nb::str>(text).c_str();
    return whole.size() > most ? whole.substr(0, most) + "…" : whole;
}

std::string type_of(PyObject* object) {
    return nb::type_name(nb::handle(object).type()).c_str();
}

[[noreturn]] void refuse(const std::string& name, const std::string& fault) {
    throw InputError(fmt::format("{} breaks a rule of Gymnasium: {}", name, fault));
}

[[noreturn]] void refuse_result(const std::string& name,
                                PyObject* result,
                                const char* function,
                                const char* wanted) {
    refuse(name,
           PyTuple_Check(result)
               ? fmt::format("{} returned a tuple of {}, must return {}",
                             function,
                             PyTuple_Size(result),
                             wanted)
               : fmt::format("{} returned {}, must return {}", function, type_of(result), wanted));
}

double reward_of(PyObject* value, const std::string& name) {
    if (PyFloat_CheckExact(value)) {
        return PyFloat_AsDouble(value);
    }
    const double reward = PyFloat_AsDouble(value);
    if (reward == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        refuse(
            name,
            fmt::format("the reward is {} ({}), must be a number", shown(value), type_of(value)));
    }
    return reward;
}

nb::object owned(PyObject* result) {
    if (result == nullptr) {
        throw nb::python_error();
    }
    return nb::steal(result);
}

}  // namespace

std::int32_t PythonEnvironment::row_of(PyObject* observation, const char* origin) const {
    const auto row = lent_->observations.number_of(observation);
    if (row < 0) [[unlikely]] {
        refuse(lent_->name,
               fmt::format("{} returned the observation {}, which is not in observation_space",
                           origin,
                           shown(observation)));
    }
    return static_cast<std::int32_t>(row);
}

bool PythonEnvironment::truth_of(PyObject* value, const char* name) const {
    if (value == Py_False) {
        return false;
    }
    if (value == Py_True) {
        return true;
    }
    if (PyObject_IsInstance(value, lent_->truth.ptr()) == 1) {
        return PyObject_IsTrue(value) == 1;
    }
    refuse(lent_->name,
           fmt::format("{} is {} ({}), must be a bool", name, shown(value), type_of(value)));
}

std::int32_t PythonEnvironment::begin() const {
    nb::object result;
    if (lent_->is_seeded) {
        result = owned(PyObject_CallNoArgs(lent_->reset.ptr()));
    } else {
        result = lent_->reset(nb::arg("seed") = lent_->seed);
        lent_->is_seeded = true;
    }
    if (!PyTuple_Check(result.ptr()) || PyTuple_Size(result.ptr()) != 2) {
        refuse_result(lent_->name, result.ptr(), "reset()", "the two of (observation, info)");
    }
    return row_of(PyTuple_GetItem(result.ptr(), 0), "reset()");
}

rl::Step PythonEnvironment::take(int action) const {
    PyObject* const arguments[] = {lent_->actions[static_cast<std::size_t>(action)].ptr()};
    const auto result = owned(PyObject_Vectorcall(lent_->step.ptr(), arguments, 1, nullptr));
    auto* const parts = result.ptr();
    if (!PyTuple_Check(parts) || PyTuple_Size(parts) != 5) [[unlikely]] {
        refuse_result(lent_->name,
                      parts,
                      "step()",
                      "the five of (observation, reward, terminated, truncated, info)");
    }
    if (!PyDict_Check(PyTuple_GetItem(parts, 4))) [[unlikely]] {
        refuse(lent_->name,
               fmt::format("info is {}, must be a dict", shown(PyTuple_GetItem(parts, 4))));
    }
    return {row_of(PyTuple_GetItem(parts, 0), "step()"),
            reward_of(PyTuple_GetItem(parts, 1), lent_->name),
            truth_of(PyTuple_GetItem(parts, 2), "terminated"),
            truth_of(PyTuple_GetItem(parts, 3), "truncated")};
}

}  // namespace lockstep::python
