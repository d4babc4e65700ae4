#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lockstep/app/observer.hpp"
#include "lockstep/app/text.hpp"

#include "terminal.hpp"

namespace lockstep::cli {

/// A piece of a line and how soon it is left out when the line is too long.
struct Field {
    std::string text;
    int rank = 0;  ///< 0 stays; the highest goes first
};

/// Fields with separators, the highest ranks left out until the line takes at most `width` columns;
/// cut off there if even the fields that stay are too long.
std::string fit(std::vector<Field> fields, int width);

/// The line that a terminal shows during a phase, without control characters: how far it is, a bar,
/// the labelled figures, the time left.
std::string progress_line(const app::Progress& progress, const Terminal& terminal);

/// Columns of the table that a pipe gets: the step, the labelled figures, the seconds.
struct TableColumns {
    std::string step;
    struct Column {
        std::string head;
        int width = 0;
    };
    std::vector<Column> columns;
    app::MoneyUnit unit;  ///< of all amounts of money
};
TableColumns columns_of_table(const app::Progress& first);
std::string table_head(const TableColumns& columns);
/// @param progress  of the same phase as that which the columns were made for
std::string table_row(const app::Progress& progress, const TableColumns& columns);

}  // namespace lockstep::cli
