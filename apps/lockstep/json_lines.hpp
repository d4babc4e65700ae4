#pragma once

#include <string>

#include "lockstep/app/observer.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::cli {

// Events of a run as JSON objects, each with a member "event".

io::Json event_of(const app::RunStart& start);
io::Json event_of(const sddp::IterationReport& report);
io::Json event_of(const lockstep::Problem& warning);
io::Json simulation_event(int done, int total);

/// Prints each event as one line on stdout.
class JsonLines : public app::RunObserver {
public:
    void on_warning(const lockstep::Problem& problem) override;
    void on_notice(const std::string& text) override;
    void on_start(const app::RunStart& start) override;
    void on_iteration(const sddp::IterationReport& report) override;
    void on_simulation_progress(int done, int total) override;
};

/// One line: the value and a line feed.
void print_line(const io::Json& value);

}  // namespace lockstep::cli
