#include "rl/plain_q.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/draws.hpp"

#include "array.hpp"

namespace lockstep::python {

namespace {

using Values = WritableNumbers<double>;
using Whole = Numbers<std::int64_t>;

/// Legal actions of the entries of a call; without an array all are.
class Legal {
public:
    Legal(nb::handle given, std::size_t entries, std::size_t actions) : actions_(actions) {
        if (given.is_none()) {
            return;
        }
        given_.emplace(given, "action_masks", 2);
        if (given_->length(0) != entries || given_->length(1) != actions) {
            throw InputError(fmt::format("action_masks has the shape ({}, {}), must have ({}, {})",
                                         given_->length(0),
                                         given_->length(1),
                                         entries,
                                         actions));
        }
    }
    [[nodiscard]] bool operator()(std::size_t entry, std::size_t action) const {
        return !given_ || given_->values()[entry * actions_ + action];
    }

private:
    std::size_t actions_;
    std::optional<Numbers<bool>> given_;
};

std::size_t checked(std::int64_t value, std::size_t limit, const char* name, std::size_t entry) {
    if (value < 0 || static_cast<std::size_t>(value) >= limit) {
        throw InputError(
            fmt::format("{}[{}] is {}, must be from 0 to {}", name, entry, value, limit - 1));
    }
    return static_cast<std::size_t>(value);
}

void require_equal(std::size_t found, std::size_t wanted, const char* name) {
    if (found != wanted) {
        throw InputError(fmt::format("{} has {} entries, must have {}", name, found, wanted));
    }
}

constexpr double none = -std::numeric_limits<double>::infinity();

double best_value(const double* row, const Legal& legal, std::size_t entry, std::size_t actions) {
    double best = none;
    for (std::size_t a = 0; a < actions; ++a) {
        best = legal(entry, a) && row[a] > best ? row[a] : best;
    }
    return best;
}

void learn(nb::handle table,
           nb::handle states,
           nb::handle actions,
           nb::handle rewards,
           nb::handle next_states,
           nb::handle terminated,
           double step_size,
           double discount,
           nb::handle next_masks) {
    const Values values(table, "q_table", 2);
    const Whole from(states, "states");
    const Whole by(actions, "actions");
    const Numbers<double> paid(rewards, "rewards");
    const Whole to(next_states, "next_states");
    const Numbers<bool> over(terminated, "terminated");
    const std::size_t count = from.size();
    require_equal(by.size(), count, "actions");
    require_equal(paid.size(), count, "rewards");
    require_equal(to.size(), count, "next_states");
    require_equal(over.size(), count, "terminated");
    const std::size_t rows = values.length(0);
    const std::size_t columns = values.length(1);
    const Legal legal(next_masks, count, columns);
    double* const q = values.values().data();
    for (std::size_t i = 0; i < count; ++i) {
        const auto s = checked(from.values()[i], rows, "states", i);
        const auto a = checked(by.values()[i], columns, "actions", i);
        double target = paid.values()[i];
        if (!over.values()[i]) {
            const auto next = checked(to.values()[i], rows, "next_states", i);
            const double best = best_value(q + next * columns, legal, i, columns);
            if (best == none) {
                throw InputError(fmt::format(
                    "next_states[{}] is {}: no action is legal there and the episode goes on",
                    i,
                    next));
            }
            target += discount * best;
        }
        q[s * columns + a] += step_size * (target - q[s * columns + a]);
    }
}

/// -1 where no action is legal.
std::int64_t chosen(const double* row,
                    const Legal& legal,
                    std::size_t entry,
                    std::size_t actions,
                    bool explores,
                    bool is_lowest,
                    rl::StepDraws& draws) {
    const double best = explores ? none : best_value(row, legal, entry, actions);
    std::uint32_t count = 0;
    const auto counts = [&](std::size_t a) {
        return legal(entry, a) && (explores || row[a] == best);
    };
    for (std::size_t a = 0; a < actions; ++a) {
        count += counts(a) ? 1U : 0U;
    }
    if (count == 0) {
        return -1;
    }
    std::uint32_t left = is_lowest ? 0 : draws.below(count);
    for (std::size_t a = 0; a < actions; ++a) {
        if (counts(a) && left-- == 0) {
            return static_cast<std::int64_t>(a);
        }
    }
    return -1;
}

void choose(nb::handle table,
            nb::handle states,
            nb::handle out,
            double epsilon,
            bool deterministic,
            std::uint64_t seed,
            std::uint64_t call,
            nb::handle masks) {
    const Values values(table, "q_table", 2);
    const Whole from(states, "states");
    const WritableNumbers<std::int64_t> actions(out, "out");
    const std::size_t count = from.size();
    require_equal(actions.size(), count, "out");
    const std::size_t columns = values.length(1);
    const Legal legal(masks, count, columns);
    const rl::Streams streams(seed, "dist_classicrl");
    for (std::size_t i = 0; i < count; ++i) {
        const auto s = checked(from.values()[i], values.length(0), "states", i);
        auto draws = streams.at(static_cast<std::uint32_t>(i), call);
        const bool explores = !deterministic && draws.uniform() < epsilon;
        actions.values()[i] = chosen(values.values().data() + s * columns,
                                     legal,
                                     i,
                                     columns,
                                     explores,
                                     deterministic,
                                     draws);
    }
}

}  // namespace

void bind_plain_q(nb::module_& m) {
    m.def("plain_learn",
          &learn,
          nb::arg("q_table"),
          nb::arg("states"),
          nb::arg("actions"),
          nb::arg("rewards"),
          nb::arg("next_states"),
          nb::arg("terminated"),
          nb::arg("step_size"),
          nb::arg("discount"),
          nb::arg("next_masks").none());
    m.def("plain_choose",
          &choose,
          nb::arg("q_table"),
          nb::arg("states"),
          nb::arg("out"),
          nb::arg("epsilon"),
          nb::arg("deterministic"),
          nb::arg("seed"),
          nb::arg("call"),
          nb::arg("masks").none());
}

}  // namespace lockstep::python
