#include "observer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/gather_list.hpp"
#include "lockstep/runtime/signals.hpp"

namespace lockstep::python {

namespace {

nb::dict to_dict(const app::Progress& progress) {
    nb::dict out;
    out["phase"] = nb::str(progress.phase.c_str());
    out["step"] = nb::str(progress.step.c_str());
    out["done"] = progress.done;
    out["total"] = progress.total;
    out["seconds"] = progress.seconds;
    for (const auto& figure : progress.figures) {
        out[figure.name.c_str()] = figure.value;
    }
    return out;
}

}  // namespace

PythonObserver::PythonObserver(nb::object progress, nb::object text)
    : progress_(std::move(progress)), text_(std::move(text)) {}

template <typename Call>
void PythonObserver::tell(const nb::object& function, Call&& call) {
    if (is_silent_) {
        return;
    }
    const nb::gil_scoped_acquire python;
    if (function.is_none() || error_ != nullptr) {
        return;
    }
    try {
        call();
    } catch (...) {
        error_ = std::current_exception();
    }
}

void PythonObserver::say(const char* kind, const std::string& sentence) {
    tell(text_, [&] { text_(kind, nb::str(sentence.c_str())); });
}

void PythonObserver::on_warning(const Problem& problem) {
    say("warning", to_string(problem));
}

void PythonObserver::on_notice(app::Notice notice, const std::string& text) {
    say(notice == app::Notice::trouble ? "warning" : "news", text);
}

void PythonObserver::on_progress(const app::Progress& report) {
    tell(progress_, [&] { progress_(to_dict(report)); });
}

void PythonObserver::on_phase_end(const app::PhaseEnd& end) {
    say("end", end.phase + ": " + end.sentence);
}

void PythonObserver::agree(comm::Communicator& ranks) const {
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

void PythonObserver::rethrow() const {
    if (error_ != nullptr) {
        std::rethrow_exception(error_);
    }
}

int attend(nb::object progress, nb::object text, const std::function<void(PythonObserver&)>& work) {
    PythonObserver observer(std::move(progress), std::move(text));
    int signal = 0;
    {
        const nb::gil_scoped_release others_may_run;
        runtime::SignalGuard::forget_further_signals();
        const runtime::SignalGuard signals;
        work(observer);
        signal = runtime::SignalGuard::received();
    }
    observer.rethrow();
    return signal;
}

}  // namespace lockstep::python
