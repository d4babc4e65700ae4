#pragma once

#include <exception>
#include <functional>
#include <string>

#include <nanobind/nanobind.h>

#include "lockstep/app/observer.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::python {

namespace nb = nanobind;

/// Tells Python functions. What one of them raises ends the work and is raised again at its end.
class PythonObserver final : public app::Observer {
public:
    /// @param progress  called with a dict of each step
    /// @param text  called with what a sentence is ("warning", "news", "end") and the sentence
    /// None for either: nobody listens
    PythonObserver(nb::object progress, nb::object text);

    void on_warning(const Problem& problem) override;
    void on_notice(app::Notice notice, const std::string& text) override;
    void on_progress(const app::Progress& report) override;
    void on_phase_end(const app::PhaseEnd& end) override;
    bool stop_requested() override { return error_ != nullptr; }

    /// What people read comes from one rank.
    void be_silent(bool is_silent) { is_silent_ = is_silent; }
    /// All ranks hear of what a function of one of them raised. Collective.
    /// @throws Error  on ranks whose own functions raised nothing
    void agree(comm::Communicator& ranks) const;
    /// With the GIL, after the work.
    void rethrow() const;

private:
    void say(const char* kind, const std::string& sentence);
    template <typename Call>
    void tell(const nb::object& function, Call&& call);

    nb::object progress_;
    nb::object text_;
    std::exception_ptr error_;
    bool is_silent_ = false;
};

/// Does what may take long, while other Python threads run. What the listeners raised is raised, at
/// the end.
/// @return the signal that came meanwhile, also after the last step; 0: none
int attend(nb::object progress, nb::object text, const std::function<void(PythonObserver&)>& work);

}  // namespace lockstep::python
