#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/environments/registry.hpp"
#include "lockstep/rl/learn/actors.hpp"
#include "lockstep/rl/learn/learner.hpp"
#include "lockstep/rl/learn/options.hpp"

namespace lockstep::rl {

/// An environment of any type, for who chooses it when the program runs; loops over its steps are
/// compiled for the type. make_world_of() (learn/world_of.hpp) makes one of any environment.
class World {
public:
    virtual ~World() = default;
    World() = default;
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    [[nodiscard]] virtual int states() const = 0;
    [[nodiscard]] virtual int actions() const = 0;
    [[nodiscard]] virtual ActionMask mask(int s) const = 0;
    [[nodiscard]] virtual std::string describe() const = 0;
    /// Two players move in turn (is_alternating).
    [[nodiscard]] virtual bool alternates() const = 0;
    /// Nothing where it is not known.
    [[nodiscard]] virtual std::optional<Model> model() const = 0;
    /// Who plays and learns. The world must outlive it.
    /// @param item  number of its environment, which decides what it draws
    /// @param learners  that share the schedule of exploration
    [[nodiscard]] virtual std::unique_ptr<Learner> learner(const LearnOptions& options,
                                                           std::uint32_t item,
                                                           std::int64_t learners) const = 0;
    /// Who only plays, in environments `first` to `first` + `count` - 1.
    [[nodiscard]] virtual std::unique_ptr<Actors> actors(const LearnOptions& options,
                                                         std::uint32_t first,
                                                         std::size_t count,
                                                         std::int64_t learners) const = 0;
};

/// The world of an environment that was chosen by name.
std::unique_ptr<World> make_world(const AnyEnvironment& environment);

}  // namespace lockstep::rl
