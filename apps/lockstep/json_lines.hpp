#pragma once

#include <string>

#include "lockstep/app/observer.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::cli {

// Events of a run as JSON objects, each with a member "event".

io::Json event_of(const app::RunFacts& facts);
/// Figures are members by their names; "<name>_half_width_95" where one has an interval.
io::Json event_of(const app::Progress& progress);
io::Json event_of(const Problem& warning);

/// Prints each event as one line on stdout.
class JsonLines : public app::Observer {
public:
    void on_warning(const Problem& problem) override;
    void on_notice(app::Notice kind, const std::string& text) override;
    void on_start(const app::RunFacts& facts) override;
    void on_progress(const app::Progress& progress) override;
    void on_phase_end(const app::PhaseEnd& end) override;
};

/// One line: the value and a line feed.
void print_line(const io::Json& value);

}  // namespace lockstep::cli
