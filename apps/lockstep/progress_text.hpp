#pragma once

#include <string>
#include <vector>

#include "lockstep/app/text.hpp"
#include "lockstep/sddp/observer.hpp"

#include "terminal.hpp"
#include "time_left.hpp"

namespace lockstep::cli {

/// A piece of a line and how soon it is left out when the line is too long.
struct Field {
    std::string text;
    int rank = 0;  ///< 0 stays; the highest goes first
};

/// Fields with separators, the highest ranks left out until the line takes at most `width` columns;
/// cut off there if even the fields that stay are too long.
std::string fit(std::vector<Field> fields, int width);

/// The line that a terminal shows after an iteration, without control characters.
std::string training_line(const sddp::IterationReport& report,
                          const TimeLeft& time_left,
                          const Terminal& terminal);

/// The line that a terminal shows while scenarios run.
std::string simulation_line(int done, int total, double seconds, const Terminal& terminal);

/// Head and rows of the table that a pipe gets, one row an iteration.
std::string table_head(const app::MoneyUnit& unit);
std::string table_row(const sddp::IterationReport& report, const app::MoneyUnit& unit);

}  // namespace lockstep::cli
