#include "bind_policy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "lockstep/app/sddp/evaluate.hpp"
#include "lockstep/base/error.hpp"

#include "array.hpp"
#include "cost_to_go.hpp"

namespace lockstep::python {

namespace {

/// A policy as Python holds it. Its numbers never change, so that arrays may share them; arrays
/// that were asked for once are kept, since making one costs more than pricing a state.
struct PyPolicy {
    explicit PyPolicy(CostToGo of)
        : numbers(std::make_shared<const CostToGo>(std::move(of))), arrays(numbers->nodes.size()) {}
    std::shared_ptr<const CostToGo> numbers;
    mutable std::vector<nb::object> arrays;  ///< [nodes], (intercept, slopes)
};

CostToGo read(const std::string& path,
              const std::string& case_directory,
              const std::vector<formats::Setting>& settings) {
    const nb::gil_scoped_release others_may_run;
    return cost_to_go(app::PolicyReader({path, case_directory, settings}).shape());
}

void require_finite(const double* state, std::size_t states, const CostToGo& numbers) {
    for (std::size_t i = 0; i < states; ++i) {
        if (!std::isfinite(state[i])) {
            throw nb::value_error(fmt::format("state[{}], {}, is {}, must be a finite number",
                                              i,
                                              numbers.state[i].name,
                                              state[i])
                                      .c_str());
        }
    }
}

void require_states(std::size_t found, std::size_t wanted) {
    if (found != wanted) {
        throw nb::value_error(
            fmt::format("state has {} numbers, must have {}: see Policy.states", found, wanted)
                .c_str());
    }
}

template <typename T>
nb::object new_array(std::vector<T> values, std::vector<std::size_t> shape) {
    auto held = std::make_unique<std::vector<T>>(std::move(values));
    T* data = held->data();
    const nb::capsule owner(
        held.release(), [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
    return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner));
}

nb::object price_all(const CostToGo& numbers, const PolicyNode& node, const LentArray& states) {
    const std::size_t count = states.length(0);
    const std::size_t width = states.length(1);
    require_states(width, node.cuts.states());
    const auto* first = static_cast<const double*>(states.data());
    std::vector<double> prices(count);
    for (std::size_t i = 0; i < count; ++i) {
        require_finite(first + i * width, width, numbers);
    }
    {
        const nb::gil_scoped_release others_may_run;
        for (std::size_t i = 0; i < count; ++i) {
            prices[i] = node.cuts.price(first + i * width, numbers.least_cost);
        }
    }
    return new_array(std::move(prices), {count});
}

nb::object evaluate(const PyPolicy& policy, int stage, nb::handle state) {
    const auto& node = policy.numbers->at(stage);
    const Numbers<double> lent(state, "state", any_dimensions);
    if (lent.dimensions() == 2) {
        return price_all(*policy.numbers, node, lent);
    }
    if (lent.dimensions() != 1) {
        throw nb::value_error(
            fmt::format("state has {} dimensions, must have 1, or 2 with a row a state",
                        lent.dimensions())
                .c_str());
    }
    require_states(lent.size(), node.cuts.states());
    const auto* numbers = static_cast<const double*>(lent.data());
    require_finite(numbers, lent.size(), *policy.numbers);
    return nb::steal(PyFloat_FromDouble(node.cuts.price(numbers, policy.numbers->least_cost)));
}

/// A state that was lent for a call, and the cuts that bind there.
struct AtState {
    AtState(const PyPolicy& policy, int stage, nb::handle state)
        : node(policy.numbers->at(stage)), lent(state, "state") {
        require_states(lent.size(), node.cuts.states());
        require_finite(lent.values().data(), lent.size(), *policy.numbers);
        binding = policy.numbers->binding(node, lent.values().data());
    }
    [[nodiscard]] double slope(std::size_t cut, std::size_t state) const {
        return node.cuts.slopes()[state * node.cuts.stride() + cut];
    }
    const PolicyNode& node;
    Numbers<double> lent;
    std::vector<std::size_t> binding;
};

nb::object gradient(const PyPolicy& policy, int stage, nb::handle state) {
    const AtState at(policy, stage, state);
    std::vector<double> slopes(at.node.cuts.states());
    for (std::size_t i = 0; i < slopes.size() && !at.binding.empty(); ++i) {
        slopes[i] = at.slope(at.binding.front(), i);
    }
    const std::size_t size = slopes.size();
    return new_array(std::move(slopes), {size});
}

/// (id, name, storage, what the next hm³ saves, what the last one did) of each plant.
nb::list water_values(const PyPolicy& policy, int stage, nb::handle state) {
    const AtState at(policy, stage, state);
    nb::list plants;
    const auto& numbers = *policy.numbers;
    for (std::size_t h = 0; h < std::min(numbers.hydros.size(), at.lent.size()); ++h) {
        double low = 0;
        double high = 0;
        for (const auto cut : at.binding) {
            const double value = 0 - at.slope(cut, h);
            const bool is_first = cut == at.binding.front();
            low = is_first ? value : std::min(low, value);
            high = is_first ? value : std::max(high, value);
        }
        const auto& [id, name] = numbers.hydros[h];
        plants.append(nb::make_tuple(id, name, at.lent.values()[h], low, high));
    }
    return plants;
}

nb::object shared_array(const PyPolicy& policy,
                        const double* data,
                        std::vector<std::size_t> shape,
                        std::vector<std::int64_t> strides) {
    const nb::capsule owner(new std::shared_ptr(policy.numbers), [](void* held) noexcept {
        delete static_cast<std::shared_ptr<const CostToGo>*>(held);
    });
    return nb::cast(nb::ndarray<nb::numpy, const double>(
        data, shape.size(), shape.data(), owner, strides.data()));
}

nb::object cut_matrix(const PyPolicy& policy, int stage) {
    const auto place = policy.numbers->place_of(stage);
    auto& kept = policy.arrays[place];
    if (!kept.is_valid()) {
        const auto& cuts = policy.numbers->nodes[place].cuts;
        kept = nb::make_tuple(shared_array(policy, cuts.intercept().data(), {cuts.cuts()}, {1}),
                              shared_array(policy,
                                           cuts.slopes().data(),
                                           {cuts.cuts(), cuts.states()},
                                           {1, static_cast<std::int64_t>(cuts.stride())}));
    }
    return kept;
}

nb::bytes bytes_of(std::span<const double> numbers) {
    return nb::bytes(numbers.data(), numbers.size_bytes());
}

nb::tuple content(const PyPolicy& policy) {
    const auto& numbers = *policy.numbers;
    nb::list nodes;
    for (const auto& node : numbers.nodes) {
        nodes.append(nb::make_tuple(node.id,
                                    node.stage_id,
                                    node.name,
                                    node.is_last,
                                    node.cuts.states(),
                                    bytes_of(node.cuts.intercept()),
                                    bytes_of(node.cuts.slopes())));
    }
    nb::list state;
    for (const auto& number : numbers.state) {
        state.append(nb::make_tuple(number.name, number.unit, number.start));
    }
    return nb::make_tuple(nodes, state, numbers.hydros, numbers.least_cost);
}

std::vector<double> numbers_in(const nb::bytes& bytes) {
    if (bytes.size() % sizeof(double) != 0) {
        throw InputError("the content of a policy is damaged");
    }
    std::vector<double> numbers(bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), bytes.c_str(), bytes.size());
    return numbers;
}

void require_parts(const nb::tuple& parts, std::size_t wanted) {
    if (parts.size() != wanted) {
        throw InputError("the content of a policy is damaged");
    }
}

PolicyNode node_of(const nb::tuple& parts) {
    require_parts(parts, 7);
    const auto states = nb::cast<std::size_t>(parts[4]);
    const auto intercept = numbers_in(nb::cast<nb::bytes>(parts[5]));
    const auto slopes = numbers_in(nb::cast<nb::bytes>(parts[6]));
    constexpr std::size_t row = 8;
    if (states * ((intercept.size() + row - 1) / row * row) != slopes.size()) {
        throw InputError("the content of a policy is damaged");
    }
    return {nb::cast<int>(parts[0]),
            nb::cast<int>(parts[1]),
            nb::cast<std::string>(parts[2]),
            nb::cast<bool>(parts[3]),
            CutMatrix(intercept.size(), states, intercept, slopes)};
}

CostToGo from_content(const nb::tuple& parts) {
    require_parts(parts, 4);
    CostToGo out;
    for (const auto node : nb::cast<nb::list>(parts[0])) {
        out.nodes.push_back(node_of(nb::cast<nb::tuple>(node)));
    }
    for (const auto item : nb::cast<nb::list>(parts[1])) {
        const auto number = nb::cast<nb::tuple>(item);
        require_parts(number, 3);
        out.state.push_back({nb::cast<std::string>(number[0]),
                             nb::cast<std::string>(number[1]),
                             nb::cast<double>(number[2])});
    }
    out.hydros = nb::cast<std::vector<std::pair<int, std::string>>>(parts[2]);
    out.least_cost = nb::cast<double>(parts[3]);
    const auto fits = [&](const PolicyNode& node) {
        return node.cuts.states() == out.state.size() ||
               (node.cuts.cuts() == 0 && node.cuts.states() == 0);
    };
    if (out.nodes.empty() || out.hydros.size() > out.state.size() ||
        !std::ranges::all_of(out.nodes, fits)) {
        throw InputError("the content of a policy is damaged");
    }
    return out;
}

template <typename Get>
nb::tuple each(const auto& items, Get get) {
    nb::list all;
    for (const auto& item : items) {
        all.append(get(item));
    }
    return nb::tuple(all);
}

nb::object start(const PyPolicy& policy) {
    std::vector<double> values;
    for (const auto& number : policy.numbers->state) {
        values.push_back(number.start);
    }
    const std::size_t size = values.size();
    return new_array(std::move(values), {size});
}

}  // namespace

void bind_policy(nb::module_& m) {
    nb::class_<PyPolicy>(m, "Policy", "Cuts after each stage of a case.")
        .def(
            "__init__",
            [](PyPolicy* self,
               const std::string& path,
               const std::string& case_directory,
               const std::vector<formats::Setting>& settings) {
                new (self) PyPolicy(read(path, case_directory, settings));
            },
            nb::arg("path"),
            nb::arg("case"),
            nb::arg("settings"))
        .def(
            "__init__",
            [](PyPolicy* self, const nb::tuple& parts) {
                new (self) PyPolicy(from_content(parts));
            },
            nb::arg("content"))
        .def("evaluate",
             &evaluate,
             nb::arg("stage"),
             nb::arg("state"),
             nb::sig("def evaluate(self, stage: int, state: object) -> typing.Any"),
             "Cost to go [$] after a stage, of a state or of each row of several.\n\n"
             "stage: id of the stage, or of the node where the case has a policy graph\n"
             "state: float64 [states] or [n × states], in the order of `states`; nothing is "
             "converted\n\nReturns a float, or an array [n]: the largest cut.")
        .def("gradient",
             &gradient,
             nb::arg("stage"),
             nb::arg("state"),
             nb::sig("def gradient(self, stage: int, state: object) -> typing.Any"),
             "Slopes of the cost to go at a state, [states], of the first binding cut.")
        .def("_water_values", &water_values, nb::arg("stage"), nb::arg("state"))
        .def("cut_matrix",
             &cut_matrix,
             nb::arg("stage"),
             nb::sig("def cut_matrix(self, stage: int) -> tuple[typing.Any, typing.Any]"),
             "(intercept [cuts], slopes [cuts × states]) of the active cuts after a stage: "
             "cost >= intercept + slopes @ state, in [$]. Read-only views, no copy.")
        .def_prop_ro(
            "states",
            [](const PyPolicy& policy) {
                return each(policy.numbers->state, [](const auto& number) { return number.name; });
            },
            "Names of the numbers of a state, in order.")
        .def_prop_ro(
            "units",
            [](const PyPolicy& policy) {
                return each(policy.numbers->state, [](const auto& number) { return number.unit; });
            },
            "Units of the numbers of a state.")
        .def_prop_ro(
            "stages",
            [](const PyPolicy& policy) {
                return each(policy.numbers->nodes, [](const auto& node) { return node.id; });
            },
            "Ids of the stages (of the nodes, where the case has a policy graph).")
        .def_prop_ro("initial_state", &start, "The state before the first stage, a new array.")
        .def("_content", &content);
}

}  // namespace lockstep::python
