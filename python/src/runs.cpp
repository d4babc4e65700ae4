#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/gather_list.hpp"

#include "bindings.hpp"
#include "comm/ranks.hpp"
#include "comm/world.hpp"
#include "observer.hpp"
#include "use_cases.hpp"

namespace nb = nanobind;

namespace lockstep::python {

namespace {

// The first rank alone reads what was written.
void share(comm::Communicator& ranks, Ended& ended) {
    for (auto* text : {&ended.summary, &ended.output}) {
        std::vector<char> letters(text->begin(), text->end());
        comm::broadcast_list(ranks, letters, 0);
        text->assign(letters.begin(), letters.end());
    }
    ended.signal = ranks.allreduce(ended.signal, comm::ReduceOp::max);
}

nb::tuple run(const std::string& name,
              const std::string& input,
              const Given& options,
              nb::object progress,
              nb::object text,
              const Ranks* given) {
    const auto& called = use_case(name);
    if (input.empty()) {
        throw InputError(name + ": the first argument must not be empty");
    }
    Ended ended;
    const auto work = [&](PythonObserver& observer) {
        std::shared_ptr<comm::Communicator> ranks;
        const Meet meet = [&](const std::string& backend) {
            ranks = given == nullptr ? world(backend) : given->get();
            observer.be_silent(ranks->rank() != 0);
            return ranks;
        };
        ended = called.run(input, options, meet, observer);
        if (ranks) {
            observer.agree(*ranks);
            share(*ranks, ended);
        }
    };
    const int signal = attend(std::move(progress), std::move(text), work);
    return nb::make_tuple(ended.summary, ended.output, std::max(ended.signal, signal));
}

nb::dict to_dict(const app::Option& option) {
    static constexpr const char* types[] = {"flag",
                                            "off_switch",
                                            "boolean",
                                            "whole",
                                            "real",
                                            "choice",
                                            "text",
                                            "place",
                                            "pair",
                                            "number"};
    nb::dict out;
    out["name"] = option.name;
    out["aliases"] = option.aliases;
    out["type"] = types[static_cast<int>(option.type)];
    out["choices"] = option.choices;
    out["allowed"] = app::allowed(option);
    out["default"] = option.fallback;
    out["about"] = option.about;
    out["is_repeated"] = option.is_repeated;
    out["group"] = option.group;
    out["unit"] = option.unit;
    return out;
}

nb::list options(const std::string& name) {
    nb::list all;
    for (const auto& option : use_case(name).options) {
        all.append(to_dict(option));
    }
    return all;
}

}  // namespace

void bind_runs(nb::module_& m) {
    m.def("use_cases", &use_case_names, "Names that run() and options() take.");
    m.def("options", &options, "The options of a use case, as records.");
    m.def("run",
          &run,
          nb::arg("use_case"),
          nb::arg("input"),
          nb::arg("options"),
          nb::arg("progress").none() = nb::none(),
          nb::arg("text").none() = nb::none(),
          nb::arg("ranks").none() = nb::none(),
          "Runs a use case: its summary as JSON, its output directory, the signal that ended it. "
          "progress(report) hears of steps, text(kind, sentence) of warnings, news and ends.");
    m.def("set_own_command", &set_own_command, nb::arg("words"));
}

}  // namespace lockstep::python
