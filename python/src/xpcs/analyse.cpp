#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "lockstep/app/xpcs/in_memory.hpp"
#include "lockstep/app/xpcs/lent_farm.hpp"
#include "lockstep/app/xpcs/options.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "comm/world.hpp"
#include "filling.hpp"
#include "matrices.hpp"
#include "observer.hpp"
#include "own_array.hpp"
#include "use_cases.hpp"

namespace lockstep::python {

namespace {

app::XpcsWork work_named(const std::string& name) {
    if (name == "fit") {
        return app::XpcsWork::fit;
    }
    return name == "sample" ? app::XpcsWork::sample : app::XpcsWork::both;
}

nb::bytes bytes_of(std::span<const std::byte> bytes) {
    return nb::bytes(bytes.data(), bytes.size());
}

std::vector<std::byte> vector_of(const nb::bytes& bytes) {
    const auto* first = static_cast<const std::byte*>(bytes.data());
    return {first, first + bytes.size()};
}

// Python is free while a worker of its farm is waited for.
std::vector<std::byte> run_on(const nb::object& farm,
                              std::span<const std::byte> task,
                              const runtime::TaskContext& context) {
    const nb::gil_scoped_acquire python;
    try {
        const nb::object future = farm.attr("submit")(
            nb::module_::import_("lockstep.xpcs._shards").attr("run_task"), bytes_of(task));
        constexpr double between_questions = 0.2;  // [s]
        while (!nb::cast<bool>(future.attr("wait")(between_questions))) {
            if (context.should_stop()) {
                future.attr("cancel")();
                throw runtime::TaskStopped();
            }
        }
        return vector_of(nb::cast<nb::bytes>(future.attr("result")()));
    } catch (nb::python_error& error) {
        if (error.matches(nb::module_::import_("lockstep").attr("CommError"))) {
            throw CommError(nb::str(error.value()).c_str());
        }
        throw std::runtime_error(nb::str(error.value()).c_str());
    }
}

/// A farm of lockstep.farm.
std::shared_ptr<const app::LentFarm> lent(nb::handle farm) {
    if (farm.is_none()) {
        return nullptr;
    }
    if (!nb::isinstance(farm, nb::module_::import_("lockstep.farm").attr("TaskFarm"))) {
        throw nb::type_error("farm must be a TaskFarm of lockstep.farm, or None");
    }
    // The last one who lets go of it may be a thread that does not hold the GIL.
    const std::shared_ptr<nb::object> kept(new nb::object(nb::borrow(farm)), [](nb::object* held) {
        const nb::gil_scoped_acquire python;
        delete held;
    });
    return std::make_shared<const app::LentFarm>(
        app::LentFarm{nb::cast<std::string>(farm.attr("backend")),
                      nb::cast<int>(farm.attr("n_workers")),
                      [kept](std::span<const std::byte> task, const runtime::TaskContext& context) {
                          return run_on(*kept, task, context);
                      }});
}

nb::bytes run_shard_task(const nb::bytes& task) {
    std::vector<std::byte> output;
    {
        const std::span<const std::byte> bytes(static_cast<const std::byte*>(task.data()),
                                               task.size());
        const nb::gil_scoped_release others_may_run;
        output = app::run_shard_task(bytes);
    }
    return bytes_of(output);
}

app::XpcsRequest request_of(const std::string& work, const std::string& input, const Given& given) {
    app::XpcsRequest request;
    request.work = work_named(work);
    request.run.input = input;
    request.program = own_command();
    fill(app::xpcs_run_options(request.work), request, given);
    return request;
}

/// What the sampler says of each draw, [chains, draws].
template <typename To, typename From>
nb::object statistic(const xpcs::SampleResult& draws,
                     std::vector<From> xpcs::cmc::ChainDraws::*values) {
    std::vector<To> all;
    for (const auto& chain : draws.chain_figures.statistics) {
        all.insert(all.end(), (chain.*values).begin(), (chain.*values).end());
    }
    return array_of(std::move(all), {at(draws.chains), at(draws.draws)});
}

nb::dict statistics_of(const xpcs::SampleResult& draws) {
    using Draws = xpcs::cmc::ChainDraws;
    nb::dict out;
    if (draws.method != xpcs::SampleMethod::chains ||
        draws.chain_figures.statistics.size() != at(draws.chains)) {
        return out;
    }
    out["energy"] = statistic<double>(draws, &Draws::energy);
    out["acceptance_rate"] = statistic<double>(draws, &Draws::acceptance);
    out["n_steps"] = statistic<std::int64_t>(draws, &Draws::leapfrogs);
    out["tree_depth"] = statistic<std::int64_t>(draws, &Draws::tree_depth);
    out["diverging"] = statistic<std::uint8_t>(draws, &Draws::is_divergent);
    std::vector<double> steps;
    for (const double size : draws.chain_figures.step_sizes) {
        steps.insert(steps.end(), at(draws.draws), size);
    }
    out["step_size"] = array_of(std::move(steps), {at(draws.chains), at(draws.draws)});
    return out;
}

nb::object draws_of(xpcs::SampleResult draws) {
    if (draws.draws == 0) {
        return nb::none();
    }
    const auto owner = std::make_shared<const xpcs::SampleResult>(std::move(draws));
    nb::dict out;
    out["names"] = owner->names;
    out["values"] = array_of(
        owner->values.data(), {at(owner->chains), at(owner->draws), owner->names.size()}, owner);
    out["log_density"] =
        array_of(owner->log_density.data(), {at(owner->chains), at(owner->draws)}, owner);
    out["statistics"] = statistics_of(*owner);
    return out;
}

std::string summary_of(const app::XpcsOutcome& outcome) {
    io::Json summary = io::Json::object();
    summary.set("fit", to_json(outcome.fit));
    summary.set("posterior", outcome.posterior ? to_json(*outcome.posterior) : io::Json());
    return io::to_text(summary);
}

template <typename Run>
nb::tuple analyse(nb::object progress, nb::object text, Run&& run) {
    app::XpcsOutcome outcome;
    std::string summary;
    const int signal = attend(std::move(progress), std::move(text), [&](PythonObserver& observer) {
        const auto meet = [&](const app::XpcsRequest& request) {
            auto ranks = world(request.run.backend);
            observer.be_silent(ranks->rank() != 0);
            return ranks;
        };
        outcome = run(observer, meet);
        summary = summary_of(outcome);
    });
    return nb::make_tuple(summary,
                          outcome.run.output.string(),
                          std::max(outcome.run.signal, signal),
                          draws_of(std::move(outcome.draws)));
}

nb::tuple analyse_file(const std::string& work,
                       const std::string& input,
                       const Given& options,
                       nb::object progress,
                       nb::object text,
                       nb::handle farm) {
    const auto elsewhere = lent(farm);
    return analyse(std::move(progress), std::move(text), [&](auto& observer, auto& meet) {
        auto request = request_of(work, input, options);
        request.lent_farm = elsewhere;
        return app::analyse_measurement(request, *meet(request), observer);
    });
}

nb::tuple analyse_matrices(const std::string& work,
                           const Matrices& matrices,
                           const std::string& configuration,
                           const std::string& name,
                           const Given& options,
                           nb::object progress,
                           nb::object text,
                           nb::handle farm) {
    const auto elsewhere = lent(farm);
    // The work goes on without the GIL, when nobody else may give the matrices up.
    const auto loaded = matrices.loaded;
    return analyse(std::move(progress), std::move(text), [&](auto& observer, auto& meet) {
        auto request = request_of(work, "dataset", options);
        request.lent_farm = elsewhere;
        return app::analyse_in_memory(
            request, {configuration, name, *loaded}, *meet(request), observer);
    });
}

}  // namespace

void bind_analyse(nb::module_& m) {
    m.def("analyse_file",
          &analyse_file,
          nb::arg("work"),
          nb::arg("input"),
          nb::arg("options"),
          nb::arg("progress").none(),
          nb::arg("warning").none(),
          nb::arg("farm").none() = nb::none(),
          "An analysis of a configuration: summary as JSON, output, signal, draws or None.");
    m.def("analyse_matrices",
          &analyse_matrices,
          nb::arg("work"),
          nb::arg("matrices"),
          nb::arg("configuration"),
          nb::arg("name"),
          nb::arg("options"),
          nb::arg("progress").none(),
          nb::arg("warning").none(),
          nb::arg("farm").none() = nb::none(),
          "The same of matrices in memory.");
    m.def("run_shard_task",
          &run_shard_task,
          nb::arg("task"),
          "The output of a task that a farm was handed; both are bytes.");
}

}  // namespace lockstep::python
