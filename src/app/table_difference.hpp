#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lockstep/io/table.hpp"

namespace lockstep::app {

/// The first place where two tables hold other bits.
struct TableDifference {
    std::optional<std::size_t> row;  ///< none: the tables have other columns
    std::string column;
    std::optional<std::size_t> element;  ///< of a list
    std::string left;                    ///< "absent" for a null, "no row", "no column"
    std::string right;
    double absolute = 0;  ///< NaN when they are not numbers
    double relative = 0;
};

/// First by row, then by column in the order of `left`. Columns named in `ignored` do not count.
std::optional<TableDifference> first_difference(const io::Table& left,
                                                const io::Table& right,
                                                std::span<const std::string_view> ignored = {});

/// Key of a row from its columns of identifiers (stage_id, block_id, hydro_id …), without scenario
/// and node: "stage 2, block 0, hydro 7".
std::string row_key(const io::Table& table, std::size_t row);

}  // namespace lockstep::app
