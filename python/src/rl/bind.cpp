#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "lockstep/app/rl/options.hpp"
#include "lockstep/app/rl/process.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/formats/rl/table_file.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/npy.hpp"
#include "lockstep/rl/learn/world_of.hpp"
#include "lockstep/rl/time_limit.hpp"
#include "lockstep/runtime/signals.hpp"
#include "lockstep/runtime/topology.hpp"

#include "array.hpp"
#include "bindings.hpp"
#include "filling.hpp"
#include "observer.hpp"
#include "own_array.hpp"
#include "rl/batch_learner.hpp"
#include "rl/plain_q.hpp"
#include "rl/python_environment.hpp"
#include "use_cases.hpp"

namespace lockstep::python {

namespace {

using app::LearnedTable;
using app::Process;

/// Values and visits of a table, and its digest.
nb::dict table_dict(rl::QTable table) {
    nb::dict out;
    const auto states = static_cast<std::size_t>(table.states);
    const auto actions = static_cast<std::size_t>(table.actions);
    out["digest"] = to_string(rl::digest_of(table));
    out["values"] = array_of(std::move(table.values), {states, actions});
    out["visits"] = array_of(std::move(table.visits), {states, actions});
    return out;
}

nb::dict as_dict(LearnedTable learned) {
    nb::dict out = table_dict(std::move(learned.table));
    out["summary"] = io::to_text(to_json(learned.record));
    out["signal"] = learned.signal;
    return out;
}

nb::object as_tuple(const std::optional<formats::rl::BoundedValue>& value) {
    return value ? nb::object(nb::make_tuple(value->value, value->lower, value->upper))
                 : nb::none();
}

nb::dict as_dict(app::PolicyValue found) {
    auto& solution = found.solution;
    const std::size_t states = solution.value.size();
    nb::dict out;
    out["start"] = as_tuple(found.start);
    out["ending"] = std::string(rl::to_string(solution.ending));
    out["sweeps"] = solution.sweeps;
    out["half_width"] = solution.half_width;
    out["digest"] = to_string(formats::rl::digest_of(solution));
    out["value"] = array_of(std::move(solution.value), {states});
    out["lower"] = array_of(std::move(solution.lower), {states});
    out["upper"] = array_of(std::move(solution.upper), {states});
    out["policy"] = array_of(std::move(solution.policy), {states});
    return out;
}

/// Outcomes of a model as columns.
formats::mdp::ModelFile model_of_columns(int states,
                                         int actions,
                                         nb::handle s,
                                         nb::handle a,
                                         nb::handle p,
                                         nb::handle next,
                                         nb::handle reward,
                                         nb::handle terminated,
                                         nb::handle starts) {
    const Numbers<std::int64_t> from(s, "s");
    const Numbers<std::int64_t> by(a, "a");
    const Numbers<double> probability(p, "p");
    const Numbers<std::int64_t> to(next, "next");
    const Numbers<double> pays(reward, "reward");
    const Numbers<bool> ends(terminated, "terminated");
    for (const auto length : {by.size(), probability.size(), to.size(), pays.size(), ends.size()}) {
        if (length != from.size()) {
            throw InputError("a column of the table has " + std::to_string(length) +
                             " outcomes, another " + std::to_string(from.size()));
        }
    }
    rl::ModelBuilder builder(states, actions);
    const auto number = [](std::int64_t value) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, -1, INT32_MAX));
    };
    for (std::size_t i = 0; i < from.size(); ++i) {
        builder.add(
            number(from.values()[i]),
            number(by.values()[i]),
            {probability.values()[i], number(to.values()[i]), pays.values()[i], ends.values()[i]});
    }
    const Numbers<double> begins(starts, "starts");
    for (std::size_t i = 0; i < begins.size(); ++i) {
        if (begins.values()[i] > 0) {
            builder.add_start({static_cast<std::int32_t>(i), begins.values()[i]});
        }
    }
    return {.model = builder.build()};
}

void construct(Process* place,
               const std::string& name,
               int states,
               int actions,
               nb::tuple columns,
               nb::handle starts,
               std::optional<std::int64_t> time_limit,
               std::optional<double> gamma) {
    constexpr std::size_t all_columns = 6;
    if (columns.size() != all_columns) {
        throw InputError("the table has " + std::to_string(columns.size()) +
                         " columns, must have 6: s, a, p, next, reward, terminated");
    }
    auto file = model_of_columns(states,
                                 actions,
                                 columns[0],
                                 columns[1],
                                 columns[2],
                                 columns[3],
                                 columns[4],
                                 columns[5],
                                 starts);
    file.time_limit = time_limit;
    file.gamma = gamma;
    new (place) Process(std::move(file), name);
}

app::TrainRequest train_request(const Given& options) {
    static const auto table = app::train_request_options();
    app::TrainRequest request;
    fill(table, request, options);
    return request;
}

app::SolveRequest solve_request(const Given& options) {
    static const auto table = app::solve_options();
    app::SolveRequest request;
    fill(table, request, options);
    return request;
}

nb::dict learn(const Process& process, const Given& options, nb::object progress, nb::object text) {
    const auto request = train_request(options);
    LearnedTable learned;
    const int signal = attend(std::move(progress), std::move(text), [&](PythonObserver& observer) {
        learned = process.learn(request.options, request.run.threads, observer);
    });
    learned.signal = std::max(learned.signal, signal);
    return as_dict(std::move(learned));
}

nb::dict valued(const std::function<app::PolicyValue()>& work) {
    app::PolicyValue found;
    const int signal = attend(nb::none(), nb::none(), [&](PythonObserver&) { found = work(); });
    auto out = as_dict(std::move(found));
    out["signal"] = signal;
    return out;
}

nb::dict solve(const Process& process, const Given& options) {
    const auto request = solve_request(options);
    return valued(
        [&] { return process.solve(request.options, request.gamma, request.run.threads); });
}

nb::dict evaluate(const Process& process, nb::handle policy, const Given& options) {
    const auto request = solve_request(options);
    const Numbers<std::int32_t> actions(policy, "policy");
    if (actions.size() != static_cast<std::size_t>(process.record().states)) {
        throw InputError("policy has " + std::to_string(actions.size()) +
                         " actions, must have one for each of " +
                         std::to_string(process.record().states) + " states");
    }
    return valued([&] {
        return process.evaluate(
            actions.values(), request.options, request.gamma, request.run.threads);
    });
}

void write_model(const Process& process, const std::string& path) {
    if (process.file() == nullptr) {
        auto model = process.model();
        if (!model) {
            throw ModelError(process.record().name + " has no model to write");
        }
        formats::mdp::write_model(path, {.model = *std::move(model)});
        return;
    }
    formats::mdp::write_model(path, *process.file());
}

/// Legal pairs; None where all are.
nb::object legal_pairs(const Process& process) {
    const auto model = process.model();
    if (!model) {
        return nb::none();
    }
    std::vector<std::uint8_t> legal;
    bool is_all = true;
    for (int s = 0; s < model->states(); ++s) {
        for (int a = 0; a < model->actions(); ++a) {
            legal.push_back(static_cast<std::uint8_t>(model->is_legal(s, a)));
            is_all = is_all && legal.back() != 0;
        }
    }
    return is_all ? nb::none()
                  : array_of(std::move(legal),
                             {static_cast<std::size_t>(model->states()),
                              static_cast<std::size_t>(model->actions())});
}

void bind_process(nb::module_& m) {
    nb::class_<Process>(m, "Process", "A process to learn and solve in memory.")
        .def(nb::init<const std::string&, const Given&>())
        .def("__init__",
             &construct,
             nb::arg("name"),
             nb::arg("states"),
             nb::arg("actions"),
             nb::arg("columns"),
             nb::arg("starts"),
             nb::arg("time_limit").none(),
             nb::arg("gamma").none())
        .def_prop_ro("name", [](const Process& p) { return p.record().name; })
        .def_prop_ro("rules", [](const Process& p) { return p.record().rules; })
        .def_prop_ro("states", [](const Process& p) { return p.record().states; })
        .def_prop_ro("actions", [](const Process& p) { return p.record().actions; })
        .def("legal", &legal_pairs)
        .def(
            "learn", &learn, nb::arg("options"), nb::arg("progress").none(), nb::arg("text").none())
        .def("solve", &solve)
        .def("evaluate", &evaluate)
        .def("write_model", &write_model);
}

std::shared_ptr<LentEnvironment> lent(const std::string& name,
                                      nb::object step,
                                      nb::object reset,
                                      nb::list actions,
                                      nb::handle observations,
                                      nb::object truth) {
    constexpr std::size_t most_actions = 64;
    if (actions.size() < 1 || actions.size() > most_actions) {
        throw InputError(name + " has " + std::to_string(actions.size()) +
                         " actions, must have 1 to 64");
    }
    std::vector<nb::object> numbered;
    for (const auto action : actions) {
        numbered.push_back(nb::borrow(action));
    }
    return std::make_shared<LentEnvironment>(LentEnvironment{name,
                                                             std::move(step),
                                                             std::move(reset),
                                                             std::move(numbered),
                                                             Space(observations),
                                                             std::move(truth)});
}

using Scalar = rl::TimeLimit<PythonEnvironment>;

void require_room(const LentEnvironment& lent) {
    const auto pairs = lent.observations.size() * std::ssize(lent.actions);
    // A value, its visits, and copies of both.
    const auto bytes = 2 * pairs * std::int64_t{sizeof(double) + sizeof(std::uint32_t)};
    const auto usable = runtime::usable_memory();
    if (usable > 0 && bytes > usable) {
        throw InputError(lent.name + " has a table of " + std::to_string(pairs) +
                         " pairs, which takes more memory than there is: fewer observations");
    }
}

nb::dict learn_by_steps(const std::shared_ptr<LentEnvironment>& lent,
                        std::int64_t time_limit,
                        const Given& options,
                        const std::string& output,
                        nb::object progress,
                        nb::object text) {
    const auto learn = app::learn_options(train_request(options).options);
    runtime::SignalGuard::forget_further_signals();
    lent->seed = learn.seed;
    lent->is_seeded = false;
    require_room(*lent);
    const auto world = rl::make_world_of(Scalar(PythonEnvironment(lent), time_limit));
    PythonObserver observer(std::move(progress), std::move(text));
    const formats::rl::EnvironmentRecord record{
        lent->name, {}, "", world->describe(), world->states(), world->actions()};
    auto learned = app::learn_in_memory(*world, record, learn, 1, observer);
    if (!output.empty()) {
        app::write_learned(output, learned, *world);
    }
    observer.rethrow();
    return as_dict(std::move(learned));
}

/// Returns and lengths of episodes under a policy, and which of them were cut.
nb::tuple play(const std::shared_ptr<LentEnvironment>& lent,
               std::int64_t time_limit,
               nb::handle policy,
               std::int64_t episodes,
               std::uint64_t seed,
               std::int64_t longest) {
    const Numbers<std::int32_t> actions(policy, "policy");
    lent->seed = seed;
    lent->is_seeded = false;
    const Scalar rules(PythonEnvironment(lent), time_limit);
    if (actions.size() != static_cast<std::size_t>(rules.states())) {
        throw InputError("policy must have an action for each state");
    }
    std::vector<double> returns;
    std::vector<std::int64_t> lengths;
    std::vector<std::uint8_t> cut;
    rl::StepDraws none(0, 0, 0);
    for (std::int64_t n = 0; n < episodes; ++n) {
        auto episode = rules.reset(none);
        double total = 0;
        std::int64_t steps = 0;
        for (bool is_over = false; !is_over && steps < longest;) {
            const auto action = actions.values()[static_cast<std::size_t>(episode.state)];
            if (action < 0 || action >= rules.actions()) {
                throw InputError("policy[" + std::to_string(episode.state) + "] is " +
                                 std::to_string(action) + ", must be from 0 to " +
                                 std::to_string(rules.actions() - 1));
            }
            const auto step = rules.step(episode, action, none);
            total += step.reward;
            ++steps;
            is_over = step.ended();
            if (is_over || steps == longest) {
                cut.push_back(static_cast<std::uint8_t>(!step.terminated));
            }
        }
        returns.push_back(total);
        lengths.push_back(steps);
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
    }
    const std::size_t count = returns.size();
    return nb::make_tuple(array_of(std::move(returns), {count}),
                          array_of(std::move(lengths), {count}),
                          array_of(std::move(cut), {count}));
}

void bind_environment(nb::module_& m) {
    nb::class_<Space>(m, "Space", "A finite space whose points are numbered.")
        .def(nb::init<nb::handle>())
        .def_prop_ro("size", &Space::size)
        .def(
            "number_of",
            [](const Space& space, nb::object point) { return space.number_of(point.ptr()); },
            nb::arg("point").none());
    nb::class_<LentEnvironment>(m, "LentEnvironment", "An environment that is stepped from here.");
    m.def("lend", &lent);
    m.def("learn_by_steps",
          &learn_by_steps,
          nb::arg("environment"),
          nb::arg("time_limit"),
          nb::arg("options"),
          nb::arg("output"),
          nb::arg("progress").none(),
          nb::arg("text").none());
    m.def("play", &play);
}

nb::object choose(BatchLearner& learner,
                  nb::handle observations,
                  nb::object out,
                  nb::handle masks,
                  bool is_greedy) {
    if (out.is_none()) {
        const std::size_t count = Numbers<std::int64_t>(observations, "observations").size();
        out = nb::module_::import_("numpy").attr("empty")(count, "int64");
    }
    learner.choose(observations, out, masks, is_greedy);
    return out;
}

void bind_learner(nb::module_& m) {
    nb::class_<BatchLearner>(m, "BatchLearner")
        .def(
            "__init__",
            [](BatchLearner* place,
               int states,
               int actions,
               const Given& options,
               nb::object values) {
                new (place)
                    BatchLearner(states, actions, app::learn_options(options), std::move(values));
            },
            nb::arg("states"),
            nb::arg("actions"),
            nb::arg("options"),
            nb::arg("values").none())
        .def("choose",
             &choose,
             nb::arg("observations"),
             nb::kw_only(),
             nb::arg("out").none() = nb::none(),
             nb::arg("masks").none() = nb::none(),
             nb::arg("greedy") = false,
             "Actions for observations, int64 (copies).\n\n"
             "Parameters\n----------\n"
             "out : int64 array (copies), optional\n    Written and returned.\n"
             "masks : bool array (copies, actions), optional\n    Legal actions; None: all.\n"
             "greedy : bool\n    The lowest of the best actions, without exploring.")
        .def("learn",
             &BatchLearner::learn,
             nb::arg("observations"),
             nb::arg("actions"),
             nb::arg("rewards"),
             nb::arg("next_observations"),
             nb::arg("terminated"),
             nb::arg("truncated"),
             nb::arg("next_masks").none() = nb::none(),
             "Moves the values of a batch of transitions to their targets, one after the other.")
        .def("grow", &BatchLearner::grow, nb::arg("states"), "More rows, behind those there are.")
        .def_prop_ro("states", &BatchLearner::states, "Rows of the table.")
        .def_prop_ro("actions", &BatchLearner::actions, "Columns of the table.")
        .def_prop_ro(
            "transitions", &BatchLearner::transitions, "Transitions that were learned from.")
        .def_prop_ro(
            "exploration", &BatchLearner::exploration, "Share of random actions, as it is now.")
        .def_prop_ro("td_error", &BatchLearner::error, "Mean size of the errors of all updates.")
        .def("_table", [](const BatchLearner& learner) { return table_dict(learner.table()); });
}

rl::QTable table_of(nb::handle values, nb::handle visits) {
    const Numbers<double> numbers(values, "values", 2);
    const auto counts = numbers.values();
    rl::QTable table{
        static_cast<int>(numbers.length(0)), static_cast<int>(numbers.length(1)), {}, {}};
    table.values.assign(counts.begin(), counts.end());
    const Numbers<std::uint32_t> seen(visits, "visits", 2);
    if (seen.length(0) != numbers.length(0) || seen.length(1) != numbers.length(1)) {
        throw InputError("visits has another shape than values");
    }
    table.visits.assign(seen.values().begin(), seen.values().end());
    return table;
}

void write_npy(const std::string& path, nb::handle values) {
    const Numbers<double> numbers(values, "values", 2);
    const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(numbers.length(0)),
                                            static_cast<std::int64_t>(numbers.length(1))};
    io::write_npy(path, numbers.values(), shape);
}

nb::dict read_table(const std::string& folder) {
    auto file = formats::rl::read_table(folder);
    nb::dict out = table_dict(std::move(file.table));
    out["environment"] = file.record.environment.name;
    out["algorithm"] = file.record.algorithm;
    out["discount_factor"] = file.record.discount_factor;
    out["transitions"] = file.record.transitions;
    return out;
}

nb::object read_npy(const std::string& path) {
    auto array = io::read_npy(path);
    auto* const values = std::get_if<std::vector<double>>(&array.values);
    if (values == nullptr || array.shape.size() != 2) {
        throw InputError(path + ": must hold an array of float64 with two dimensions");
    }
    return array_of(
        std::move(*values),
        {static_cast<std::size_t>(array.shape[0]), static_cast<std::size_t>(array.shape[1])});
}

void bind_q_tables(nb::module_& m) {
    m.def("read_npy", &read_npy, "An array of float64 with two dimensions.");
    m.def("write_text", &io::write_file, "Writes a file whole or not at all.");
    m.def("read_table", &read_table, "The table of a folder, and where it comes from.");
    m.def("write_npy", &write_npy, "Whole or not at all, as numpy.save writes it.");
    m.def("digest_of", [](nb::handle values, nb::handle visits) {
        return to_string(rl::digest_of(table_of(values, visits)));
    });
    m.def("environments", [] {
        nb::dict names;
        for (const auto& entry : rl::environments()) {
            nb::list aliases;
            for (const auto alias : entry.aliases) {
                aliases.append(nb::str(alias.data(), alias.size()));
            }
            names[nb::str(entry.name.data(), entry.name.size())] = aliases;
        }
        return names;
    });
}

}  // namespace

void bind_rl(nb::module_& m) {
    bind_q_tables(m);
    bind_process(m);
    bind_environment(m);
    bind_learner(m);
    bind_plain_q(m);
}

}  // namespace lockstep::python
