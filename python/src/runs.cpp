#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/gather_list.hpp"

#include "bindings.hpp"
#include "comm/ranks.hpp"
#include "comm/world.hpp"
#include "use_cases.hpp"

namespace nb = nanobind;

namespace lockstep::python {

namespace {

nb::dict to_dict(const app::Progress& progress) {
    nb::dict out;
    out["phase"] = progress.phase;
    out["step"] = progress.step;
    out["done"] = progress.done;
    out["total"] = progress.total;
    out["seconds"] = progress.seconds;
    for (const auto& figure : progress.figures) {
        out[figure.name.c_str()] = figure.value;
    }
    return out;
}

/// Tells Python functions. What one of them raises ends the work and is raised again at its end.
class PythonObserver final : public app::Observer {
public:
    PythonObserver(nb::object progress, nb::object warning)
        : progress_(std::move(progress)), warning_(std::move(warning)) {}

    /// What people read comes from one rank.
    void be_silent(bool is_silent) { is_silent_ = is_silent; }

    void on_warning(const Problem& problem) override {
        tell(warning_, [&] { return nb::str(to_string(problem).c_str()); });
    }
    void on_notice(app::Notice notice, const std::string& text) override {
        if (notice == app::Notice::trouble) {
            tell(warning_, [&] { return nb::str(text.c_str()); });
        }
    }
    void on_progress(const app::Progress& report) override {
        tell(progress_, [&] { return to_dict(report); });
    }
    bool stop_requested() override { return error_ != nullptr; }

    /// All ranks hear of what a function of one of them raised. Collective.
    /// @throws Error  on ranks whose own functions raised nothing
    void agree(comm::Communicator& ranks) const {
        const std::vector<int> raised =
            comm::gather_list(ranks, std::vector<int>{error_ != nullptr ? 1 : 0});
        const auto first = std::ranges::find(raised, 1);
        if (first != raised.end() && error_ == nullptr) {
            throw Error(fmt::format("a function that rank {} called during the run raised an "
                                    "exception, which ended the run",
                                    first - raised.begin()),
                        70);
        }
    }
    void rethrow() const {
        if (error_ != nullptr) {
            std::rethrow_exception(error_);
        }
    }

private:
    template <typename Make>
    void tell(const nb::object& function, Make&& make) {
        if (is_silent_) {
            return;
        }
        const nb::gil_scoped_acquire python;
        if (function.is_none() || error_ != nullptr) {
            return;
        }
        try {
            function(make());
        } catch (...) {
            error_ = std::current_exception();
        }
    }

    nb::object progress_;
    nb::object warning_;
    std::exception_ptr error_;
    bool is_silent_ = false;
};

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
              nb::object warning,
              const Ranks* given) {
    const auto& called = use_case(name);
    PythonObserver observer(std::move(progress), std::move(warning));
    std::shared_ptr<comm::Communicator> ranks;
    const Meet meet = [&](const std::string& backend) {
        ranks = given == nullptr ? world(backend) : given->get();
        observer.be_silent(ranks->rank() != 0);
        return ranks;
    };
    Ended ended;
    {
        const nb::gil_scoped_release others_may_run;
        ended = called.run(input, options, meet, observer);
        observer.agree(*ranks);
        share(*ranks, ended);
    }
    observer.rethrow();
    return nb::make_tuple(ended.summary, ended.output, ended.signal);
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
    out["unit"] = option.unit;
    out["choices"] = option.choices;
    out["allowed"] = app::allowed(option);
    out["default"] = option.fallback;
    out["about"] = option.about;
    out["is_repeated"] = option.is_repeated;
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
          nb::arg("warning").none() = nb::none(),
          nb::arg("ranks").none() = nb::none(),
          "Runs a use case: its summary as JSON, its output directory, the signal that ended it.");
}

}  // namespace lockstep::python
