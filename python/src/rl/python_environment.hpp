#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "lockstep/rl/environment.hpp"

#include "rl/space.hpp"

namespace lockstep::python {

/// An environment of Gymnasium as it was lent.
struct LentEnvironment {
    std::string name;
    nb::object step;                  ///< bound
    nb::object reset;                 ///< bound
    std::vector<nb::object> actions;  ///< what step() takes, by number
    Space observations;
    nb::object truth;  ///< NumPy's class of truth values
    std::uint64_t seed = 0;
    bool is_seeded = false;  ///< the first reset has had the seed
};

/// Plays an environment in Python through its scalar step. There is one episode at a time, and its
/// random numbers are its own. Called with the interpreter's lock held.
///
/// @throws InputError  what it does is against Gymnasium's rules: which one
/// @throws nb::python_error  what it raises
class PythonEnvironment {
public:
    using Episode = rl::PlainEpisode;

    explicit PythonEnvironment(std::shared_ptr<LentEnvironment> lent) : lent_(std::move(lent)) {}

    [[nodiscard]] int states() const noexcept {
        return static_cast<int>(lent_->observations.size());
    }
    [[nodiscard]] int actions() const noexcept { return static_cast<int>(lent_->actions.size()); }
    [[nodiscard]] rl::ActionMask mask(int /*s*/) const noexcept {
        return rl::all_actions(actions());
    }
    [[nodiscard]] std::string describe() const { return lent_->name; }

    template <rl::Draws D>
    [[nodiscard]] Episode reset(D& /*draws*/) const {
        return {begin()};
    }
    template <rl::Draws D>
    rl::Step step(Episode& episode, int action, D& /*draws*/) const {
        const auto step = take(action);
        episode.state = step.next;
        return step;
    }

private:
    [[nodiscard]] std::int32_t begin() const;
    [[nodiscard]] rl::Step take(int action) const;
    [[nodiscard]] std::int32_t row_of(PyObject* observation, const char* origin) const;
    [[nodiscard]] bool truth_of(PyObject* value, const char* name) const;

    std::shared_ptr<LentEnvironment> lent_;
};

}  // namespace lockstep::python
